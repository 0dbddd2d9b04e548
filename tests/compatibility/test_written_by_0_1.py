"""What dgmp 0.1 wrote still opens: a catalogue, runs, describers, descriptors, scores.

Its calibrations are of another rule: they say nothing about hands any more.

``written_by_0.1.tar.xz`` was packed with the code of that version. Weights are rounded to few
values, so that they pack well; ``truth.json`` holds what that version made of the pages in it.
"""

import json
import shutil
import tarfile
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dgmp.catalogue import Catalogue, rounded, unrounded
from dgmp.cli import app
from dgmp.corpora import open_corpus
from dgmp.describers import (
    classify_pages,
    describe_pages,
    load_classifier,
    load_describer,
    load_descriptors,
    save_calibration,
)
from dgmp.errors import CatalogueError
from dgmp.evaluation import load_scores
from dgmp.hands.densities import START
from dgmp.tasks import describe, group, search
from dgmp.training import Run

PACKED = Path(__file__).with_name("written_by_0.1.tar.xz")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("written")
    with tarfile.open(PACKED) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture
def copy(written, tmp_path):
    """A copy that a test may change."""
    return Path(shutil.copytree(written, tmp_path / "copy"))


@pytest.fixture
def truth(written):
    return json.loads((written / "truth.json").read_text())


@pytest.mark.parametrize(
    "name", ["runs/writer", "runs/learned", "describers/hinge", "describers/fused"]
)
def test_a_describer_gives_the_vectors_it_gave(written, truth, name):
    pages = open_corpus(written / "pages").pages
    found = describe_pages(pages, load_describer(written / name)).descriptors.vectors
    np.testing.assert_allclose(found[:, :8], truth[name], atol=2e-5)


@pytest.mark.parametrize("name", ["runs/script", "describers/scripts"])
def test_a_classifier_gives_the_probabilities_it_gave(written, truth, name):
    pages = open_corpus(written / "pages").pages
    found = classify_pages(pages, load_classifier(written / name)).probabilities
    np.testing.assert_allclose(found, truth[name], atol=2e-5)


@pytest.mark.parametrize("name", ["runs/writer", "describers/fused"])
def test_a_describer_has_no_calibration_any_more(written, name):
    assert load_describer(written / name).calibration is None


def test_descriptors_and_scores_open(written):
    found = load_descriptors(written / "descriptors.npz")
    assert found.vectors.shape == (12, 64)
    assert found.halves is None
    assert load_scores(written / "scores.json").queries == 9


def test_a_catalogue_is_searched_as_it_stands_by_cosines_alone(copy):
    folder = copy / "catalogues/default"
    stored = (folder / "catalogue.json").read_text()
    pages = Catalogue.open(folder).descriptors()
    assert pages.page_ids == tuple(page.id for page in open_corpus(copy / "pages"))
    cosines = dict(zip(pages.page_ids, pages.vectors @ pages.vectors[0], strict=True))
    nearest = sorted(pages.page_ids[1:], key=lambda id: -cosines[id])[:3]
    hits = search(folder, pages.page_ids[0], 3)
    assert [hit.page_id for hit in hits] == nearest
    assert [hit.cosine for hit in hits] == pytest.approx([cosines[id] for id in nearest], abs=1e-6)
    assert [(hit.probability, hit.likelihood_ratio) for hit in hits] == [(None, None)] * 3
    assert (folder / "catalogue.json").read_text() == stored


def test_the_hands_of_a_catalogue_need_its_pages_described_anew(copy):
    result = CliRunner().invoke(app, ["hands", str(copy / "catalogues/default")])
    assert result.exit_code == 1
    told = " ".join(result.stderr.split())
    assert "was described by an earlier version of dgmp" in told
    assert "describe its pages anew, into a new catalogue" in told


def test_a_catalogue_by_the_default_describer_of_that_version_takes_no_more_pages(copy):
    folder = copy / "catalogues/default"
    stored = (folder / "catalogue.json").read_text()
    with pytest.raises(CatalogueError, match="made by the describer 'default' as it was before"):
        describe(copy / "pages", folder)
    assert (folder / "catalogue.json").read_text() == stored


def test_a_catalogue_by_a_run_goes_on_without_describing_anything_again(copy):
    run, folder = copy / "runs/writer", copy / "catalogues/writer"
    before = Catalogue.open(folder).descriptors()
    done = describe(copy / "pages", folder, describer=run)
    assert (done.described, len(done.changes.relabelled)) == (0, 12)  # the folder has moved
    again = describe(copy / "pages", folder, describer=run)
    assert (again.described, again.changes.relabelled) == (0, ())
    after = Catalogue.open(folder).descriptors()
    assert after.page_ids == before.page_ids
    np.testing.assert_array_equal(after.vectors, unrounded(rounded(before.vectors)[0]))


def test_a_catalogue_sees_what_changed_since(copy):
    (copy / "pages" / "w0_p0.png").write_bytes((copy / "pages" / "w1_p1.png").read_bytes())
    done = describe(copy / "pages", copy / "catalogues/writer", describer=copy / "runs/writer")
    assert [page.id for page in done.changes.changed] == ["w0_p0.png"]


def test_pages_whose_halves_were_not_described_are_not_grouped_by_a_new_calibration(copy):
    run, folder = copy / "runs/writer", copy / "catalogues/writer"
    save_calibration(START, load_describer(run), run)
    done = describe(copy / "pages", folder, describer=run)
    assert done.catalogue.head.calibration == START.to_json()
    assert {hit.probability for hit in search(folder, "w0_p0.png")} == {None}
    with pytest.raises(CatalogueError, match="was described by an earlier version of dgmp"):
        group(folder)


def test_a_stopped_run_goes_on(copy):
    run = Run(copy / "runs/writer")
    assert run.load_state().epoch == 1
    about = json.loads((run.folder / "run.json").read_text())
    about["data"]["path"] = str((copy / "pages").resolve())  # where the pages are now
    (run.folder / "run.json").write_text(json.dumps(about))
    changes = [
        "epochs=2", "epoch_steps=1", "batch=4", "classes_per_batch=2", "validation=0",
        "model.backbone=resnet20", "model.stem_stride=2", "input.patch=64", "input.stride=40",
        "input.side=32", "input.min_edges=40", "input.preparation.canonical=None",
        "augmentation.crop=1.0", "augmentation.shift=4.0",
    ]  # fmt: skip
    line = ["train", "writer-small", "--data", copy / "pages", "--out", run.folder]
    line += [part for change in changes for part in ("--set", change)]
    result = CliRunner().invoke(app, [str(part) for part in line])
    assert result.exit_code == 0, result.stderr
    assert run.load_state().epoch == 2
    assert len(run.metrics()) == 2
    assert run.recipe.task == "writer"

"""What dgmp 0.1 wrote still opens: a catalogue, runs, describers, descriptors, scores.

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
)
from dgmp.evaluation import load_scores
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
def test_a_describer_keeps_its_calibration(written, name):
    assert load_describer(written / name).calibration is not None


def test_descriptors_and_scores_open(written):
    assert load_descriptors(written / "descriptors.npz").vectors.shape == (12, 64)
    assert load_scores(written / "scores.json").queries == 9


def test_a_catalogue_is_searched_and_grouped_as_it_stands(copy):
    stored = (copy / "catalogues/default/catalogue.json").read_text()
    hits = search(copy / "catalogues/default", "w0_p0.png", 3)
    assert len(hits) == 3
    assert all(0 <= hit.probability <= 1 for hit in hits)
    hands = group(copy / "catalogues/default", out=copy / "new.json")
    assert {id for hand in hands for id in hand.page_ids} == {
        page.id for page in open_corpus(copy / "pages")
    }
    assert json.loads((copy / "new.json").read_text()) == json.loads(
        (copy / "hands.json").read_text()
    )
    assert (copy / "catalogues/default/catalogue.json").read_text() == stored


@pytest.mark.parametrize(
    ("catalogue", "describer"), [("default", "default"), ("writer", "runs/writer")]
)
def test_a_catalogue_goes_on_without_describing_anything_again(copy, catalogue, describer):
    name = describer if describer == "default" else str(copy / describer)
    folder = copy / "catalogues" / catalogue
    before = Catalogue.open(folder).descriptors()
    done = describe(copy / "pages", folder, describer=name)
    assert (done.described, len(done.changes.relabelled)) == (0, 12)  # the folder has moved
    again = describe(copy / "pages", folder, describer=name)
    assert (again.described, again.changes.relabelled) == (0, ())
    after = Catalogue.open(folder).descriptors()
    assert after.page_ids == before.page_ids
    np.testing.assert_array_equal(after.vectors, unrounded(rounded(before.vectors)[0]))


def test_a_catalogue_sees_what_changed_since(copy):
    (copy / "pages" / "w0_p0.png").write_bytes((copy / "pages" / "w1_p1.png").read_bytes())
    done = describe(copy / "pages", copy / "catalogues/default")
    assert [page.id for page in done.changes.changed] == ["w0_p0.png"]


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

"""Scans and catalogues in object storage: as on a disk, and through the death of the server."""

import io
import secrets
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from corpora.layouts import ALTO, BLOCK
from drawing import written
from PIL import Image
from scribbles import StrokeDescriber, label_writers
from starlette.testclient import TestClient

from dgmp.catalogue import Catalogue
from dgmp.corpora import open_corpus
from dgmp.engines import Here
from dgmp.errors import CatalogueError, CorpusError
from dgmp.records import Decision
from dgmp.storage import CHANGED, ObjectPath, lease
from dgmp.tasks import (
    contradictions,
    decide,
    decisions,
    describe,
    group,
    history,
    search,
    stored_hands,
)
from dgmp.web import create_app
from dgmp.web.keys import page_key

pytestmark = pytest.mark.usefixtures("stroke_describers")


@pytest.fixture
def bucket(s3):
    """A folder of the test's own."""
    return f"s3://scans/{secrets.token_hex(4)}"


@pytest.fixture
def uploaded(bucket, scans):
    """The pages of ``scans`` with their label file, in the store."""
    label_writers(scans)
    for file in scans.iterdir():
        (ObjectPath.of(bucket) / "scans" / file.name).write_bytes(file.read_bytes())
    return f"{bucket}/scans"


@pytest.fixture
def run(bucket):
    """A function that brings the catalogue of the bucket up to date."""
    return partial(describe, catalogue=f"{bucket}/catalogue", engine=Here())


def test_a_corpus_in_a_store_has_the_pages_and_labels_that_it_has_on_a_disk(uploaded, scans):
    here, there = open_corpus(scans), open_corpus(uploaded)
    assert there.kind == here.kind == "csv"
    assert [(p.id, p.writer, p.size) for p in there] == [(p.id, p.writer, p.size) for p in here]
    assert there.pages[0].source.address == f"{uploaded}/0-0.png"
    assert [p.content_hash for p in there] == [p.content_hash for p in here]


def test_what_is_described_in_a_store_is_what_is_described_on_a_disk(
    uploaded, scans, run, tmp_path
):
    there = run(uploaded).catalogue
    here = describe(scans, tmp_path / "catalogue", engine=Here()).catalogue
    assert there.descriptors().page_ids == here.descriptors().page_ids
    np.testing.assert_array_equal(there.descriptors().vectors, here.descriptors().vectors)
    assert [hit.page_id for hit in search(there.folder, "0-0.png", 3)] == [
        hit.page_id for hit in search(here.folder, "0-0.png", 3)
    ]
    assert group(str(there.folder)) == group(here.folder)
    kept = stored_hands(str(there.folder))
    assert kept is not None
    assert kept.current


def test_the_second_time_only_what_has_changed_is_read(uploaded, run):
    assert run(uploaded).described == 12
    folder = ObjectPath.of(uploaded)
    (folder / "1-1.png").write_bytes((folder / "3-0.png").read_bytes())
    done = run(uploaded)
    assert [page.id for page in done.changes.changed] == ["1-1.png"]
    assert len(done.catalogue) == 12
    assert run(uploaded).described == 0


def overwritten(uploaded):
    """A corpus one of whose pages is changed now, and again after it was listed."""
    page = ObjectPath.of(uploaded) / "1-1.png"
    page.write_bytes((page.parent / "3-0.png").read_bytes())
    found = open_corpus(uploaded)
    page.write_bytes((page.parent / "2-0.png").read_bytes())
    return found


def test_a_page_that_is_overwritten_after_it_was_listed_is_described_as_it_is_now(uploaded, run):
    run(uploaded)
    done = run(overwritten(uploaded))
    assert (done.described, done.left_out) == (1, ())
    assert [page.id for page in done.changes.changed] == ["1-1.png"]
    assert len(done.catalogue) == 12
    pages = [done.catalogue.page(id) for id in ("1-1.png", "2-0.png")]
    np.testing.assert_array_equal(pages[0].vectors, pages[1].vectors)


@pytest.mark.parametrize("by", ["page", "band"])
def test_a_page_that_is_overwritten_all_the_time_keeps_what_it_had(uploaded, run, by, monkeypatch):
    before = run(uploaded, by=by).catalogue.descriptors()
    monkeypatch.setattr("dgmp.tasks.describing.reopened", lambda page: page)
    done = run(overwritten(uploaded))
    assert dict(done.left_out) == {"1-1.png": CHANGED}
    assert done.catalogue.descriptors().page_ids == before.page_ids
    np.testing.assert_array_equal(done.catalogue.descriptors().vectors, before.vectors)


def test_empty_objects_and_those_that_stand_for_folders_stop_nothing(s3, bucket, uploaded, run):
    (ObjectPath.of(uploaded) / "labels.csv").write_bytes(b"")
    (ObjectPath.of(uploaded) / "empty.jpg").write_bytes(b"")
    for folder in (f"{bucket}/catalogue", uploaded):
        s3.make_bucket(folder.removeprefix("s3://") + "/")  # as the console makes a folder
    done = run(uploaded)
    assert len(done.catalogue) == 12
    assert [remark.file for remark in done.left_out] == ["empty.jpg"]


def test_a_picture_of_a_store_is_searched_for(uploaded, run):
    catalogue = run(uploaded).catalogue
    hits = search(catalogue, f"{uploaded}/0-1.png", 1)
    assert hits[0].page_id.startswith("0-")
    assert hits[0].path.startswith("s3://")


def test_layout_files_beside_scans_are_used(bucket):
    stream = io.BytesIO()
    Image.fromarray(written(420, 300)).save(stream, "PNG")
    there = ObjectPath.of(bucket) / "book"
    (there / "f1.png").write_bytes(stream.getvalue())
    (there / "alto" / "f1.xml").write_bytes(ALTO.format(BLOCK.format(30)).encode())
    page = open_corpus(str(there)).pages[0]
    assert page.regions is not None
    assert page.regions[0].bounds == (30, 20, 130, 70)


def test_a_catalogue_in_a_store_is_shown(uploaded, run):
    folder = str(run(uploaded).catalogue.folder)
    group(folder)
    with TestClient(create_app(folder), "http://127.0.0.1") as client:
        assert client.get("/hands.json").status_code == 200
        key = page_key("0-0.png")
        assert client.get(f"/pages/{key}.json").status_code == 200
        assert client.get(f"/thumbnails/{key}.jpg").content[:2] == b"\xff\xd8"
        scan = client.get(f"/iiif/{key}/full/max/0/default.jpg")
        assert scan.content[:2] == b"\xff\xd8", scan.text


def test_no_decision_of_two_writers_is_lost(uploaded, run):
    folder = str(run(uploaded).catalogue.folder)

    def one(number):
        pages = (f"{number % 4}-0.png", f"{number % 4}-1.png")
        return decide(folder, Decision("same", pages, person=f"p{number}"))

    with ThreadPoolExecutor(4) as pool:
        stored = list(pool.map(one, range(12)))
    assert {d.id for d in history(folder)} == {d.id for d in stored}
    assert {d.person for d in decisions(folder)} == {f"p{n}" for n in range(12)}
    assert contradictions(folder) == ()


def test_one_process_at_a_time_describes_into_a_catalogue(uploaded, run, monkeypatch):
    monkeypatch.setattr(lease, "BEAT", 0.1)
    catalogue = run(uploaded).catalogue
    with (
        catalogue.writing(),
        pytest.raises(CatalogueError, match="another process is describing"),
        Catalogue.open(catalogue.folder).writing(),
    ):
        pass


def test_a_folder_that_is_not_there_is_named(bucket, run):
    with pytest.raises(CorpusError, match="there is no such folder or file"):
        run(f"{bucket}/none")
    with pytest.raises(CatalogueError, match="is no catalogue"):
        search(f"{bucket}/none", "page")


def test_the_death_of_the_server_loses_and_doubles_nothing(
    s3, uploaded, run, monkeypatch, stroke_describers
):
    monkeypatch.setattr("dgmp.tasks.describing.BATCH_PAGES", 2)
    stroke_describers["slow"] = StrokeDescriber(seconds=0.1)
    died = threading.Event()

    def die():
        s3.die()
        died.set()
        time.sleep(2)
        s3.rise()

    def stage(title, pages):
        done = 0

        def progress(number):
            nonlocal done
            done += number
            if title == "describing pages" and done == 3:
                threading.Thread(target=die).start()

        return progress

    done = run(uploaded, describer="slow", stage=stage)
    assert died.is_set()
    assert done.described == 12
    assert len(done.catalogue) == len(set(done.catalogue.descriptors().page_ids)) == 12
    assert run(uploaded, describer="slow").described == 0

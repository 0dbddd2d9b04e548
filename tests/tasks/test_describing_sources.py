"""PDF documents and IIIF manifests into a catalogue: what failed is tried again."""

import time
from functools import partial
from io import BytesIO

import numpy as np
import pytest
from drawing import written
from PIL import Image
from sources.iiif_server import cache, content, server, status

from dgmp.engines import Here, Processes
from dgmp.errors import CatalogueError, CorpusError
from dgmp.tasks import describe, search

__all__ = ["cache", "server"]
pytestmark = pytest.mark.usefixtures("stroke_describers")


@pytest.fixture
def run(tmp_path):
    """A function that brings a catalogue up to date."""
    return partial(describe, catalogue=tmp_path / "catalogue", describer="raw", engine=Here())


def ids(done):
    return done.catalogue.descriptors().page_ids


def picture(name):
    return f"/image3/{name}/full/max/0/default.jpg"


@pytest.mark.parametrize("version", [2, 3])
def test_a_manifest_is_described_and_the_second_time_nothing_is_asked_but_itself(
    server, run, version
):
    address = server.add_book("b", 3, version)
    done = run(address)
    assert ids(done) == ("b/1r", "b/2r", "b/3r")
    assert done.left_out == ()
    asked = len(server.asked)
    assert asked == 1 + 2 * 3
    again = run(address)
    assert again.described == 0
    assert server.paths()[asked:] == ["/b.json"]


def test_a_page_of_a_catalogue_is_read_again_from_the_cache(server, run):
    done = run(server.add_book("b", 2))
    asked = len(server.asked)
    for page in done.catalogue.pages(ids(done)):
        assert page.source.open().read(2) == b"\xff\xd8"
        assert page.manuscript == "b"
    assert len(server.asked) == asked


def test_what_cannot_be_had_is_named_and_tried_again_the_next_time(server, run):
    address = server.add_book("b", 4)
    server.faults[picture("b-1")] = status(404)
    server.faults[picture("b-2")] = [status(503)] * 9
    done = run(address)
    assert ids(done) == ("b/1r", "b/4r")
    reasons = dict(done.left_out)
    assert reasons["b/2r"].startswith("missing")
    assert reasons["b/3r"].startswith("unreachable")
    server.faults.clear()
    asked = len(server.asked)
    again = run(address)
    assert again.described == 2
    assert ids(again) == ("b/1r", "b/2r", "b/3r", "b/4r")
    assert server.paths()[asked:] == ["/b.json", picture("b-1"), picture("b-2")]


def test_pages_that_are_out_of_reach_are_neither_vanished_nor_forgotten(server, run):
    one, two = server.add_book("one", 2), server.add_book("two", 2)
    run(one)
    run(two)
    server.faults |= {path: status(503) for path in ("/one.json", "/two.json")}
    done = run(two, forget=True)
    assert done.changes.vanished == ()
    assert len(done.catalogue) == 4


def test_a_changed_page_that_is_out_of_reach_stays_as_it_was(server, run):
    address = server.add_book("b", 2)
    before = run(address).catalogue.descriptors().vectors
    body = server.documents["/b.json"]["items"][0]["items"][0]["items"][0]["body"]
    body["service"][0]["id"] = f"{server.base}/image3/better"
    server.pictures["better"] = written(seed=9)
    server.faults["/image3/better/info.json"] = status(503)
    done = run(address, forget=True)
    assert dict(done.left_out)["b/1r"].startswith("unreachable")
    np.testing.assert_array_equal(done.catalogue.descriptors().vectors, before)
    server.faults.clear()
    time.sleep(0.6)  # for which the host is left alone
    assert run(address).described == 1


def test_a_canvas_that_left_the_manifest_has_vanished(server, run):
    address = server.add_book("b", 3)
    run(address)
    del server.documents["/b.json"]["items"][1]
    assert run(address).changes.vanished == ("b/2r",)
    assert ids(run(address, forget=True)) == ("b/1r", "b/3r")


def relabel(values, label):
    values["label"] = {"none": [label]}


def test_a_page_keeps_its_id_when_labels_change(server, run):
    address = server.add_book("b", 3)
    run(address)
    book = server.documents["/b.json"]
    relabel(book, "Cod. 1")
    for canvas, label in zip(book["items"], ["front", "3r", "2r"], strict=True):
        relabel(canvas, label)
    done = run(address, forget=True)
    assert done.described == 0
    assert ids(done) == ("b/1r", "b/2r", "b/3r")
    assert done.catalogue.column("manuscript") == dict.fromkeys(ids(done), "Cod. 1")
    stored = f"{address}#canvas={server.base}/b/canvas/b-1"
    assert done.catalogue.paths()["b/2r"] == stored


def test_a_new_canvas_with_the_old_label_of_another_is_a_page_of_its_own(server, run):
    address = server.add_book("b", 3)
    book = server.documents["/b.json"]
    new = book["items"].pop()
    run(address)
    relabel(book["items"][0], "front")
    relabel(new, "1R")
    book["items"].insert(0, new)
    done = run(address)
    assert done.described == 1
    assert [name.partition("~")[0] for name in sorted(ids(done))] == ["b/1R", "b/1r", "b/2r"]
    assert run(address).described == 0


def test_a_book_keeps_its_ids_when_another_of_its_label_comes(server, run):
    books = [server.add_book(name, 1, label="Book") for name in ("one", "two")]
    members = [{"id": each, "type": "Manifest"} for each in books]
    server.documents["/top.json"] = top = {"type": "Collection", "items": members[:1]}
    address = f"{server.base}/top.json"
    assert ids(run(address)) == ("Book/1r",)
    top["items"] = members
    done = run(address)
    assert done.described == 1
    assert len(done.catalogue) == 2
    assert "Book/1r" in ids(done)


def test_two_manifests_of_one_label_do_not_overwrite_each_other(server, run):
    run(server.add_book("one", 1, label="Book"))
    with pytest.raises(CatalogueError, match="holds a page 'Book/1r' already"):
        run(server.add_book("two", 1, label="Book"))


def test_workers_fetch_as_one(server, run):
    address = server.add_book("b", 4)
    done = run(address, engine=Processes(2), line_distance=40)
    assert len(done.catalogue) == 4
    begun = [when for path, when in server.asked if path != "/b.json"]
    assert len(begun) == 8
    assert max(begun) - min(begun) > 0.2 * 7  # at the pace of all: a quarter of a second
    assert server.most_at_once <= 2


def test_a_manifest_is_searched_for_its_first_page(server, run, tmp_path):
    address = server.add_book("b", 3)
    run(address)
    other = server.add_book("other", 2)
    assert search(tmp_path / "catalogue", other, 1)[0].page_id == "b/1r"
    stored = f"{address}#canvas={server.base}/b/canvas/b-1"
    hits = search(tmp_path / "catalogue", stored, 3)
    assert "b/2r" not in [hit.page_id for hit in hits]


def test_an_address_that_cannot_be_reached_is_an_error_in_one_line(server, run):
    with pytest.raises(CorpusError, match=r"gone\.json: missing: the service has no such thing$"):
        run(f"{server.base}/gone.json")


@pytest.fixture
def folder(tmp_path):
    """A folder with a document of three pages and a picture."""
    folder = tmp_path / "scans"
    folder.mkdir()
    pages = [Image.fromarray(written(seed=seed)) for seed in range(4)]
    pages[0].save(folder / "a.png")
    pages[1].save(folder / "book.pdf", save_all=True, append_images=pages[2:], resolution=150)
    return folder


def test_a_folder_with_a_document_is_described_page_by_page(folder, run):
    done = run(folder)
    assert ids(done) == ("a.png", "book.pdf#page=1", "book.pdf#page=2", "book.pdf#page=3")
    assert run(folder).described == 0


def test_pages_that_a_document_lost_have_vanished(folder, run):
    run(folder)
    Image.fromarray(written(seed=1)).save(folder / "book.pdf", resolution=150)
    done = run(folder)
    assert done.changes.vanished == ("book.pdf#page=2", "book.pdf#page=3")


def test_pages_of_a_document_that_broke_are_taken_out(folder, run):
    run(folder)
    (folder / "book.pdf").write_bytes(b"%PDF-1.7 broken")
    done = run(folder)
    assert ids(done) == ("a.png",)
    assert dict(done.left_out)["book.pdf"].startswith("broken: ")


def small_picture():
    encoded = BytesIO()
    Image.fromarray(written(400, 300)).save(encoded, "JPEG")
    return encoded.getvalue()


def test_a_page_has_the_size_of_the_picture_that_was_read(server, run):
    address = server.add_book("b", 2)
    server.faults[picture("b-1")] = content(small_picture())
    done = run(address)
    large, small = done.catalogue.pages(ids(done))
    assert small.size == (400, 300)
    assert large.size != small.size
    server.documents["/b.json"]["label"] = {"en": ["other"]}
    assert run(address).described == 0
    assert done.catalogue.pages(ids(done))[1].size == (400, 300)


def test_more_pages_than_the_cache_holds_are_fetched_once(server, run, monkeypatch):
    addresses = [server.add_book(name, 4) for name in ("a", "b")]
    monkeypatch.setattr("dgmp.sources.answer_cache._PAGE", 1_000_000_000)  # 5 in 10 GB
    monkeypatch.setattr("dgmp.sources.answer_cache.GIGABYTES", 6.0)
    server.documents["/all.json"] = {
        "type": "Collection",
        "items": [{"id": each, "type": "Manifest"} for each in addresses],
    }
    stages = []

    def stage(title, pages):
        stages.append((title, pages))
        return lambda number: None

    done = run(f"{server.base}/all.json", stage=stage)
    assert done.described == 8
    assert ids(done) == tuple(f"{book}/{page}r" for book in "ab" for page in range(1, 5))
    assert [pages for title, pages in stages if title == "describing pages"] == [3, 3, 2]
    assert len(server.asked) == 3 + 2 * 8
    assert run(f"{server.base}/all.json").described == 0

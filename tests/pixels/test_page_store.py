"""Prepared pages in one file: the pixels of prepare_page, taken again while nothing changed."""

import json
import pickle

import numpy as np
import pytest
from drawing import written

from dgmp.engines import Processes
from dgmp.errors import CorpusError
from dgmp.pixels import Preparation, open_store, page_store, prepare_page

AS_IT_IS = Preparation(canonical=None, binarization="none")


@pytest.fixture
def pages(make_page):
    return [
        make_page(f"p{number}.png", written(200 + 20 * number, 150, seed=number))
        for number in range(3)
    ]


@pytest.fixture
def blank(make_page):
    return make_page("blank.png", np.full((100, 100), 255, np.uint8))


@pytest.fixture
def prepared(monkeypatch):
    """The ids of pages that were prepared, as it happens."""
    seen = []

    def spy(pages, *arguments, **options):
        seen.extend(page.id for page in pages)
        return original(pages, *arguments, **options)

    original = page_store.map_pages
    monkeypatch.setattr(page_store, "map_pages", spy)
    return seen


def test_the_store_holds_what_prepare_page_gives(pages, tmp_path):
    preparation = Preparation(canonical=40.0)
    kept = open_store(tmp_path / "store", pages, preparation)
    for number, page in enumerate(pages):
        expected = prepare_page(page, preparation)
        np.testing.assert_array_equal(kept[number], expected.pixels)
        assert kept.image(number).page == page
    assert len(kept) == 3


def test_what_is_there_is_taken_again(pages, tmp_path, prepared):
    open_store(tmp_path / "store", pages, AS_IT_IS)
    prepared.clear()
    again = open_store(tmp_path / "store", pages, AS_IT_IS)
    assert prepared == []
    np.testing.assert_array_equal(again[2], prepare_page(pages[2], AS_IT_IS).pixels)


def test_further_pages_are_noticed(pages, tmp_path):
    open_store(tmp_path / "store", pages[:2], AS_IT_IS)
    assert len(open_store(tmp_path / "store", pages, AS_IT_IS)) == 3


def test_a_changed_file_is_noticed(pages, page_file, tmp_path):
    open_store(tmp_path / "store", pages, AS_IT_IS)
    page_file("p1.png", written(220, 150, seed=9))
    changed = open_store(tmp_path / "store", pages, AS_IT_IS)
    np.testing.assert_array_equal(changed[1], written(220, 150, seed=9))


def test_another_preparation_is_noticed(pages, tmp_path):
    open_store(tmp_path / "store", pages, AS_IT_IS)
    otsu = open_store(tmp_path / "store", pages, Preparation(canonical=None, binarization="otsu"))
    assert set(np.unique(otsu[0])) == {0, 255}


def test_pages_that_cannot_be_used_are_kept_with_their_reason(pages, blank, tmp_path):
    for _ in range(2):  # the second time from the index
        kept = open_store(tmp_path / "store", [blank, *pages], AS_IT_IS)
        assert kept.failures == (("blank.png", "no ink: the page is blank or all black"),)
        assert [page.id for page in kept.pages] == ["p0.png", "p1.png", "p2.png"]


def test_no_usable_page_is_an_error(blank, tmp_path):
    with pytest.raises(CorpusError, match=r"none of 1 pages can be used: blank.png no ink"):
        open_store(tmp_path / "store", [blank], AS_IT_IS)


@pytest.mark.parametrize("name", ["pages.bin", "pages.json"])
def test_a_cut_off_file_is_made_anew(pages, tmp_path, name):
    folder = tmp_path / "store"
    open_store(folder, pages, AS_IT_IS)
    path = folder / name
    path.write_bytes(path.read_bytes()[:-10])
    kept = open_store(folder, pages, AS_IT_IS)
    np.testing.assert_array_equal(kept[2], prepare_page(pages[2], AS_IT_IS).pixels)


def test_a_kill_between_the_two_files_never_leaves_pixels_under_another_description(
    pages, tmp_path, monkeypatch
):
    folder = tmp_path / "store"
    open_store(folder, pages, AS_IT_IS)

    def killed(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(json, "dumps", killed)  # after pages.bin, before pages.json
    with pytest.raises(KeyboardInterrupt):  # sizes are the same, so only the index shows it
        open_store(folder, pages, Preparation(canonical=None, binarization="otsu"))
    monkeypatch.undo()
    kept = open_store(folder, pages, AS_IT_IS)
    np.testing.assert_array_equal(kept[0], prepare_page(pages[0], AS_IT_IS).pixels)


def test_a_store_travels_without_its_pixels(pages, tmp_path):
    kept = open_store(tmp_path / "store", pages, AS_IT_IS)
    kept[0]
    sent = pickle.dumps(kept)
    assert len(sent) < 5000
    np.testing.assert_array_equal(pickle.loads(sent)[1], kept[1])


def test_another_engine_changes_nothing(pages, tmp_path):
    one = open_store(tmp_path / "one", pages, AS_IT_IS)
    two = open_store(tmp_path / "two", pages, AS_IT_IS, engine=Processes(1))
    assert (one.folder / "pages.bin").read_bytes() == (two.folder / "pages.bin").read_bytes()


def test_progress_counts_every_page(pages, tmp_path):
    counted = []
    open_store(tmp_path / "store", pages, AS_IT_IS, progress=counted.append)
    assert sum(counted) == 3


def test_a_page_of_the_store_is_read_without_its_file(pages, tmp_path):
    kept = open_store(tmp_path / "store", pages, AS_IT_IS)
    pages[1].source.path.unlink()
    assert kept.read(pages[1]).pixels.shape == (150, 220)


def test_pages_that_cannot_be_used_count_as_done(pages, blank, tmp_path):
    done = []
    open_store(tmp_path / "store", [*pages, blank], AS_IT_IS, progress=done.append)
    assert sum(done) == 4

"""Synthetic books: scribes change at known lines, always at the same ones."""

import csv
import itertools

import cv2
import numpy as np
import pytest

from dgmp.corpora import open_corpus
from dgmp.errors import CorpusError
from dgmp.synthetic import TRUTH, synthesize, synthesize_books
from dgmp.synthetic.books import HEIGHT, MOST_SCRIBES, WIDTH, draw_book_page, plan_book

PLANS = [plan_book(1, number, 12) for number in range(8)]


def scribes(book):
    return [stint.scribe for page in book.pages for stint in page]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("books") / "books"
    return synthesize_books(folder, books=2, pages=2, seed=3)


def rows(table):
    with table.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("book", PLANS, ids=lambda book: book.name)
def test_the_lines_of_a_page_are_written_by_one_scribe_after_another(book):
    for stints in book.pages:
        assert stints[0].first == 0
        for one, next_one in itertools.pairwise(stints):
            assert next_one.first == one.last + 1
            assert next_one.scribe != one.scribe


@pytest.mark.parametrize("book", PLANS, ids=lambda book: book.name)
def test_a_book_has_one_to_four_scribes(book):
    assert 1 <= len(set(scribes(book))) <= MOST_SCRIBES


def test_scribes_change_within_pages_and_at_their_borders():
    within = sum(len(page) > 1 for book in PLANS for page in book.pages)
    borders = sum(
        one[-1].scribe != next_one[0].scribe
        for book in PLANS
        for one, next_one in zip(book.pages, book.pages[1:], strict=False)
    )
    assert within > 3
    assert borders > 3


def test_two_books_in_turn_share_a_scribe_and_a_script():
    for first, second in zip(PLANS[::2], PLANS[1::2], strict=True):
        assert first.script == second.script
        assert scribes(second)[0] in scribes(first)


def test_the_plan_is_the_same_every_time():
    assert plan_book(1, 3, 12) == PLANS[3]
    assert plan_book(2, 3, 12) != PLANS[3]


def test_a_page_is_the_same_every_time_and_written_all_over():
    book = next(book for book in PLANS if any(len(page) > 1 for page in book.pages))
    page = next(place for place, stints in enumerate(book.pages) if len(stints) > 1)
    pixels = draw_book_page(book, page)
    assert pixels.shape == (HEIGHT, WIDTH)
    assert np.array_equal(pixels, draw_book_page(book, page))
    assert all(part.std() > 8 for part in np.array_split(pixels, 4))


def test_every_page_is_written_and_listed_with_its_book(written):
    corpus = open_corpus(written.parents[1])
    assert (corpus.left_out, corpus.notes) == ((), ())
    assert corpus.labels("manuscript") == ("book00",) * 2 + ("book01",) * 2
    assert all(page.size == (WIDTH, HEIGHT) for page in corpus)


def test_the_truth_names_the_lines_and_rows_of_every_scribe(written):
    folder = written.parents[1]
    assert written == folder / TRUTH
    for row in rows(written):
        assert int(row["first_line"]) <= int(row["last_line"])
        assert 0 <= int(row["top"]) < int(row["bottom"]) <= HEIGHT
        assert cv2.imread(str(folder / row["file"])) is not None
        assert row["writer"].startswith("book0")


def test_pages_that_are_there_are_kept(written):
    folder = written.parents[1]
    before = {file: file.stat().st_mtime_ns for file in folder.glob("*/*.jpg")}
    synthesize_books(folder, books=2, pages=2, seed=3)
    assert {file: file.stat().st_mtime_ns for file in folder.glob("*/*.jpg")} == before


def test_books_with_other_pages_do_not_go_into_the_same_folder(written):
    with pytest.raises(CorpusError, match=r"another synthetic corpus \(.*pages 2"):
        synthesize_books(written.parents[1], books=2, pages=3, seed=3)


def test_books_and_a_corpus_do_not_go_into_one_folder(written):
    with pytest.raises(CorpusError, match="another synthetic corpus"):
        synthesize(written.parents[1], writers=1, pages=1, seed=3)


@pytest.mark.parametrize("name", ["books", "pages"])
def test_too_little_is_refused(tmp_path, name):
    with pytest.raises(ValueError, match=f"{name} must be at least 1, got 0"):
        synthesize_books(tmp_path, **{name: 0})

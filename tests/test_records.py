"""The nouns keep their conventions."""

from dataclasses import replace

import numpy as np
import pytest

from dgmp.evaluation import classification_scores, ranking_scores, retrieval_scores
from dgmp.rankings import rank_pages, rerank_reciprocal
from dgmp.records import Decision, Descriptors, Page, Ranking, Region, file_and_part
from dgmp.sources import FileSource

VECTORS = np.eye(6)[[0, 0, 1, 1, 2, 2]] + 0.1
LABELS = ["á", "á", "b", "b", "b", "c"]
SCORES = {
    "plain": retrieval_scores(VECTORS, LABELS),
    "re-ranked": ranking_scores(rerank_reciprocal(rank_pages(VECTORS)), LABELS),
    "classified": classification_scores([[0.7, 0.3], [0.6, 0.4]], [0, 1], groups=["m", "n"]),
}


@pytest.mark.parametrize("name", SCORES)
def test_a_table_has_every_measure_and_says_whether_the_gallery_was_used(name):
    scores = SCORES[name]
    table = str(scores)
    assert all(f"\n{measure} " in table for measure in scores.values)
    assert f"re-ranking: {scores.reranking or 'none'}" in table


def test_a_measure_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(KeyError, match="accuracy"):
        SCORES["classified"]["map"]


def test_a_rectangle_is_a_region_with_four_corners():
    region = Region.rectangle(1, 2, 5, 4, "line", 0.5)
    assert region == Region(((1, 2), (5, 2), (5, 4), (1, 4)), "line", 0.5)


def test_bounds_are_the_smallest_rectangle_around_a_region():
    region = Region(((3.0, 1.0), (7.0, 2.5), (4.0, 9.0)))
    assert region.bounds == (3.0, 1.0, 7.0, 9.0)
    assert Region.rectangle(*region.bounds).bounds == region.bounds


@pytest.fixture
def page(tmp_path):
    (tmp_path / "page.png").write_bytes(b"a picture")
    return Page("page.png", FileSource(tmp_path / "page.png"))


def test_a_whole_page_has_the_hash_of_its_picture(page):
    assert page.content_hash == page.source.content_hash


def test_parts_of_one_picture_have_hashes_of_their_own(page):
    parts = [
        page,
        replace(page, frame=1),
        replace(page, regions=(Region.rectangle(0, 0, 5, 5),)),
        replace(page, regions=(Region.rectangle(0, 0, 5, 6),)),
    ]
    assert len({part.content_hash for part in parts}) == len(parts)


def test_what_is_known_of_a_page_does_not_change_its_hash(page):
    assert replace(page, writer="w", split="test").content_hash == page.content_hash


UNIT = np.eye(2, dtype=np.float32)
ORDER = np.array([[1], [0]])
BAD = {
    "need vectors of shape": lambda: Descriptors(("a",), UNIT, {}),
    "must be float32": lambda: Descriptors(("a", "b"), np.eye(2), {}),
    "2 page_ids, but 1 labels": lambda: Descriptors(("a", "b"), UNIT, {}, ("x",)),
    "2 page_ids, but halves of shape": lambda: Descriptors(
        ("a", "b"), UNIT, {}, halves=np.zeros(1, np.float32)
    ),
    "page_ids must differ": lambda: Descriptors(("a", "a"), UNIT, {}),
    "that of 'a' has length 2": lambda: Descriptors(("a", "b"), 2 * UNIT, {}),
    "that of 'a' has length nan": lambda: Descriptors(("a", "b"), np.nan * UNIT, {}),
    "need an order of that many rows": lambda: Ranking(("a",), ("a", "b"), ORDER, ORDER * 1.0),
    "shape of order": lambda: Ranking(("a", "b"), ("a", "b"), ORDER, np.zeros((1, 1))),
    "gallery_ids must differ": lambda: Ranking(("a", "b"), ("a", "a"), ORDER, ORDER * 1.0),
    "places below 1": lambda: Ranking(("a", "b"), ("c",), ORDER, ORDER * 1.0),
}


@pytest.mark.parametrize("message", BAD)
def test_a_record_refuses_what_breaks_its_convention(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()


def test_a_page_that_is_turned_is_another_picture(tmp_path):
    (tmp_path / "a.png").write_bytes(b"a")
    page = Page("a.png", FileSource(tmp_path / "a.png"))
    assert len({replace(page, turn=turn).content_hash for turn in range(4)}) == 4


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"verdict": "maybe", "first": ("a",)}, "verdict must be one of same, different"),
        ({"verdict": "same", "first": ("a",), "second": ("a",)}, "two pages or more"),
        ({"verdict": "same", "first": ()}, "needs pages in first"),
        ({"verdict": "different", "first": ("a",)}, "needs pages in second"),
        ({"verdict": "unsure", "first": ("a",)}, "needs pages in second"),
        ({"verdict": "different", "first": ("a",), "second": ("b", "a")}, "from itself"),
        ({"verdict": "name", "first": ("a",), "second": ("b",)}, "without second"),
        ({"verdict": "same", "first": ("a", "b"), "name": "Ann"}, "goes with the verdict name"),
        ({"verdict": "undo", "first": ()}, "replaces must name a decision"),
        ({"verdict": "same", "first": ("a", "b"), "replaces": "x"}, "and only there"),
    ],
)
def test_a_decision_that_means_nothing_is_refused(values, why):
    with pytest.raises(ValueError, match=why):
        Decision(**values)


def test_the_pages_of_a_decision_are_those_of_both_sides():
    assert Decision("different", ("a", "b"), ("c",)).pages == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("file", "part"),
    [
        ("ms 1/a.jpg", ""),
        ("Box #1/a.jpg", ""),
        ("Box #1/b.pdf", "#page=3#side=1"),
        ("a#2.tif", "#frame=2#band=10"),
        ("a#page=x.jpg", ""),
        ("#side=1/a.jpg", "#region=0"),
        ("https://a.org/m.json", "#canvas=https://a.org/c#7"),
    ],
)
def test_only_what_dgmp_added_to_the_name_of_a_file_is_a_part(file, part):
    assert file_and_part(file + part) == (file, part)

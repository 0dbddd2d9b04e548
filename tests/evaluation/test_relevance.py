"""Which pages count for a query, worked by hand, and rankings that are not whole."""

import numpy as np
import pytest

from dgmp.evaluation import ranking_scores
from dgmp.evaluation.relevance import LabelledPages, Relevance, checked_scans
from dgmp.records import Ranking

GALLERY = LabelledPages(list("abcde"), list("xxxyy"), list("sstst"))


def found(relevance, query):
    return [places.tolist() for places in relevance.of(query)]


def test_pages_of_the_label_are_relevant_and_the_query_is_left_out():
    pages = LabelledPages(GALLERY.ids, GALLERY.labels)
    assert found(Relevance(pages, pages), 0) == [[1, 2], [0]]


def test_pages_of_the_label_on_the_scan_are_left_out_others_on_it_are_not():
    assert found(Relevance(GALLERY, GALLERY), 0) == [[2], [0, 1]]  # d is on scan s too


def test_a_query_that_is_not_in_the_gallery_leaves_none_out():
    queries = LabelledPages(["q"], ["y"])
    assert found(Relevance(queries, GALLERY), 0) == [[3, 4], []]


def test_a_query_is_left_out_even_where_the_gallery_gives_it_another_label():
    queries = LabelledPages(["a"], ["y"])
    assert found(Relevance(queries, GALLERY), 0) == [[3, 4], [0]]


def test_another_order_lists_the_same_pages():
    turned = GALLERY.sorted_by(np.array([4, 3, 2, 1, 0]))
    assert turned == LabelledPages(list("edcba"), list("yyxxx"), list("tstss"))
    assert turned.sorted_by(np.arange(5)[::-1]) == GALLERY


def test_scans_may_be_a_mapping_of_all_pages():
    assert checked_scans({"a": 1, "b": 2}, "a", "ba", own_gallery=False) == (("1",), ("2", "1"))
    assert checked_scans(None, "a", "b", own_gallery=True) == (None, None)


def scores_of(order, gallery, labels):
    ranking = Ranking(("q",), tuple(gallery), np.array([order]), np.zeros((1, len(order))))
    return ranking_scores(ranking, dict(zip(gallery, labels, strict=True)))


BAD = {
    "must list all 3 other pages": lambda: scores_of([1, 2], "qabc", "xxxy"),
    "once, it has 2": lambda: scores_of([1, 2, 2], "qabc", "xxxy"),
    "must be left out of its own ranking": lambda: scores_of([0, 1], "qab", "xxy"),
    "the one label 'x'": lambda: scores_of([1, 2], "qab", "xxx"),
    "same_scan must be a pair": lambda: checked_scans("s", "q", "ab", own_gallery=False),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_named(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()

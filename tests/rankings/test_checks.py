"""Arguments are refused with their name, the page, and what would be right."""

import numpy as np
import pytest

from dgmp.rankings.checks import by_id, checked_ids, checked_ks, checked_labels, checked_vectors


def test_ids_that_are_made_up_sort_as_the_pages_stand():
    assert by_id(checked_ids(None, 1200)).tolist() == list(range(1200))


def test_labels_may_be_a_mapping_by_id():
    assert checked_labels({"b": 1, "a": 2}, ["a", "b"]) == ("2", "1")


def test_ranks_are_reported_once_and_rising():
    assert checked_ks((5, 1, 5)) == (1, 5)


BAD = {
    "4 vectors, but 3 ids": lambda: checked_ids(list("abc"), 4),
    "gallery_ids must differ from each other, 'a' comes twice": lambda: checked_ids(
        list("abca"), 4, "gallery_ids"
    ),
    "2 pages, but 1 labels": lambda: checked_labels(["x"], list("ab")),
    "that of 'b' is None": lambda: checked_labels(["x", None], list("ab")),
    "that of 'a' is nan": lambda: checked_labels([np.nan, "x"], list("ab")),
    r"has no entry for 'z' \(1 are missing\)": lambda: checked_labels({"a": 1}, list("az")),
    "must not be empty": lambda: checked_vectors(np.zeros((0, 3))),
    r"must be \(pages, dim\)": lambda: checked_vectors(np.zeros(3)),
    "must be real numbers": lambda: checked_vectors(np.eye(2, dtype=complex)),
    r"ks must be ranks from 1 up, got \(0,\)": lambda: checked_ks((0,)),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_named(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()

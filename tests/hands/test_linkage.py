"""Average linkage of calibrated log-odds: the slow way, in blocks, and cut where it is too much."""

import numpy as np
import pytest

from dgmp.hands import evidence as evidence_file
from dgmp.hands import linkage
from dgmp.hands.evidence import Evidence, part
from dgmp.hands.linkage import average_tree, cut_tree, link_pages


def members(labels):
    return {frozenset(np.flatnonzero(labels == g).tolist()) for g in np.unique(labels)}


@pytest.fixture(scope="module")
def evidence(collection, fitted):
    """Between 45 pages."""
    return Evidence.of(part(collection[0], np.arange(45)), fitted)


def slow_linkage(odds, threshold):
    """Join the two groups with the highest mean as long as it reaches the threshold."""
    groups = [[i] for i in range(len(odds))]
    while len(groups) > 1:
        best, pair = max(
            (np.mean([odds[a, b] for a in groups[i] for b in groups[j]]), (i, j))
            for i in range(len(groups))
            for j in range(i)
        )
        if best < threshold:
            break
        groups[pair[1]] += groups.pop(pair[0])
    return {frozenset(group) for group in groups}


@pytest.mark.parametrize("threshold", [-4.0, 0.0, 3.0])
def test_linkage_is_that_of_the_slow_way(evidence, threshold):
    odds = evidence.between(np.arange(45), np.arange(45))
    assert members(link_pages(evidence, threshold)) == slow_linkage(odds, threshold)


def test_the_whole_tree_cut_at_a_threshold_is_linkage_in_parts(evidence):
    tree, top = average_tree(evidence, np.arange(45))
    np.testing.assert_array_equal(cut_tree(tree, top - 1.0), link_pages(evidence, 1.0))


def test_groups_are_numbered_in_the_order_of_their_first_pages(evidence):
    groups = link_pages(evidence, 0.0)
    firsts = [int(np.flatnonzero(groups == g)[0]) for g in range(groups.max() + 1)]
    assert firsts == sorted(firsts)


def test_the_size_of_the_blocks_does_not_matter(evidence, monkeypatch):
    whole = link_pages(evidence, 0.0)
    monkeypatch.setattr(linkage, "_BLOCK", 7)
    monkeypatch.setattr(evidence_file, "_BLOCK", 7)
    np.testing.assert_array_equal(link_pages(evidence, 0.0), whole)


def test_a_part_that_is_too_large_is_cut_with_a_warning(collection, fitted, monkeypatch):
    monkeypatch.setattr(linkage, "LARGEST", 3)
    evidence = Evidence.of(collection[0], fitted)
    with pytest.warns(UserWarning, match="hang together"):
        groups = link_pages(evidence, fitted.threshold)
    assert np.bincount(groups).max() <= 3

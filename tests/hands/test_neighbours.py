"""The graph of neighbours, and the groups that it proposes."""

import numpy as np

from dgmp.hands.linkage import members_of
from dgmp.hands.neighbours import Neighbours, near_groups


def graph(pages, evidence, shorts=None):
    shorts = np.zeros((len(pages), 2)) if shorts is None else shorts
    return Neighbours(
        np.array(pages, np.int32), np.array(evidence, np.float32), np.array(shorts, np.float16)
    )


LINE = graph([[1, -1], [0, 2], [1, 3], [2, -1]], [[5, 0], [5, 1], [1, 3], [3, 0]])


def test_edges_are_those_with_enough_evidence():
    first, second = LINE.edges(3.0)
    assert set(zip(first.tolist(), second.tolist(), strict=True)) == {
        (0, 1),
        (1, 0),
        (2, 3),
        (3, 2),
    }


def test_a_neighbour_that_is_not_there_is_no_edge():
    first, _ = LINE.edges(-10.0)
    assert len(first) == 6


def test_every_pair_is_there_once():
    first, second, evidence = LINE.pairs()
    assert list(zip(first, second, evidence, strict=True)) == [(0, 1, 5), (1, 2, 1), (2, 3, 3)]


def test_groups_are_near_by_the_evidence_of_the_pairs_across():
    pages = graph(
        [[1, 2, -1, -1], [0, 3, -1, -1], [0, 4, -1, -1], [1, 4, -1, -1], [2, 3, -1, -1]],
        [[9, 2, 0, 0], [9, 4, 0, 0], [2, 1, 0, 0], [4, 0, 0, 0], [1, 0, 0, 0]],
    )
    groups = np.array([0, 0, 1, 2, 3])
    found = near_groups(pages, groups, members_of(groups), 2)
    assert found[0].tolist() == [2, 1]
    assert found[3].tolist() == [1, 2]


def test_a_group_with_more_pages_than_neighbours_is_compared_by_means():
    generator = np.random.default_rng(0)
    groups = np.repeat([0, 1, 2], 10)
    shorts = np.array([[1, 0], [0.9, 0.4], [-1, 0]])[groups] + generator.normal(0, 0.1, (30, 2))
    own = [[(page + 1) % 10 + page // 10 * 10, -1] for page in range(30)]
    found = near_groups(graph(own, np.zeros((30, 2)), shorts), groups, members_of(groups), 1)
    assert found.tolist() == [[1], [0], [1]]

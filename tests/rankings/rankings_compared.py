"""Whether a Ranking orders pages by a table of similarities."""

import numpy as np

ATOL = 1e-6  # cosines are of rows rounded to 2⁻²⁶


def assert_ranks_by(ranking, table):
    expected = np.take_along_axis(table, ranking.order, axis=1)
    np.testing.assert_allclose(ranking.similarities, expected, rtol=0, atol=ATOL)
    assert (np.diff(ranking.similarities, axis=1) <= 0).all()
    for page, row in enumerate(ranking.order):
        assert sorted([page, *row]) == list(range(len(table)))


def assert_same_ranking(found, expected):
    assert found.query_ids == expected.query_ids
    np.testing.assert_array_equal(found.order, expected.order)
    np.testing.assert_array_equal(found.similarities, expected.similarities)

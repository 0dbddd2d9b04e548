"""Cosines are exact, whatever the place of a row, and rows without a direction are named."""

import numpy as np
import pytest

from dgmp.rankings.cosines import similarity_blocks, unit_rows, whole_rows

from . import slow_references as slow

IDS = [f"p{n}" for n in range(200)]


def exact_cosines(vectors):
    rows = whole_rows(vectors, IDS)
    return np.vstack([block.copy() for _, block in similarity_blocks(rows, rows)])


def test_cosines_are_within_the_promised_error():
    vectors = np.random.default_rng(0).standard_normal((50, 300))
    np.testing.assert_allclose(exact_cosines(vectors), slow.cosines(vectors), rtol=0, atol=1e-7)


def test_copies_of_one_page_are_equally_near_whatever_their_place():
    vectors = np.random.default_rng(4).standard_normal((101, 2048)).astype(np.float32)
    vectors[1:] = vectors[1]
    assert len(np.unique(exact_cosines(vectors)[0, 1:])) == 1


def test_the_table_of_pages_with_each_other_is_symmetric_to_the_bit():
    table = exact_cosines(np.random.default_rng(1).standard_normal((70, 130)))
    np.testing.assert_array_equal(table, table.T)


def test_rows_of_any_length_become_unit_rows():
    vectors = (
        np.random.default_rng(2).standard_normal((9, 5)) * 10.0 ** np.arange(-160, 200, 40)[:, None]
    )
    np.testing.assert_allclose(np.linalg.norm(unit_rows(vectors, IDS), axis=1), 1)


def test_rows_without_a_direction_are_named():
    with pytest.raises(ValueError, match="vectors: the row of 'p1' is not finite"):
        unit_rows(np.array([[1.0, 0.0], [np.inf, 1.0]]), IDS)
    with pytest.raises(ValueError, match="gallery: the row of 'p0' is all zero"):
        unit_rows(np.zeros((2, 3)), IDS, "gallery")

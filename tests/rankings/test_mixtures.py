"""A sparse W against the dense one, and what identity, scaling and cancelling do."""

import numpy as np
import pytest

from dgmp.rankings import cosines as cosines_file
from dgmp.rankings.mixtures import Mixture, mixed_cosines

from .clustered_pages import clustered_pages
from .slow_references import cosines

IDS = [f"p{n}" for n in range(40)]


def random_mixture(seed=0, pages=40, terms=3):
    generator = np.random.default_rng(seed)
    places = np.stack([generator.choice(pages, terms, replace=False) for _ in range(pages)])
    return Mixture(places, generator.uniform(0.1, 1, size=places.shape))


def dense(mixture):
    table = np.zeros((len(mixture.places), len(mixture.places)))
    np.put_along_axis(table, mixture.places, mixture.weights, axis=1)
    return table


def joined(blocks):
    return np.vstack([block for _, block in blocks])


def test_products_are_those_of_the_dense_matrix():
    mixture, table = random_mixture(), np.random.default_rng(1).standard_normal((40, 40))
    w = dense(mixture)
    np.testing.assert_allclose(mixture.mix_rows(table), w @ table)
    np.testing.assert_allclose(mixture.mix_rows(table, 7, 11), (w @ table)[7:11])
    np.testing.assert_allclose(mixture.mix_columns(table), table @ w.T)


def test_own_rows_come_first_with_weight_one():
    mixture = Mixture.with_own_rows(np.array([[1], [0]]), [[0.5], [0.0]])
    np.testing.assert_array_equal(dense(mixture), [[1, 0.5], [0, 1]])


def test_the_identity_changes_no_cosine():
    table = cosines(clustered_pages(0)[0])
    np.fill_diagonal(table, 1)
    identity = Mixture(np.arange(40)[:, None], np.ones((40, 1)))
    np.testing.assert_allclose(joined(mixed_cosines(table, identity, IDS)), table, atol=1e-12)


def test_cosines_of_sums_follow_from_cosines():
    vectors = clustered_pages(0)[0]
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    mixture = random_mixture()
    found = joined(mixed_cosines(unit @ unit.T, mixture, IDS))
    np.testing.assert_allclose(found, cosines(dense(mixture) @ unit), atol=1e-11)


def test_the_scale_of_a_row_of_w_does_not_matter():
    table = cosines(clustered_pages(0)[0])
    mixture = random_mixture()
    scaled = Mixture(mixture.places, mixture.weights * np.linspace(0.1, 9, 40)[:, None])
    found = joined(mixed_cosines(table, scaled, IDS))
    np.testing.assert_allclose(found, joined(mixed_cosines(table, mixture, IDS)), atol=1e-11)


def test_blocks_of_any_size_give_the_very_same_cosines(monkeypatch):
    table, mixture = cosines(clustered_pages(0)[0]), random_mixture()
    whole = joined(mixed_cosines(table, mixture, IDS))
    monkeypatch.setattr(cosines_file, "BLOCK_BYTES", 7 * 8 * 40)
    blocks = list(mixed_cosines(table, mixture, IDS))
    assert len(blocks) == 6
    np.testing.assert_array_equal(joined(blocks), whole)


def test_a_sum_without_direction_is_named():
    table = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    mixture = Mixture.with_own_rows(np.array([[2], [0], [0]]), np.ones((3, 1)))
    with pytest.raises(ValueError, match="'b' and its neighbours cancel each other out"):
        next(mixed_cosines(table, mixture, ["a", "b", "c"]))

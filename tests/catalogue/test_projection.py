"""Short vectors: what a projection keeps, and files that cannot be used."""

import numpy as np
import pytest

from dgmp.catalogue import projection as room
from dgmp.catalogue import rounded, unrounded
from dgmp.catalogue.projection import (
    FILE,
    Projection,
    fit_projection,
    load_projection,
    save_projection,
)


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(room, "SHORT", 16)
    monkeypatch.setattr(room, "_MORE", 8)


@pytest.fixture
def sample():
    """Rounded vectors of 60 entries that lie in 16 directions, but for rounding."""
    generator = np.random.default_rng(0)
    wide = generator.standard_normal((700, 16)) @ generator.standard_normal((16, 60))
    return rounded(wide.astype(np.float32))[0]


def test_vectors_in_few_directions_keep_their_cosines(sample):
    short, long = fit_projection(sample)(sample), unrounded(sample)
    assert short.shape == (700, 16)
    np.testing.assert_allclose(short @ short.T, long @ long.T, atol=5e-3)


def test_the_directions_are_orthonormal(sample):
    matrix = fit_projection(sample).matrix
    np.testing.assert_allclose(matrix.T @ matrix, np.eye(16), atol=1e-5)


def test_the_leading_directions_are_those_of_the_full_decomposition():
    generator = np.random.default_rng(1)
    wide = generator.standard_normal((400, 40)) * 0.8 ** np.arange(40)
    numbers, _ = rounded(wide.astype(np.float32))
    long = unrounded(numbers).astype(np.float64)
    best = np.sort(np.linalg.eigvalsh(long.T @ long))[-16:].sum()
    kept = np.square(fit_projection(numbers)(numbers).astype(np.float64)).sum()
    assert kept == pytest.approx(best, rel=1e-3)


def test_the_same_sample_gives_the_same_projection(sample):
    assert np.array_equal(fit_projection(sample).matrix, fit_projection(sample).matrix)


def test_rounded_rows_and_their_vectors_have_the_same_short_ones(sample):
    projection = fit_projection(sample)
    np.testing.assert_allclose(projection(unrounded(sample)), projection(sample), atol=1e-6)


def test_vectors_that_are_short_already_stay_as_they_are(sample):
    numbers = sample[:, :16]
    np.testing.assert_allclose(fit_projection(numbers)(numbers), unrounded(numbers), atol=1e-6)


def test_a_projection_comes_back_as_it_was_saved(tmp_path, sample):
    projection = fit_projection(sample)
    save_projection(projection, tmp_path)
    assert np.array_equal(load_projection(tmp_path, 60).matrix, projection.matrix)


def test_no_projection_comes_back_as_none_was_needed(tmp_path):
    save_projection(Projection(None), tmp_path)
    assert load_projection(tmp_path, 16).matrix is None


def test_what_is_missing_or_damaged_or_of_another_width_is_not_used(tmp_path, sample):
    assert load_projection(tmp_path, 60) is None
    save_projection(fit_projection(sample), tmp_path)
    assert load_projection(tmp_path, 61) is None
    stored = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(stored[: len(stored) // 2])
    assert load_projection(tmp_path, 60) is None


def test_a_matrix_that_is_not_that_of_the_digest_is_not_used(tmp_path, sample):
    save_projection(fit_projection(sample), tmp_path)
    with np.load(tmp_path / FILE) as stored:
        parts = dict(stored)
    parts["matrix"] = parts["matrix"] + 1
    np.savez(tmp_path / FILE, **parts)
    assert load_projection(tmp_path, 60) is None

from dataclasses import replace

import numpy as np
import pytest

from dgmp.classical import (
    RoundedMatrix,
    RoundedProjection,
    Sketch,
    fit_hard_whitening,
    fit_soft_projection,
    fit_soft_whitening,
)
from dgmp.classical.whitening import principal_directions, signed_power, unit_rows

RNG = np.random.default_rng(0)
FEW = (RNG.standard_normal((9, 30)) * np.linspace(1, 5, 30)).astype(np.float32)
MANY = (RNG.standard_normal((200, 12)) * np.linspace(1, 5, 12)).astype(np.float32)


@pytest.mark.parametrize("pages", [FEW, MANY], ids=["few", "many"])
def test_soft_whitening_is_the_formula_with_full_matrices(pages):
    centred = pages - pages.mean(0)
    values, vectors = np.linalg.eigh(centred.T @ centred / (len(pages) - 1))
    values[values < 1e-4] = 0
    a = values[values > 0].mean()
    full = vectors @ np.diag((values + a) ** -0.5) @ vectors.T
    new = RNG.standard_normal((5, pages.shape[1])).astype(np.float32)
    wanted = unit_rows((new - pages.mean(0)) @ full)
    np.testing.assert_allclose(fit_soft_whitening(pages)(new), wanted, atol=2e-5)


def test_soft_whitening_leaves_alone_what_no_fitting_page_shows():
    soft = fit_soft_whitening(FEW)
    outside = RNG.standard_normal(30)
    outside -= soft.directions @ (soft.directions.T @ outside)
    moved = soft((soft.mean + outside).astype(np.float32))
    np.testing.assert_allclose(moved, outside / np.linalg.norm(outside), atol=1e-5)


def test_fewer_directions_leave_the_others_at_the_scale_of_the_complement():
    full, some = fit_soft_whitening(FEW), fit_soft_whitening(FEW, rank=3)
    assert some.ridge == full.ridge
    np.testing.assert_array_equal(some.directions, full.directions[:, :3])
    fourth = full.directions[:, 3]
    np.testing.assert_allclose(some(some.mean + fourth), fourth, atol=1e-5)


def test_directions_in_half_precision_hardly_change_soft_whitening():
    full = fit_soft_whitening(MANY)
    half = replace(full, directions=full.directions.astype(np.float16))
    assert half(MANY).dtype == np.float32
    np.testing.assert_allclose(half(MANY), full(MANY), atol=2e-3)


def test_a_huge_ridge_changes_only_the_mean():
    soft = fit_soft_whitening(FEW, ridge=1e9)
    np.testing.assert_allclose(soft(FEW), unit_rows(FEW - FEW.mean(0)), atol=1e-5)


@pytest.mark.parametrize("pages", [FEW, MANY], ids=["few", "many"])
def test_hard_whitening_makes_all_directions_equal(pages):
    hard = fit_hard_whitening(pages, 5)
    flat = (pages - hard.mean) @ hard.projection
    np.testing.assert_allclose(np.cov(flat.T), np.eye(5), atol=1e-4)
    assert hard.dim == 5


def test_a_soft_projection_has_the_cosines_of_soft_whitening_within_the_span():
    soft, short = fit_soft_whitening(FEW), fit_soft_projection(FEW, 30)
    assert short.dim == 8
    np.testing.assert_allclose(short(FEW) @ short(FEW).T, soft(FEW) @ soft(FEW).T, atol=1e-5)
    assert fit_soft_projection(FEW, 3).dim == 3


def test_directions_are_orthonormal_and_their_variances_fall():
    _, directions, variances = principal_directions(FEW)
    np.testing.assert_allclose(directions.T @ directions, np.eye(len(variances)), atol=1e-5)
    assert (np.diff(variances) <= 0).all()
    assert len(variances) == 8


@pytest.mark.parametrize("source", [16, 17])
def test_a_sketch_of_full_width_keeps_all_inner_products(source):
    vectors = RNG.standard_normal((6, source)).astype(np.float32)
    short = Sketch(source, source, seed=1)(vectors)
    np.testing.assert_allclose(short @ short.T, vectors @ vectors.T, rtol=1e-4, atol=1e-4)


def test_a_short_sketch_keeps_cosines_nearly():
    vectors = unit_rows(RNG.standard_normal((20, 8000)) + RNG.standard_normal(8000))
    short = unit_rows(Sketch(8000, 2000)(vectors))
    assert np.abs(short @ short.T - vectors @ vectors.T).max() < 5 / 2000**0.5
    np.testing.assert_array_equal(Sketch(8000, 2000)(vectors), Sketch(8000, 2000)(vectors))
    assert not np.allclose(Sketch(8000, 2000, seed=1)(vectors), Sketch(8000, 2000)(vectors))


def test_powers_keep_signs_and_zeros_stay_zeros():
    values = np.array([-4.0, 0.0, 9.0])
    np.testing.assert_allclose(signed_power(values), [-2, 0, 3])
    np.testing.assert_allclose(signed_power(values, 1.0), values)
    assert not unit_rows(np.zeros((2, 3))).any()


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="at least two"):
        fit_soft_whitening(FEW[:1])
    with pytest.raises(ValueError, match="differ"):
        fit_soft_whitening(np.ones((4, 3), np.float32))
    with pytest.raises(ValueError, match="k must"):
        fit_hard_whitening(FEW, 0)
    with pytest.raises(ValueError, match="dim must"):
        Sketch(10, 11)
    with pytest.raises(ValueError, match="10 entries"):
        Sketch(10, 5)(np.zeros((2, 9), np.float32))


def test_rounding_a_projection_hardly_turns_vectors():
    pages = RNG.standard_normal((60, 400)).astype(np.float32)
    exact = fit_soft_projection(pages[:50], 40)
    for levels, near in ((127, 0.9999), (15, 0.99)):
        rounded = RoundedProjection(exact.mean, RoundedMatrix.of(exact.projection, levels))
        assert np.abs(rounded.projection.steps).max() == levels
        assert rounded.dim == exact.dim
        assert (rounded(pages[50:]) * exact(pages[50:])).sum(axis=1).min() > near


@pytest.mark.parametrize("levels", [0, 128])
def test_a_rounded_matrix_has_levels_that_a_byte_holds(levels):
    with pytest.raises(ValueError, match="levels must be from 1 to 127"):
        RoundedMatrix.of(FEW, levels)

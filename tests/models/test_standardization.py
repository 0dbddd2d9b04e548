"""Mean and deviation of training patches."""

import numpy as np
import pytest
from drawing import written

from dgmp.models import Standardization, fit_standardization, fit_zca

PATCHES = np.stack([written(64, 64, distance=20, letter=8, seed=seed) for seed in range(4)])


def test_standardised_training_patches_have_mean_zero_and_deviation_one():
    numbers = fit_standardization(PATCHES)(PATCHES)
    assert numbers.dtype == np.float32
    assert (numbers.mean(dtype=float), numbers.std(dtype=float)) == pytest.approx((0, 1), abs=1e-5)


def test_it_is_the_formula():
    patch = np.array([[0, 51, 255]], np.uint8)
    np.testing.assert_allclose(Standardization(0.4, 0.5)(patch), [[-0.8, -0.4, 1.2]], atol=1e-6)


def test_the_order_of_patches_does_not_matter():
    assert fit_standardization(PATCHES) == fit_standardization(PATCHES[::-1])


def test_patches_of_one_grey_cannot_be_standardised():
    with pytest.raises(ValueError, match="must differ in at least one pixel"):
        fit_standardization(np.full((2, 8, 8), 255, np.uint8))


def test_no_patches_cannot_be_standardised():
    with pytest.raises(ValueError, match="must differ in at least one pixel"):
        fit_standardization([])


def test_patches_of_another_type_are_refused():
    with pytest.raises(ValueError, match="8-bit grey, got float64"):
        fit_standardization([np.zeros((8, 8))])


def neighbours(numbers, apart):
    """The correlation of pixels that lie so far apart, beside and below each other."""
    beside = np.mean(numbers[..., :, apart:] * numbers[..., :, :-apart])
    below = np.mean(numbers[..., apart:, :] * numbers[..., :-apart, :])
    return max(abs(beside), abs(below)) / np.mean(np.square(numbers))


def test_zca_takes_the_likeness_of_neighbours_away_and_keeps_the_deviation():
    plain = fit_standardization(PATCHES)
    whitened = fit_zca(PATCHES, plain, 7)
    numbers = whitened(PATCHES)
    assert numbers.std() == pytest.approx(1, abs=0.02)
    assert neighbours(plain(PATCHES), 1) > 0.5
    assert neighbours(numbers, 1) < 0.2
    assert (whitened.mean, whitened.std) == (plain.mean, plain.std)


def test_what_a_pixel_becomes_by_zca_is_mostly_the_pixel():
    kernel = np.abs(fit_zca(PATCHES, fit_standardization(PATCHES), 7).zca)
    assert kernel[3, 3] > 2 * np.delete(kernel.ravel(), 24).max()


def test_noise_without_neighbours_stays_as_it_is():
    noise = np.random.default_rng(0).integers(0, 256, (8, 64, 64)).astype(np.uint8)
    kernel = np.array(fit_zca(noise, fit_standardization(noise), 3).zca)
    assert kernel[1, 1] == pytest.approx(1, abs=0.02)
    assert np.abs(np.delete(kernel.ravel(), 4)).max() < 0.05


def test_patches_smaller_than_the_filter_are_refused():
    with pytest.raises(ValueError, match="needs patches of that size"):
        fit_zca([], Standardization(0.5, 0.5), 9)

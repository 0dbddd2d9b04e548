"""Mean and deviation of training patches."""

import numpy as np
import pytest
from drawing import written

from dgmp.models import Standardization, fit_standardization

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

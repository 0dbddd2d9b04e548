"""Vectors in a byte per entry: what rounding changes, and what it does not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dgmp.catalogue import rounded, unrounded
from dgmp.catalogue.rounding import products, scales


def drawn(seed, pages, dim):
    vectors = np.random.default_rng(seed).standard_normal((pages, dim)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@given(st.integers(0, 99), st.integers(1, 40))
@settings(deadline=None)
def test_rounding_twice_changes_nothing(seed, dim):
    once, _ = rounded(drawn(seed, 5, dim))
    twice, _ = rounded(unrounded(once))
    assert np.array_equal(twice, once)


@given(st.integers(0, 99), st.integers(1, 40))
@settings(deadline=None)
def test_an_entry_is_off_by_half_a_step_at_most(seed, dim):
    vectors = drawn(seed, 5, dim)
    numbers, steps = rounded(vectors)
    assert np.all(np.abs(numbers * steps[:, None] - vectors) <= 0.5001 * steps[:, None])


@given(st.integers(0, 99), st.integers(1, 40))
@settings(deadline=None)
def test_what_comes_back_has_unit_length(seed, dim):
    numbers, _ = rounded(drawn(seed, 5, dim))
    assert np.allclose(np.linalg.norm(unrounded(numbers), axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("dim", [512, 15_360])
def test_a_cosine_moves_by_less_than_two_thousandths(dim):
    vectors = drawn(1, 60, dim)
    after = unrounded(rounded(vectors)[0])
    assert np.abs(after @ after.T - vectors @ vectors.T).max() < 2e-3


def test_the_sign_of_a_vector_is_the_sign_of_its_numbers():
    vectors = drawn(2, 3, 9)
    assert np.array_equal(rounded(-vectors)[0], -rounded(vectors)[0])


def test_a_vector_of_zeros_stays_one():
    numbers, steps = rounded(np.zeros((1, 4), np.float32))
    assert (numbers.any(), unrounded(numbers).any(), steps[0]) == (False, False, 1)


@pytest.mark.parametrize("dim", [3, 512, 70_000])
def test_products_are_those_of_the_widened_rows(dim):
    numbers, _ = rounded(drawn(3, 7, dim))
    (vector,) = drawn(4, 1, dim)
    expected = numbers.astype(np.float64) @ vector.astype(np.float64)
    np.testing.assert_allclose(products(numbers, vector), expected, rtol=1e-4, atol=1e-3)


def test_a_scale_brings_its_row_to_unit_length():
    numbers, _ = rounded(drawn(5, 7, 30))
    lengths = np.linalg.norm(numbers.astype(np.float64), axis=1)
    np.testing.assert_allclose(scales(numbers) * lengths, 1, rtol=1e-6)

"""The pieces the solvers are made of."""

import pytest
import torch

from dgmp.pooling.solvers import cholesky_in_place, lower_gram


@pytest.mark.parametrize("order", [1, 79, 160, 333])
def test_the_gram_matrix_in_strips_is_the_gram_matrix(order):
    matrix = torch.randn(3, 20, order, dtype=torch.float64)
    torch.testing.assert_close(lower_gram(matrix).tril(), (matrix.mT @ matrix).tril())


@pytest.mark.parametrize("order", [1, 5, 200])
def test_the_factor_takes_the_place_of_its_matrix(order):
    matrix = torch.randn(3, 2 * order, order, dtype=torch.float64)
    gram = matrix.mT @ matrix
    factor, broken = cholesky_in_place(gram.clone())
    torch.testing.assert_close(factor, torch.linalg.cholesky(gram))
    assert (broken == 0).all()


def test_a_broken_factorisation_is_reported():
    gram = torch.eye(3).repeat(2, 1, 1)
    gram[1, 2, 2] = -1
    assert cholesky_in_place(gram)[1].bool().tolist() == [False, True]

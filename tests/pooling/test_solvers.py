"""The pieces the solvers are made of."""

import pytest
import torch

from dgmp.pooling.solvers import cholesky_in_place, direct_solver, rows_times, upper_gram


@pytest.mark.parametrize("order", [1, 79, 160, 333])
def test_the_gram_matrix_in_strips_is_the_gram_matrix(order):
    matrix = torch.randn(3, 20, order, dtype=torch.float64)
    torch.testing.assert_close(upper_gram(matrix).triu(), (matrix.mT @ matrix).triu())


@pytest.mark.parametrize("order", [1, 5, 96, 97, 200])
def test_the_factor_takes_the_place_of_its_matrix_and_solves_with_it(order):
    matrix = torch.randn(3, 2 * order, order, dtype=torch.float64)
    gram = upper_gram(matrix)
    factor, broken = cholesky_in_place(gram)
    assert factor.data_ptr() == gram.data_ptr()
    assert (broken == 0).all()
    right = torch.randn(3, order, dtype=torch.float64)
    solution = direct_solver(matrix, factor)(right)
    torch.testing.assert_close(rows_times(solution, matrix.mT @ matrix), right)


def test_a_broken_factorisation_is_reported():
    gram = torch.eye(3).repeat(2, 1, 1)
    gram[1, 2, 2] = -1
    assert cholesky_in_place(gram)[1].bool().tolist() == [False, True]

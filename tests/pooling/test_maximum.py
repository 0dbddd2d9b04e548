"""Max pooling against its formula."""

import pytest
import torch

from dgmp.pooling import maximum as maxima
from dgmp.pooling.maximum import MaxPool

from .feature_maps import SIGNS, check_formula

TIES = torch.tensor([[[0.0, 0, 0, 0], [1, 3, 2, 3], [-2, -5, -2, -2]]])
FIRST = [[[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]]]


def maximum(x, pooling):
    return [max(row) for row in x]


@SIGNS
def test_it_is_its_formula(low):
    check_formula(MaxPool, maximum, low)


@pytest.mark.parametrize("counted", [2**24, 4], ids=["counted", "too many to count"])
@pytest.mark.parametrize("weights", [None, torch.ones(1, 4)], ids=["plain", "weighted"])
def test_the_first_of_those_that_share_a_maximum_gets_its_gradient(weights, counted, monkeypatch):
    monkeypatch.setattr(maxima, "_COUNTED", counted)
    features = TIES.clone().requires_grad_()
    MaxPool()(features, weights).sum().backward()
    assert features.grad.tolist() == FIRST


def test_an_infinite_maximum_has_a_place():
    features = torch.tensor([[[0.0, torch.inf, 1.0]]], requires_grad=True)
    MaxPool()(features).backward(torch.ones(1, 1))
    assert features.grad.tolist() == [[[0, 1, 0]]]

"""SALAD against its formula."""

import numpy as np
import torch

from dgmp.pooling.salad import SaladPool

from .feature_maps import CHANNELS, POSITIONS, SIGNS, check_formula, close, random_map

CLUSTERS = 3


def perceptron(layers, token):
    first, last = ((x.weight.detach().numpy(), x.bias.detach().numpy()) for x in layers)
    return last[0] @ np.maximum(first[0] @ token + first[1], 0) + last[1]


def salad(x, pooling):
    """Rows and columns scaled in turn, three times; the bin is the last row."""
    scores = [[*perceptron(pooling.score, token), pooling.bin_score.item()] for token in x.T]
    plan = np.exp(np.array(scores).T)
    masses = [1] * CLUSTERS + [POSITIONS - CLUSTERS]
    for _ in range(3):
        plan *= (masses / plan.sum(axis=1))[:, None]
        plan /= plan.sum(axis=0)
    local = np.array([perceptron(pooling.local, token) for token in x.T])
    sums = plan[:CLUSTERS] @ local
    return (sums / np.linalg.norm(sums, axis=1, keepdims=True)).reshape(-1)


@SIGNS
def test_it_is_its_formula(low):
    check_formula(lambda: SaladPool(CHANNELS, CLUSTERS, 5, hidden=6), salad, low)


def test_what_goes_to_the_bin_is_lost_to_the_clusters():
    torch.manual_seed(0)
    pooling = SaladPool(CHANNELS, CLUSTERS, iterations=100).double()
    scores = torch.randn(2, CLUSTERS, POSITIONS, dtype=torch.float64)
    plan = pooling._plan(scores, None)
    close(plan.sum(dim=2).detach(), np.ones((2, CLUSTERS)))
    assert (plan.sum(dim=1) < 1).all()


def test_fewer_positions_than_clusters_leave_the_bin_empty():
    pooling = SaladPool(CHANNELS, 10).double()
    plan = pooling._plan(torch.randn(2, 10, POSITIONS, dtype=torch.float64), None)
    close(plan.sum(dim=1).detach(), np.ones((2, POSITIONS)))
    assert pooling(random_map()).isfinite().all()

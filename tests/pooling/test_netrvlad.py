"""NetRVLAD against its formula."""

import numpy as np

from dgmp.pooling.netrvlad import NetRvladPool

from .feature_maps import CHANNELS, SIGNS, check_formula, softmax


def netrvlad(x, pooling):
    weight, bias = pooling.assignment.weight.detach().numpy(), pooling.assignment.bias.tolist()
    centers = pooling.centers.detach().numpy()
    sums = np.zeros_like(centers)
    for position in x.T:
        assigned = softmax(weight @ position + bias)
        for k in range(len(centers)):
            sums[k] += assigned[k] * (position - centers[k])
    return sums.reshape(-1)


@SIGNS
def test_it_is_its_formula(low):
    check_formula(lambda: NetRvladPool(CHANNELS), netrvlad, low)


def test_netrvlad_has_a_hundred_clusters():
    assert NetRvladPool(CHANNELS).out_channels == 100 * CHANNELS

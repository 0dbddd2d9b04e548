"""SimPool against its formula."""

import math

import numpy as np

from dgmp.pooling.simpool import SimPool

from .feature_maps import CHANNELS, SIGNS, check_formula, close, random_map, softmax


def simpool(x, pooling):
    """With the layer norm at its start: no scale, no shift."""
    normed = [(p - p.mean()) / math.sqrt(p.var() + 1e-6) for p in x.T]
    query = pooling.query.weight.detach().numpy() @ x.mean(axis=1)
    keys = [pooling.key.weight.detach().numpy() @ token for token in normed]
    attention = softmax([query @ key / math.sqrt(len(x)) for key in keys])
    values = [token - np.min(normed) + 1e-6 for token in normed]
    return np.sqrt(sum(a * value**2 for a, value in zip(attention, values, strict=True)))


@SIGNS
def test_it_is_its_formula(low):
    check_formula(lambda: SimPool(CHANNELS), simpool, low)


def test_simpool_of_one_image_does_not_depend_on_the_others():
    pooling = SimPool(CHANNELS).double()
    features = random_map()
    close(pooling(features)[:1].detach(), pooling(features[:1]).detach())

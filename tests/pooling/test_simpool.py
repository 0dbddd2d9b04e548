"""SimPool against its formula."""

import math

import numpy as np
import pytest
import torch

from dgmp.pooling.simpool import SimPool

from .feature_maps import CHANNELS, SIGNS, check_formula, close, random_map, softmax


def simpool(x, pooling):
    """With the layer norm at its start: no scale, no shift."""
    normed = [(p - p.mean()) / math.sqrt(p.var() + 1e-6) for p in x.T]
    query = pooling.query.weight.detach().numpy() @ x.mean(axis=1)
    keys = [pooling.key.weight.detach().numpy() @ token for token in normed]
    attention = softmax([query @ key / math.sqrt(len(x)) for key in keys])
    least = np.min(normed, axis=0 if pooling.per_channel else None)
    values = [token - least + 1e-6 for token in normed]
    return np.sqrt(sum(a * value**2 for a, value in zip(attention, values, strict=True)))


@SIGNS
@pytest.mark.parametrize("per_channel", [False, True])
def test_it_is_its_formula(low, per_channel):
    check_formula(lambda: SimPool(CHANNELS, per_channel=per_channel), simpool, low)


def test_a_minimum_per_channel_ignores_absent_positions():
    pooling = SimPool(CHANNELS, per_channel=True).double()
    features, present = random_map(-1.0), torch.arange(7).expand(2, 7) < 5
    padded = features.masked_fill(~present.unsqueeze(1), 1e30)
    close(pooling(padded, present).detach(), pooling(features[:, :, :5]).detach())


def test_simpool_of_one_image_does_not_depend_on_the_others():
    pooling = SimPool(CHANNELS).double()
    features = random_map()
    close(pooling(features)[:1].detach(), pooling(features[:1]).detach())

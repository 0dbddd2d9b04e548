"""What every pooling has from the layer they share."""

import pytest
import torch
from torch import nn

from dgmp.pooling.layer import pooling_parameters

from .small_poolings import CHANNELS, close, every_pooling, make, random_features, random_weights


@every_pooling
def test_normalize_gives_rows_of_unit_length(name):
    pooled = make(name, normalize=True)(random_features(3, CHANNELS, 12))
    close(pooled.norm(dim=1), torch.ones(3, dtype=torch.float64))
    raw = make(name, normalize=False)(random_features(3, CHANNELS, 12))
    close(raw / raw.norm(dim=1, keepdim=True), pooled)


@every_pooling
def test_wrong_shapes_are_named(name):
    pooling = make(name)
    with pytest.raises(ValueError, match=r"built for 5 channels, got features with 7: \(2, 7, 4\)"):
        pooling(random_features(2, 7, 4))
    with pytest.raises(ValueError, match=r"got torch.float64 of shape \(2, 5\)"):
        pooling(random_features(2, CHANNELS))
    with pytest.raises(ValueError, match=r"shape \(2, 3, 4\) for .* got \(2, 12\)"):
        pooling(random_features(2, CHANNELS, 3, 4), random_weights(2, 12))


@every_pooling
def test_the_parameters_of_a_pooling_are_found_inside_a_model(name):
    pooling = make(name)
    model = nn.Sequential(nn.Conv2d(3, CHANNELS, 1), pooling, nn.Linear(pooling.out_channels, 2))
    assert {id(p) for p in pooling_parameters(model)} == {id(p) for p in pooling.parameters()}

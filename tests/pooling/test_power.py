"""Power normalization of what another pooling gives."""

import pytest
import torch

from dgmp.pooling.average import AveragePool
from dgmp.pooling.mixed import MixedPool
from dgmp.pooling.netrvlad import NetRvladPool
from dgmp.pooling.power import PowerNormalized

from .feature_maps import CHANNELS, POSITIONS, close, random_map


def test_power_normalization_takes_the_signed_root_and_then_the_length():
    features = random_map(low=-1.0)
    means = features.mean(dim=2)
    rooted = means.sign() * means.abs().sqrt()
    close(PowerNormalized(AveragePool(), normalize=False)(features), rooted)
    close(PowerNormalized(AveragePool())(features), rooted / rooted.norm(dim=1, keepdim=True))


def test_power_normalization_hands_on_weights_and_widths():
    pooling = PowerNormalized(NetRvladPool(CHANNELS, clusters=3), power=1.0, normalize=False)
    assert (pooling.channels, pooling.out_channels) == (CHANNELS, 3 * CHANNELS)
    features, mask = random_map(), torch.arange(POSITIONS).expand(2, -1) < 3
    pooling = pooling.double()
    close(pooling(features, mask), pooling.pooling(features[:, :, :3]).detach())


@pytest.mark.parametrize("normalize", [False, True])
def test_power_normalization_has_finite_gradients_at_zero(normalize):
    features = random_map()
    features[0] = 0
    features[1, 2] = 0
    features.requires_grad_()
    PowerNormalized(AveragePool(), normalize=normalize)(features).sum().backward()
    assert features.grad.isfinite().all()
    assert not features.grad[0].any()


def test_power_normalization_passes_gradcheck_away_from_zero():
    pooling = PowerNormalized(MixedPool(), power=0.3).double()
    assert torch.autograd.gradcheck(pooling, (random_map(low=-1.0).requires_grad_(),))

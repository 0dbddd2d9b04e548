"""Generalized max pooling with learned attention."""

import pytest
import torch
from torch.testing import assert_close

from dgmp.pooling import AttentiveGeneralizedMaxPool, GeneralizedMaxPool

from .feature_maps import feature_map


def test_attention_starts_as_plain_gmp_and_learns():
    features = feature_map(6, dtype=torch.float32)
    layer = AttentiveGeneralizedMaxPool(6, 0.1, relative=True)
    assert_close(layer(features), GeneralizedMaxPool(0.1, relative=True)(features))
    layer(features)[:, 0].sum().backward()
    assert layer.score.weight.grad.abs().sum() > 0


def test_features_with_other_channels_are_refused():
    with pytest.raises(ValueError, match="built for 4 channels, got features with 5"):
        AttentiveGeneralizedMaxPool(4)(torch.randn(2, 5, 3, 3))

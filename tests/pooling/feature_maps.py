"""Feature maps for the tests of generalized max pooling."""

import pytest
import torch

RELATIVE = pytest.mark.parametrize("relative", [False, True], ids=["absolute", "relative"])


def feature_map(channels, height=4, width=5, batch=3, dtype=torch.float64):
    generator = torch.Generator().manual_seed(channels)
    return torch.randn(batch, channels, height, width, generator=generator, dtype=dtype) + 0.3

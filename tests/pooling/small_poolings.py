"""Small poolings of every kind of the table, and features for them."""

import pytest
import torch
from torch.testing import assert_close

from dgmp.pooling.zoo import POOLINGS, make_pooling

CHANNELS = 5
SMALL = {
    "democratic": {"iterations": 2},
    "gamma-democratic": {"iterations": 2},
    "isqrt-cov": {"reduced": 4, "iterations": 2},
    "netrvlad": {"clusters": 3},
    "salad": {"clusters": 3, "width": 4, "hidden": 6, "iterations": 2},
    "gsp": {"prototypes": 3},
}
TOLERANCES = {
    torch.float64: {"rtol": 1e-9, "atol": 1e-10},
    torch.float32: {"rtol": 2e-4, "atol": 1e-5},
    torch.float16: {"rtol": 2e-3, "atol": 2e-3},
    torch.bfloat16: {"rtol": 1e-2, "atol": 1e-2},
}

PAPER = "gmp of the paper"
every_pooling = pytest.mark.parametrize("name", [*POOLINGS, PAPER])


def make(name, dtype=torch.float64, seed=0, **options):
    """A small pooling away from its start, where gates and the like are zero."""
    torch.manual_seed(seed)
    if name == PAPER:
        name, options = "gmp", {"ridge": 1e3, **options}
    pooling = make_pooling(name, channels=CHANNELS, **SMALL.get(name, {}), **options).to(dtype)
    with torch.no_grad():
        for parameter in pooling.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return pooling


def random_features(*shape, dtype=torch.float64, seed=1):
    """Positive and all different, so that max and GeM are smooth there."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.rand(shape, generator=generator, dtype=torch.float64) + 0.1).to(dtype)


def random_weights(*shape, dtype=torch.float64, seed=2):
    return random_features(*shape, dtype=dtype, seed=seed)


def close(actual, expected):
    assert_close(actual, expected, **TOLERANCES[actual.dtype])

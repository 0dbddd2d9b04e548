"""Feature maps for the tests of poolings, and a check against a formula in slow, obvious numpy."""

import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.testing import assert_close

CHANNELS, POSITIONS = 4, 7
TOLERANCE = {"rtol": 1e-9, "atol": 1e-12}  # float64 throughout
SIGNS = pytest.mark.parametrize("low", [0.0, -1.0], ids=["non-negative", "signed"])
RELATIVE = pytest.mark.parametrize("relative", [False, True], ids=["absolute", "relative"])


def feature_map(channels, height=4, width=5, batch=3, dtype=torch.float64):
    generator = torch.Generator().manual_seed(channels)
    return torch.randn(batch, channels, height, width, generator=generator, dtype=dtype) + 0.3


def random_map(low=0.0, channels=CHANNELS, positions=POSITIONS, seed=0):
    generator = torch.Generator().manual_seed(seed)
    uniform = torch.rand(2, channels, positions, generator=generator, dtype=torch.float64)
    return low + (1 - low) * uniform


def close(actual, expected):
    assert_close(actual, torch.as_tensor(np.asarray(expected)), **TOLERANCE)


def check_formula(kind, formula, low):
    """What a pooling gives, its gates away from their start, is ``formula(x, pooling)``."""
    torch.manual_seed(0)
    pooling = kind().double()
    features = random_map(low)
    for gate in [p for key, p in pooling.named_parameters() if "gate" in key]:
        nn.init.normal_(gate)
    close(pooling(features), [formula(x.numpy(), pooling) for x in features])


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def softmax(scores):
    exps = [math.exp(score) for score in scores]
    return np.array(exps) / sum(exps)

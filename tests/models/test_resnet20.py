"""ResNet-20 for patches of 32×32 pixels."""

import torch
from torch.testing import assert_close

from dgmp.models import resnet20
from dgmp.models.resnet20 import PadChannels


def test_patch_of_32_pixels_gives_8_by_8_positions_of_64_channels():
    assert resnet20().features(torch.rand(2, 3, 32, 32)).shape == (2, 64, 8, 8)


def test_strided_stem_gives_4_by_4_positions():
    model = resnet20(stem_stride=2)
    assert model.stride == 8
    assert model.features(torch.rand(2, 3, 32, 32)).shape == (2, 64, 4, 4)


def test_it_has_the_270_thousand_parameters_of_the_paper():
    count = sum(parameter.numel() for parameter in resnet20(classes=10).parameters())
    assert round(count / 1e6, 2) == 0.27


def test_nineteen_convolutions_and_one_linear_layer_make_twenty():
    names = resnet20(classes=10).state_dict()
    weights = [name for name in names if "conv" in name or name == "fc.weight"]
    assert len(weights) == 20


def test_shortcut_keeps_every_second_pixel_and_adds_silent_channels():
    x = torch.rand(1, 4, 5, 5)
    shortcut = PadChannels()(x)
    assert shortcut.shape == (1, 8, 3, 3)
    assert_close(shortcut[:, 2:6], x[:, :, ::2, ::2])
    assert_close(shortcut[:, [0, 1, 6, 7]], torch.zeros(1, 4, 3, 3))

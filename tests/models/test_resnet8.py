"""ResNet-8 for patches of pages."""

import torch
from torch.nn import functional as F
from torch.testing import assert_close

from dgmp.models import resnet8


def test_a_patch_of_64_pixels_gives_4_by_4_positions_of_128_channels():
    assert resnet8().features(torch.rand(2, 3, 64, 64)).shape == (2, 128, 4, 4)


def test_every_block_begins_as_its_shortcut():
    block, x = resnet8().layer2, torch.rand(1, 32, 8, 8)
    assert_close(block(x), F.relu(block.downsample(x)))

"""ResNet-8: a network for patches of pages that learns within minutes on a CPU.

A 5×5 stem of stride 2 and a max pooling keep the detail of strokes that a stem of stride 4 loses;
then three basic blocks of 32, 64 and 128 channels. Shortcuts that halve the map average it first
(He et al. 2019, ResNet-D), and every block begins as its shortcut: the last scale of its branch is
zero at the start (Goyal et al. 2017).
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F

from .backbone import Backbone, check_option, start_weights
from .resnet import BasicBlock


class ResNet8(Backbone):
    """See :func:`resnet8`."""

    stride = 16
    map_channels = 128
    mean = (0.5, 0.5, 0.5)  # there are no published weights: any fixed values do
    std = (0.5, 0.5, 0.5)

    def __init__(self, *, pooling: nn.Module | None, classes: int | None, in_channels: int) -> None:
        super().__init__()
        check_option("in_channels", in_channels, (1, 3))
        self.in_channels = in_channels
        self.conv1 = nn.Conv2d(in_channels, 32, 5, stride=2, padding=2, bias=False)
        self.bn1 = nn.BatchNorm2d(32)
        self.layer1 = BasicBlock(32, 32)
        self.layer2 = _halving_block(64)
        self.layer3 = _halving_block(128)
        start_weights(self)
        for block in (self.layer1, self.layer2, self.layer3):
            nn.init.zeros_(block.bn2.weight)
        self.attach_head(pooling, classes)

    def features(self, images: Tensor) -> Tensor:  # (B, in_channels, H, W) -> (B, 128, h, w)
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(images))), 2, ceil_mode=True)
        return self.layer3(self.layer2(self.layer1(x)))


def resnet8(
    *, pooling: nn.Module | None = None, classes: int | None = None, in_channels: int = 3
) -> ResNet8:
    """128-channel map of total stride 16."""
    return ResNet8(pooling=pooling, classes=classes, in_channels=in_channels)


def _halving_block(width: int) -> BasicBlock:
    shortcut = nn.Sequential(
        nn.AvgPool2d(2, ceil_mode=True, count_include_pad=False),
        nn.Conv2d(width // 2, width, 1, bias=False),
        nn.BatchNorm2d(width),
    )
    return BasicBlock(width // 2, width, stride=2, downsample=shortcut)

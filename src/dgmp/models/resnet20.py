"""ResNet-20 for patches of 32×32 pixels.

The CIFAR network of He, Zhang, Ren, Sun (CVPR 2016, section 4.2): a 3×3 stem, three stages of
three basic blocks with 16, 32 and 64 channels, and shortcuts without parameters (their option A:
every second pixel, new channels zero).
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F

from .backbone import Backbone, check_option, start_weights
from .resnet import BasicBlock


class PadChannels(nn.Module):
    """Option A: halve the map by leaving out pixels, double the channels by adding zeros."""

    def forward(self, x: Tensor) -> Tensor:  # (B, C, h, w) -> (B, 2C, ⌈h/2⌉, ⌈w/2⌉)
        extra = x.shape[1] // 2
        return F.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, extra, extra))


class ResNet20(Backbone):
    """See :func:`resnet20`."""

    map_channels = 64
    mean = (0.5, 0.5, 0.5)  # there are no published weights: any fixed values do
    std = (0.5, 0.5, 0.5)

    def __init__(
        self,
        *,
        pooling: nn.Module | None,
        classes: int | None,
        stem_stride: int,
        in_channels: int,
    ) -> None:
        super().__init__()
        check_option("stem_stride", stem_stride, (1, 2))
        check_option("in_channels", in_channels, (1, 3))
        self.in_channels = in_channels
        self.stride = 4 * stem_stride
        self.conv1 = nn.Conv2d(in_channels, 16, 3, stem_stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        self.layer1 = nn.Sequential(*(BasicBlock(16, 16) for _ in range(3)))
        self.layer2 = _halving_stage(32)
        self.layer3 = _halving_stage(64)
        start_weights(self)
        self.attach_head(pooling, classes)

    def features(self, images: Tensor) -> Tensor:  # (B, in_channels, H, W) -> (B, 64, h, w)
        x = F.relu(self.bn1(self.conv1(images)))
        return self.layer3(self.layer2(self.layer1(x)))


def resnet20(
    *,
    pooling: nn.Module | None = None,
    classes: int | None = None,
    stem_stride: int = 1,
    in_channels: int = 3,
) -> ResNet20:
    """64-channel map: 8×8 for a patch of 32×32 pixels, 4×4 with ``stem_stride=2``."""
    return ResNet20(
        pooling=pooling, classes=classes, stem_stride=stem_stride, in_channels=in_channels
    )


def _halving_stage(width: int) -> nn.Sequential:
    first = BasicBlock(width // 2, width, stride=2, downsample=PadChannels())
    return nn.Sequential(first, BasicBlock(width, width), BasicBlock(width, width))

"""ResNet-18, -34 and -50 under the parameter names of torchvision.

He, Zhang, Ren, Sun: Deep residual learning for image recognition (CVPR 2016). A state dict of
torchvision's nets loads as it is, and one of ours loads there, as long as the pooling has no
parameters.

Two nets are called ResNet-50. The original (v1) halves the map in the first 1×1 convolution of
a bottleneck, torchvision (v1.5) in the 3×3 one after it. The parameters are the same, so nothing
in a weight file tells them apart, but weights of one are clearly worse in the other: set
``stride_in_1x1=True`` for weights that come from Caffe or Keras.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn
from torch.nn import functional as F

from .backbone import Backbone, check_option, start_weights


class BasicBlock(nn.Module):
    """Two 3×3 convolutions and a shortcut."""

    expansion = 1

    def __init__(
        self,
        in_channels: int,
        width: int,
        stride: int = 1,
        downsample: nn.Module | None = None,
        stride_in_1x1: bool = False,  # there is no 1×1 here; taken so both blocks are built alike
    ) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, width, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.downsample = downsample

    def forward(self, x: Tensor) -> Tensor:
        shortcut = x if self.downsample is None else self.downsample(x)
        x = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(x)) + shortcut)


class Bottleneck(nn.Module):
    """1×1, 3×3, 1×1 and a shortcut; the last widens fourfold."""

    expansion = 4

    def __init__(
        self,
        in_channels: int,
        width: int,
        stride: int = 1,
        downsample: nn.Module | None = None,
        stride_in_1x1: bool = False,
    ) -> None:
        super().__init__()
        first, second = (stride, 1) if stride_in_1x1 else (1, stride)
        self.conv1 = nn.Conv2d(in_channels, width, 1, first, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, second, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, width * self.expansion, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(width * self.expansion)
        self.downsample = downsample

    def forward(self, x: Tensor) -> Tensor:
        shortcut = x if self.downsample is None else self.downsample(x)
        x = F.relu(self.bn1(self.conv1(x)))
        x = F.relu(self.bn2(self.conv2(x)))
        return F.relu(self.bn3(self.conv3(x)) + shortcut)


class ResNet(Backbone):
    """A stem of stride 4 and four stages; see :func:`resnet50` for the options."""

    mean = (0.485, 0.456, 0.406)
    std = (0.229, 0.224, 0.225)

    def __init__(
        self,
        block: type[BasicBlock] | type[Bottleneck],
        depths: Sequence[int],
        *,
        pooling: nn.Module | None,
        classes: int | None,
        last_stride: int,
        stride_in_1x1: bool,
        in_channels: int,
    ) -> None:
        super().__init__()
        check_option("last_stride", last_stride, (1, 2))
        check_option("in_channels", in_channels, (1, 3))
        self.in_channels = in_channels
        self.stride = 16 * last_stride
        self.map_channels = 512 * block.expansion
        self.conv1 = nn.Conv2d(in_channels, 64, 7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)

        def stage(before: int, width: int, depth: int, stride: int) -> nn.Sequential:
            after = width * block.expansion
            downsample = None
            if stride != 1 or before != after:
                conv = nn.Conv2d(before, after, 1, stride, bias=False)
                downsample = nn.Sequential(conv, nn.BatchNorm2d(after))
            first = block(before, width, stride, downsample, stride_in_1x1)
            return nn.Sequential(first, *(block(after, width) for _ in range(depth - 1)))

        self.layer1 = stage(64, 64, depths[0], stride=1)
        self.layer2 = stage(64 * block.expansion, 128, depths[1], stride=2)
        self.layer3 = stage(128 * block.expansion, 256, depths[2], stride=2)
        self.layer4 = stage(256 * block.expansion, 512, depths[3], stride=last_stride)
        start_weights(self)
        self.attach_head(pooling, classes)

    def features(self, images: Tensor) -> Tensor:  # (B, in_channels, H, W) -> (B, C, h, w)
        x = F.relu(self.bn1(self.conv1(images)))
        x = F.max_pool2d(x, 3, stride=2, padding=1)
        return self.layer4(self.layer3(self.layer2(self.layer1(x))))


def resnet18(
    *,
    pooling: nn.Module | None = None,
    classes: int | None = 1000,
    last_stride: int = 2,
    stride_in_1x1: bool = False,
    in_channels: int = 3,
) -> ResNet:
    """512-channel map; the options of :func:`resnet50`, but ``stride_in_1x1`` changes nothing."""
    return ResNet(
        BasicBlock,
        (2, 2, 2, 2),
        pooling=pooling,
        classes=classes,
        last_stride=last_stride,
        stride_in_1x1=stride_in_1x1,
        in_channels=in_channels,
    )


def resnet34(
    *,
    pooling: nn.Module | None = None,
    classes: int | None = 1000,
    last_stride: int = 2,
    stride_in_1x1: bool = False,
    in_channels: int = 3,
) -> ResNet:
    """512-channel map; the options of :func:`resnet50`, but ``stride_in_1x1`` changes nothing."""
    return ResNet(
        BasicBlock,
        (3, 4, 6, 3),
        pooling=pooling,
        classes=classes,
        last_stride=last_stride,
        stride_in_1x1=stride_in_1x1,
        in_channels=in_channels,
    )


def resnet50(
    *,
    pooling: nn.Module | None = None,
    classes: int | None = 1000,
    last_stride: int = 2,
    stride_in_1x1: bool = False,
    in_channels: int = 3,
) -> ResNet:
    """2048-channel map.

    pooling: average pooling where ``None``; ``fc`` takes its ``out_channels``.
    classes: ``None`` leaves ``fc`` out, and the pooled vector comes out.
    last_stride: of ``layer4``; 1 keeps its map twice as high and wide (total stride 16).
    stride_in_1x1: the strides of the original net; see the top of this file.
    in_channels: 1 for grey pages; weights for 3 are summed over the colours as they are loaded.
    """
    return ResNet(
        Bottleneck,
        (3, 4, 6, 3),
        pooling=pooling,
        classes=classes,
        last_stride=last_stride,
        stride_in_1x1=stride_in_1x1,
        in_channels=in_channels,
    )

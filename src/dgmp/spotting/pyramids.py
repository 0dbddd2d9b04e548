"""Pooling part by part: a map is cut into a grid and each cell is pooled by itself.

A pooled vector knows which strokes a word has, not where. A pyramid cuts the map of a word into
1, 2, … parts from left to right (temporal) or into 1×1, 2×2, 4×4 cells (spatial) and pools each;
the vectors stand side by side. Cell i of n along an axis of m positions is

    ⌊i·m/n⌋ … ⌈(i+1)·m/n⌉ − 1

as adaptive pooling has it: no cell is empty, however short the word. m is counted by the mask, so a
word in a padded batch is cut as it is alone. Every pooling of the zoo can be used, and GMP solves
its ridge problem in each cell.

Sudholt, Fink: Evaluating word string embeddings and loss functions for CNN-based word spotting,
ICDAR 2017 (temporal). He, Zhang, Ren, Sun: Spatial pyramid pooling, ECCV 2014.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from ..names import choose
from ..pooling import make_pooling

# Rows and columns of each level.
PYRAMIDS: dict[str, tuple[tuple[int, int], ...]] = {
    "tpp": ((1, 1), (1, 2), (1, 3), (1, 4), (1, 5)),
    "spp": ((1, 1), (2, 2), (4, 4)),
}


class PyramidPool(nn.Module):
    """Pools every cell of every grid; each level has a pooling, and with it a ridge, of its own."""

    def __init__(
        self, grids: tuple[tuple[int, int], ...], pooling: str, channels: int, **options: Any
    ) -> None:
        super().__init__()
        self.grids = grids
        self.channels = channels
        self.levels = nn.ModuleList(
            make_pooling(pooling, channels=channels, **options) for _ in grids
        )
        cells = sum(rows * columns for rows, columns in grids)
        self.out_channels = cells * int(self.levels[0].out_channels)  # type: ignore[arg-type]

    def forward(
        self,
        features: Tensor,  # (B, C, h, w)
        mask: Tensor | None = None,  # (B, h, w): a rectangle at the upper left of each map
    ) -> Tensor:  # (B, out_channels)
        batch = len(features)
        if mask is None:
            return torch.cat([v.reshape(batch, -1) for v in self._whole(features)], dim=1)
        heights = mask.any(dim=2).sum(dim=1)  # (B,)
        widths = mask.any(dim=1).sum(dim=1)
        found = []
        for (rows, columns), pooling in zip(self.grids, self.levels, strict=True):
            cells, inside = _cut(features, _cells(heights, rows), _cells(widths, columns))
            found.append(pooling(cells, inside).reshape(batch, -1))
        return torch.cat(found, dim=1)

    def _whole(self, features: Tensor) -> Iterator[Tensor]:  # (B, cells, C) for each level
        """Pool maps that count all over: their cells are the same, and parts of them are views."""
        height, width = features.shape[2:]
        for (rows, columns), pooling in zip(self.grids, self.levels, strict=True):
            cells = [
                pooling(features[:, :, top:bottom, left:right])
                for top, bottom in _ends(height, rows)
                for left, right in _ends(width, columns)
            ]
            yield torch.stack(cells, dim=1)


def make_word_pooling(name: str, channels: int, options: Mapping[str, Any]) -> nn.Module:
    """A pooling of the zoo, or ``tpp-`` or ``spp-`` and its name for a pyramid of it."""
    kind, dash, inner = name.partition("-")
    if dash and kind in PYRAMIDS:
        return PyramidPool(choose(kind, PYRAMIDS, "pyramid"), inner, channels, **options)
    return make_pooling(name, channels=channels, **options)


def _ends(size: int, cells: int) -> list[tuple[int, int]]:
    """Where each cell along an axis begins and ends."""
    return [(i * size // cells, -(-(i + 1) * size // cells)) for i in range(cells)]


def _cells(sizes: Tensor, cells: int) -> tuple[Tensor, Tensor]:  # (B,) -> (B, cells, k) twice
    """The positions along an axis that each cell has, and which of them count."""
    number = torch.arange(cells, device=sizes.device)
    first = number * sizes[:, None] // cells  # (B, cells)
    last = -(-(number + 1) * sizes[:, None] // cells)  # rounded up
    most = max(int((last - first).max()), 1)
    places = first[:, :, None] + torch.arange(most, device=sizes.device)
    return places, places < last[:, :, None]


def _cut(
    features: Tensor,  # (B, C, h, w)
    rows: tuple[Tensor, Tensor],
    columns: tuple[Tensor, Tensor],
) -> tuple[Tensor, Tensor]:  # (B · cells, C, k, l), (B · cells, k, l)
    batch, channels, height, width = features.shape
    (at_row, is_row), (at_column, is_column) = rows, columns
    downs, k = at_row.shape[1:]
    acrosses, m = at_column.shape[1:]
    part = features
    if downs > 1 or k < height:
        index = at_row.clamp(max=height - 1).reshape(batch, 1, downs * k, 1)
        part = part.gather(2, index.expand(batch, channels, downs * k, width))
    if acrosses > 1 or m < width:
        index = at_column.clamp(max=width - 1).reshape(batch, 1, 1, acrosses * m)
        part = part.gather(3, index.expand(batch, channels, part.shape[2], acrosses * m))
    cells = part.reshape(batch, channels, downs, k, acrosses, m).permute(0, 2, 4, 1, 3, 5)
    inside = is_row[:, :, None, :, None] & is_column[:, None, :, None, :]
    return (
        cells.reshape(batch * downs * acrosses, channels, k, m),
        inside.reshape(batch * downs * acrosses, k, m),
    )

"""Where on a page its descriptor comes from, and which regions make two pages alike.

The vector of a page is a weighted sum of the positions of its patches,

    d = Σᵢ aᵢφᵢ      ‖d‖ = 1

since every pooling here is one (α of generalized max pooling, 1/N of the average) and so is each
way to put patches together. The weights aᵢ say how much each position counts; some are negative.
The cosine of two pages falls into one part per position, on either of the two:

    ⟨d, d′⟩ = Σᵢ aᵢ⟨φᵢ, d′⟩
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ..errors import DgmpError, ImageError
from ..names import need
from ..pixels import PageImage
from ..pooling import (
    AttentiveGeneralizedMaxPool,
    AveragePool,
    GeneralizedMaxPool,
    flatten_positions,
    generalized_max_weights,
    unit_length,
)
from ..records import Floats, Rectangles, Region
from .learned import LearnedDescriber, bag_of_positions


@dataclass(frozen=True, eq=False)
class ExplainedPage:
    """A page whose vector is the weighted sum of its positions."""

    image: PageImage
    rectangles: Rectangles  # (patches, 4), in pixels of the prepared page
    weights: Floats  # (patches, h, w)
    features: Floats  # (patches, C, h, w), less the channel mean where the pooling takes it off
    vector: Floats  # (C,), of unit length

    @property
    def relative_weights(self) -> Floats:  # (patches, h, w)
        """Weights over their mean: 1 everywhere would be average pooling."""
        counted = self.weights[self.weights != 0]
        return self.weights / counted.mean()

    def contributions(self, other: Floats) -> Floats:  # (C,) -> (patches, h, w)
        """What every position adds to the cosine with another page's vector; signed."""
        return self.weights * np.einsum("schw,c->shw", self.features, other)

    def on_page(self, values: Floats, *, total: bool = False) -> Floats:  # -> (height, width)
        """Values of the positions laid on the pixels of the prepared page; NaN where none looked.

        Where patches overlap a pixel gets their mean, or their sum with ``total``.
        """
        height, width = self.image.pixels.shape
        summed, times = np.zeros((height, width)), np.zeros((height, width))
        cv2 = need("cv2")
        for (left, top, right, bottom), patch in zip(self.rectangles.tolist(), values, strict=True):
            size = (right - left, bottom - top)
            laid = cv2.resize(patch, size, interpolation=cv2.INTER_NEAREST)
            part = laid[: height - top, : width - left]
            summed[top:bottom, left:right] += part
            times[top:bottom, left:right] += 1
        shown = summed if total else summed / np.maximum(times, 1)
        return np.where(times > 0, shown, np.nan)

    def strongest(self, values: Floats, number: int = 5) -> tuple[Region, ...]:
        """The positions of the largest values, as regions of the scan."""
        _, rows, columns = values.shape
        places, found = [], []
        for place in np.argsort(-values, axis=None, kind="stable")[:number]:
            patch, row, column = np.unravel_index(place, values.shape)
            left, top, right, bottom = self.rectangles[patch].astype(float)
            wide, high = (right - left) / columns, (bottom - top) / rows
            x, y = left + column * wide, top + row * high
            places.append([x, y, x + wide, y + high])
            found.append(float(values[patch, row, column]))
        return self.image.on_scan(np.array(places), "position", found)


def is_explainable(describer: LearnedDescriber) -> bool:
    """Whether the vectors of a network are sums over positions."""
    return _is_weighted(describer.model.network.pooling)


def explain_page(describer: LearnedDescriber, image: PageImage) -> ExplainedPage:
    """Write the vector of a page as a sum over positions; needs a pooling that is one."""
    pooling = describer.model.network.pooling
    rectangles = describer.rectangles(image)
    maps = describer.feature_maps(image, rectangles).double()
    with torch.inference_mode():
        if describer.aggregate == "whole":
            mask = describer.positions_once(image, rectangles).reshape(1, -1).to(maps.device)
            alpha, phi = _positions(pooling, bag_of_positions(maps), mask)
            count, _, rows, columns = maps.shape
            weights = alpha.reshape(count, 1, rows * columns)
            phi = phi[0].reshape(-1, count, rows * columns).movedim(1, 0)  # (patches, C, N)
        else:
            alpha, phi = _positions(pooling, maps.flatten(2), None)  # (patches, N), (patches, C, N)
            pooled = torch.einsum("scn,sn->sc", phi, alpha)
            length = torch.linalg.vector_norm(pooled, dim=1)
            shares = _shares(describer, unit_length(pooled))
            weights = (alpha * (shares / length.masked_fill(length == 0, 1))[:, None])[:, None]
        vector = (phi * weights).sum(dim=(0, 2))
        length = torch.linalg.vector_norm(vector)
        if not length > 0 or not length.isfinite():
            raise ImageError(image.page.id, "the network finds nothing on it to describe")
        shape = (len(maps), *maps.shape[2:])
        return ExplainedPage(
            image,
            rectangles,
            (weights / length).reshape(shape).cpu().numpy(),
            phi.reshape(maps.shape).cpu().numpy(),
            (vector / length).cpu().numpy(),
        )


def _positions(
    pooling: nn.Module,
    maps: Tensor,  # (B, C, N)
    attention: Tensor | None,  # (B, N)
) -> tuple[Tensor, Tensor]:  # (B, N), (B, C, N)
    """Weights α and features φ with pooled = Σ αφ, up to its length."""
    if not _is_weighted(pooling):
        raise DgmpError(
            f"{type(pooling).__name__}({pooling.extra_repr()}) gives no weights to positions; "
            "networks with avg, or gmp or attentive-gmp with a ridge of their own or "
            "relative=True, can be explained"
        )
    phi, weights = flatten_positions(maps, attention)
    gmp = pooling
    if isinstance(pooling, AttentiveGeneralizedMaxPool):
        weights = pooling.attention(phi, weights)
        gmp = pooling.gmp
    if isinstance(gmp, GeneralizedMaxPool):
        if gmp.mean is not None:
            phi = gmp.mean(phi, weights)
        ridge = gmp.ridge.to(phi.dtype)
        return generalized_max_weights(phi, ridge, relative=gmp.relative, attention=weights), phi
    counted = torch.ones_like(phi[:, 0]) if weights is None else weights
    return counted / counted.sum(dim=1, keepdim=True), phi


def _is_weighted(pooling: nn.Module) -> bool:
    """Targets of energy weigh the positions of each group of channels by itself."""
    gmp = pooling.gmp if isinstance(pooling, AttentiveGeneralizedMaxPool) else pooling
    if isinstance(gmp, GeneralizedMaxPool):
        return gmp.target == "one"
    return isinstance(pooling, AveragePool)


def _shares(describer: LearnedDescriber, vectors: Tensor) -> Tensor:  # (patches, C) -> (patches,)
    """What each patch counts in the vector of the page, up to a common factor."""
    if describer.aggregate == "mean":
        return vectors.new_ones(len(vectors))
    return generalized_max_weights(vectors.mT[None], describer.ridge, relative=True)[0]

"""A trained network as a describer, and as a classifier.

A page is shown as some squares. Its descriptor is, by ``aggregate``,

    mean   the mean of the squares' unit vectors
    gmp    their generalized max pooling, so that squares that look alike share their say
    whole  one pooling over the positions of all squares, which do not overlap then

brought to unit length in the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..corpora import PageImage, Preparation
from ..errors import DgmpError, ImageError, UnknownName
from ..models import TrainedModel
from ..pooling import generalized_max_pool, map_mask
from ..pooling.layer import unit_length

AGGREGATES = ("mean", "gmp", "whole")
PATCH_RIDGE = 0.1  # relative; squares of one page are much alike, so the mean is not far
AT_A_TIME = 32  # squares shown to the network


class LearnedDescriber:
    """Pages to vectors by a trained network."""

    calibration: Mapping[str, Any] | None = None

    def __init__(
        self, model: TrainedModel, *, aggregate: str = "mean", device: str = "cpu"
    ) -> None:
        if aggregate not in AGGREGATES:
            raise UnknownName(
                f"no aggregate called {aggregate!r}; choose from {', '.join(AGGREGATES)}"
            )
        self.model = model
        self.aggregate = aggregate
        self.device = find_device(device)
        model.network.to(self.device)

    @property
    def preparation(self) -> Preparation:
        """That of the pages the network was trained on."""
        return self.model.input.preparation

    @property
    def dim(self) -> int:
        """The width of the pooled vector."""
        network = self.model.network
        return int(getattr(network.pooling, "out_channels", None) or network.map_channels)

    @property
    def spec(self) -> Mapping[str, Any]:
        """The network and what it looks at; the run it came from tells its weights."""
        about = self.model.describe()
        return {"describer": "learned", "aggregate": self.aggregate, **about}

    def describe_page(self, image: PageImage) -> NDArray[np.float32]:  # (dim,)
        """The unit vector of a page."""
        with torch.inference_mode():
            if self.aggregate == "whole":
                pooled = self._whole(image)
            else:
                vectors = torch.cat([self._pooled(part) for part in self._parts(image)])
                vectors = unit_length(vectors)  # (squares, dim)
                if self.aggregate == "mean":
                    pooled = vectors.mean(dim=0, keepdim=True)
                else:
                    pooled = generalized_max_pool(vectors.mT[None], PATCH_RIDGE, relative=True)
            vector = unit_length(pooled)[0].float().cpu().numpy()
        if not np.isfinite(vector).all() or not vector.any():
            raise ImageError(image.page.id, "the network finds nothing on it to describe")
        return vector

    def feature_maps(self, image: PageImage) -> Iterator[tuple[NDArray[np.int32], Tensor]]:
        """Box and map (1, C, h, w) of every square of a page."""
        boxes = self.model.input.boxes(image)
        start = 0
        for part in self._parts(image):
            maps = self.model.network.features(part)
            for features in maps:
                yield boxes[start], features[None]
                start += 1

    def _parts(self, image: PageImage) -> Iterator[Tensor]:  # (squares, 1, side, side)
        squares = self.model.input.squares(image)
        for start in range(0, len(squares), AT_A_TIME):
            yield as_input(self.model, squares[start : start + AT_A_TIME], self.device)

    def _pooled(self, images: Tensor) -> Tensor:  # (squares, dim)
        network = self.model.network
        return network.pooling(network.features(images))

    def _whole(self, image: PageImage) -> Tensor:  # (1, dim)
        """Pool the positions of windows side by side, those beyond the page's border masked."""
        looks_at = self.model.input
        network = self.model.network
        side_by_side = replace(looks_at, stride=looks_at.patch)
        boxes = side_by_side.boxes(image)
        squares = side_by_side.squares(image)
        height, width = image.pixels.shape
        maps, masks = [], []
        seen = np.zeros((height, width), bool)  # windows at the edge overlap their neighbours
        for start in range(0, len(squares), AT_A_TIME):
            part = slice(start, start + AT_A_TIME)
            maps.append(network.features(as_input(self.model, squares[part], self.device)))
            fresh = [_fresh(box, seen, looks_at.side) for box in boxes[part]]
            masks.append(map_mask(torch.from_numpy(np.stack(fresh)), network.stride))
        phi = torch.cat(maps).flatten(2).permute(1, 0, 2).flatten(1)[None]  # (1, C, positions)
        return network.pooling(phi, torch.cat(masks).reshape(1, -1).to(phi.device))


def classify_page(model: TrainedModel, image: PageImage) -> NDArray[np.float64]:  # (classes,)
    """The probabilities of the classes: the mean over the squares of a page."""
    if model.classes is None:
        raise DgmpError("this model was trained to tell writers apart; it has no script classes")
    device = next(model.network.parameters()).device
    squares = model.input.squares(image)
    found = []
    with torch.inference_mode():
        for start in range(0, len(squares), AT_A_TIME):
            images = as_input(model, squares[start : start + AT_A_TIME], device)
            found.append(model.network(images).double().softmax(dim=1).cpu())
    return torch.cat(found).mean(dim=0).numpy()


def as_input(model: TrainedModel, squares: NDArray[np.uint8], device: torch.device) -> Tensor:
    """8-bit squares (n, side, side) as the network was trained to see them."""
    standardize = model.input.standardization
    if standardize is None:
        raise DgmpError("this model does not say how its squares were standardised")
    return torch.from_numpy(standardize(squares)).unsqueeze(1).to(device)


def find_device(name: str) -> torch.device:
    """The device of that name, or a message a user can act on."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise DgmpError(f"device {name!r} cannot be used here: {reason}") from error
    return device


def _fresh(box: NDArray[np.int32], seen: NDArray[np.bool_], side: int) -> NDArray[np.bool_]:
    """Which pixels of a square lie on the page and in no earlier window; marks them as seen."""
    left, top, right, bottom = (int(value) for value in box)
    mask = np.zeros((bottom - top, right - left), bool)
    part = seen[top:bottom, left:right]
    mask[: part.shape[0], : part.shape[1]] = ~part
    part[:] = True
    rows = (np.arange(side) * mask.shape[0]) // side
    columns = (np.arange(side) * mask.shape[1]) // side
    return mask[np.ix_(rows, columns)]

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

from ..corpora import PageImage, Preparation, Standardization
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
        self,
        model: TrainedModel,
        *,
        aggregate: str = "mean",
        device: str = "cpu",
        ridge: float = PATCH_RIDGE,
    ) -> None:
        if aggregate not in AGGREGATES:
            raise UnknownName(
                f"no aggregate called {aggregate!r}; choose from {', '.join(AGGREGATES)}"
            )
        self.model = model
        self.aggregate = aggregate
        self.device = find_device(device)
        self.ridge = ridge  # of aggregate "gmp", relative
        model.network.to(self.device)

    def __reduce__(self) -> tuple[Any, ...]:
        """Weights travel to worker processes as arrays, see :func:`packed_model`."""
        return _rebuilt, (*packed_model(self.model), self.aggregate, str(self.device), self.ridge)

    @property
    def preparation(self) -> Preparation:
        """That of the pages the network was trained on."""
        return self.model.input.preparation

    @property
    def dim(self) -> int:
        """The width of the pooled vector."""
        return self.model.network.pooled_channels

    @property
    def spec(self) -> Mapping[str, Any]:
        """The network and what it looks at; the run it came from tells its weights."""
        how: dict[str, Any] = {"describer": "learned", "aggregate": self.aggregate}
        if self.aggregate == "gmp":
            how["ridge"] = self.ridge
        return {**how, **self.model.describe()}

    def describe_page(self, image: PageImage) -> NDArray[np.float32]:  # (dim,)
        """The unit vector of a page."""
        with torch.inference_mode():
            if self.aggregate == "whole":
                pooled = self._whole(image)
            else:
                pooling = self.model.network.pooling
                vectors = torch.cat(
                    [pooling(maps) for maps in self._maps(image, self.boxes(image))]
                )
                vectors = unit_length(vectors)  # (squares, dim)
                if self.aggregate == "mean":
                    pooled = vectors.mean(dim=0, keepdim=True)
                else:
                    pooled = generalized_max_pool(vectors.mT[None], self.ridge, relative=True)
            vector = unit_length(pooled)[0].float().cpu().numpy()
        if not np.isfinite(vector).all() or not vector.any():
            raise ImageError(image.page.id, "the network finds nothing on it to describe")
        return vector

    def boxes(self, image: PageImage) -> NDArray[np.int32]:  # (squares, 4)
        """Where the squares lie that a page is shown as; side by side for ``whole``."""
        looks_at = self.model.input
        if self.aggregate == "whole":
            looks_at = replace(looks_at, stride=looks_at.patch)
        return looks_at.boxes(image)

    def feature_maps(self, image: PageImage, boxes: NDArray[np.int32]) -> Tensor:
        """The maps (squares, C, h, w) of the squares at ``boxes``."""
        with torch.inference_mode():
            return torch.cat(list(self._maps(image, boxes)))

    def positions_once(self, image: PageImage, boxes: NDArray[np.int32]) -> Tensor:
        """A mask (squares, h, w): what lies on the page and in no square before it."""
        seen = np.zeros(image.pixels.shape, bool)
        fresh = [_fresh(box, seen, self.model.input.side) for box in boxes]
        return map_mask(torch.from_numpy(np.stack(fresh)), self.model.network.stride)

    def _maps(self, image: PageImage, boxes: NDArray[np.int32]) -> Iterator[Tensor]:
        squares = self.model.input.squares(image, boxes)
        for start in range(0, len(squares), AT_A_TIME):
            part = as_input(self.model, squares[start : start + AT_A_TIME], self.device)
            yield self.model.network.features(part)

    def _whole(self, image: PageImage) -> Tensor:  # (1, dim)
        """Pool the positions of squares side by side, those beyond the page's border masked."""
        boxes = self.boxes(image)
        phi = bag_of_positions(self.feature_maps(image, boxes))
        mask = self.positions_once(image, boxes).reshape(1, -1).to(phi.device)
        return self.model.network.pooling(phi, mask)


def classify_page(model: TrainedModel, image: PageImage) -> NDArray[np.float64]:  # (classes,)
    """The probabilities of the classes: the mean over the squares of a page."""
    script_classes(model)
    device = next(model.network.parameters()).device
    squares = model.input.squares(image)
    found = []
    with torch.inference_mode():
        for start in range(0, len(squares), AT_A_TIME):
            images = as_input(model, squares[start : start + AT_A_TIME], device)
            found.append(model.network(images).double().softmax(dim=1).cpu())
    return torch.cat(found).mean(dim=0).numpy()


def script_classes(model: TrainedModel) -> tuple[str, ...]:
    """The classes of a classifier; a describer of writers has none."""
    if model.classes is None:
        raise DgmpError("this model was trained to tell writers apart; it has no script classes")
    return model.classes


def as_input(model: TrainedModel, squares: NDArray[np.uint8], device: torch.device) -> Tensor:
    """8-bit squares (n, side, side) as the network was trained to see them."""
    standardize = as_standardization(model)
    return torch.from_numpy(standardize(squares)).unsqueeze(1).to(device)


def as_standardization(model: TrainedModel) -> Standardization:
    """How the squares of a model are standardised; one that does not say cannot be used."""
    if model.input.standardization is None:
        raise DgmpError("this model does not say how its squares were standardised")
    return model.input.standardization


def bag_of_positions(maps: Tensor) -> Tensor:  # (squares, C, h, w) -> (1, C, squares·h·w)
    """All positions of several maps as those of one image."""
    return maps.flatten(2).permute(1, 0, 2).flatten(1)[None]


def find_device(name: str) -> torch.device:
    """The device of that name, or a message a user can act on."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).item()
    except (RuntimeError, AssertionError, ImportError) as error:
        raise DgmpError(
            f"device {name!r} cannot be used here; choose cpu, cuda (where there is one) or auto"
        ) from error
    return device


def packed_model(model: TrainedModel) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """A model as plain values and arrays, to be pickled.

    Tensors would each take an open file of the process that sends them, for every worker.
    """
    state = {name: value.cpu().numpy() for name, value in model.network.state_dict().items()}
    return {key: value for key, value in vars(model).items() if key != "network"}, state


def unpacked_model(about: dict[str, Any], state: dict[str, NDArray[Any]]) -> TrainedModel:
    """What :func:`packed_model` packed."""
    classes = about["classes"]
    network = about["spec"].build(None if classes is None else len(classes))
    network.load_state_dict({name: torch.from_numpy(value) for name, value in state.items()})
    return TrainedModel(network.eval(), **about)


def _rebuilt(
    about: dict[str, Any],
    state: dict[str, NDArray[Any]],
    aggregate: str,
    device: str,
    ridge: float,
) -> LearnedDescriber:
    model = unpacked_model(about, state)
    return LearnedDescriber(model, aggregate=aggregate, device=device, ridge=ridge)


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

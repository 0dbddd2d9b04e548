"""A trained network as a describer, and as a classifier.

A page is shown as some patches. Its descriptor is, by ``aggregate``,

    mean   the mean of the patches' unit vectors
    gmp    their generalized max pooling, so that patches that look alike share their weight
    whole  one pooling over the positions of all patches, which do not overlap then

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

from ..errors import DgmpError, ImageError
from ..hands import Calibration
from ..models import Standardization, TrainedModel
from ..names import check_name
from ..pixels import PageImage, Preparation
from ..pooling import generalized_max_pool, map_mask, unit_length
from ..records import Floats, Rectangles

KIND = "learned"
AGGREGATES = ("mean", "gmp", "whole")
PATCH_RIDGE = 0.1  # relative; patches of one page are much alike, so the mean is not far
AT_A_TIME = 32  # patches shown to the network


class LearnedDescriber:
    """Pages to vectors by a trained network."""

    def __init__(
        self,
        model: TrainedModel,
        *,
        aggregate: str = "mean",
        device: str = "cpu",
        ridge: float = PATCH_RIDGE,
        calibration: Calibration | None = None,
    ) -> None:
        check_name(aggregate, AGGREGATES, "aggregate")
        self.model = model
        self.calibration = calibration
        self.aggregate = aggregate
        self.device = find_device(device)
        self.ridge = ridge  # of aggregate "gmp", relative
        model.network.to(self.device)

    def __reduce__(self) -> tuple[Any, ...]:
        """Weights travel to worker processes as arrays, see :func:`packed_model`."""
        how = (self.aggregate, str(self.device), self.ridge, self.calibration)
        return _rebuilt, (*packed_model(self.model), *how)

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
        """The network and what it looks at; its weights by their digest."""
        how: dict[str, Any] = {"kind": KIND, "aggregate": self.aggregate}
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
                places = self.rectangles(image)
                vectors = torch.cat([pooling(maps) for maps in self._maps(image, places)])
                vectors = unit_length(vectors)  # (patches, dim)
                if self.aggregate == "mean":
                    pooled = vectors.mean(dim=0, keepdim=True)
                else:
                    pooled = generalized_max_pool(vectors.mT[None], self.ridge, relative=True)
            vector = unit_length(pooled)[0].float().cpu().numpy()
        if not np.isfinite(vector).all() or not vector.any():
            raise ImageError(image.page.id, "the network finds nothing on it to describe")
        return vector

    def rectangles(self, image: PageImage) -> Rectangles:  # (patches, 4)
        """Where the patches lie that a page is shown as; next to each other for ``whole``."""
        looks_at = self.model.input
        if self.aggregate == "whole":
            looks_at = replace(looks_at, stride=looks_at.patch)
        return looks_at.rectangles(image)

    def feature_maps(self, image: PageImage, rectangles: Rectangles) -> Tensor:
        """The maps (patches, C, h, w) of the patches at these places."""
        with torch.inference_mode():
            return torch.cat(list(self._maps(image, rectangles)))

    def positions_once(self, image: PageImage, rectangles: Rectangles) -> Tensor:
        """A mask (patches, h, w): what lies on the page and in no patch before it."""
        seen = np.zeros(image.pixels.shape, bool)
        fresh = [_fresh(rectangle, seen, self.model.input.side) for rectangle in rectangles]
        return map_mask(torch.from_numpy(np.stack(fresh)), self.model.network.stride)

    def _maps(self, image: PageImage, rectangles: Rectangles) -> Iterator[Tensor]:
        patches = self.model.input.patches(image, rectangles)
        for start in range(0, len(patches), AT_A_TIME):
            part = as_input(self.model, patches[start : start + AT_A_TIME], self.device)
            yield self.model.network.features(part)

    def _whole(self, image: PageImage) -> Tensor:  # (1, dim)
        """Pool the positions of adjoining patches, those beyond the page's border masked."""
        rectangles = self.rectangles(image)
        phi = bag_of_positions(self.feature_maps(image, rectangles))
        mask = self.positions_once(image, rectangles).reshape(1, -1).to(phi.device)
        return self.model.network.pooling(phi, mask)


class LearnedClassifier:
    """Pages to the probabilities of classes by a trained network."""

    def __init__(self, model: TrainedModel, *, device: str = "cpu") -> None:
        if model.classes is None:
            raise DgmpError(
                "this model was trained to tell writers apart; it has no script classes"
            )
        self.model = model
        self.classes = model.classes
        self.device = find_device(device)
        model.network.to(self.device)

    def __reduce__(self) -> tuple[Any, ...]:
        """Weights travel to worker processes as arrays, see :func:`packed_model`."""
        return _rebuilt_classifier, (*packed_model(self.model), str(self.device))

    @property
    def preparation(self) -> Preparation:
        """That of the pages the network was trained on."""
        return self.model.input.preparation

    def at_size(self, size: float) -> LearnedClassifier:
        """The same network, shown its patches ``size`` times as large."""
        model = replace(self.model, input=self.model.input.at_size(size))
        return LearnedClassifier(model, device=str(self.device))

    def classify_page(self, image: PageImage) -> Floats:  # (classes,)
        """The probabilities of the classes: the mean over the patches of a page."""
        patches = self.model.input.patches(image)
        found = []
        with torch.inference_mode():
            for start in range(0, len(patches), AT_A_TIME):
                part = as_input(self.model, patches[start : start + AT_A_TIME], self.device)
                found.append(self.model.network(part).double().softmax(dim=1).cpu())
        return torch.cat(found).mean(dim=0).numpy()


def as_input(model: TrainedModel, patches: NDArray[np.uint8], device: torch.device) -> Tensor:
    """8-bit patches (n, side, side) as the network was trained to see them."""
    standardize = as_standardization(model)
    return torch.from_numpy(standardize(patches)).unsqueeze(1).to(device)


def as_standardization(model: TrainedModel) -> Standardization:
    """How the patches of a model are standardised; one that does not say cannot be used."""
    if model.input.standardization is None:
        raise DgmpError("this model does not say how its patches were standardised")
    return model.input.standardization


def bag_of_positions(maps: Tensor) -> Tensor:  # (patches, C, h, w) -> (1, C, patches·h·w)
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
    calibration: Calibration | None,
) -> LearnedDescriber:
    return LearnedDescriber(
        unpacked_model(about, state),
        aggregate=aggregate,
        device=device,
        ridge=ridge,
        calibration=calibration,
    )


def _rebuilt_classifier(
    about: dict[str, Any], state: dict[str, NDArray[Any]], device: str
) -> LearnedClassifier:
    return LearnedClassifier(unpacked_model(about, state), device=device)


def _fresh(rectangle: NDArray[np.int32], seen: NDArray[np.bool_], side: int) -> NDArray[np.bool_]:
    """Which pixels of a patch lie on the page and in no earlier patch; marks them as seen."""
    left, top, right, bottom = (int(value) for value in rectangle)
    mask = np.zeros((bottom - top, right - left), bool)
    part = seen[top:bottom, left:right]
    mask[: part.shape[0], : part.shape[1]] = ~part
    part[:] = True
    rows = (np.arange(side) * mask.shape[0]) // side
    columns = (np.arange(side) * mask.shape[1]) // side
    return mask[np.ix_(rows, columns)]

"""What a network is and what it looks at: enough to build it again and to feed it the same way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..corpora import PageImage, Preparation, Standardization, cut_patches
from ..corpora.extras import opencv
from ..corpora.images import Grey
from ..errors import DgmpError
from ..pooling import make_pooling
from .backbone import Backbone
from .weights import load_weights
from .zoo import make_backbone

VIEWS = ("patches", "page", "centre", "keypoints")


@dataclass(frozen=True)
class ModelSpec:
    """A backbone with a pooling at its end."""

    backbone: str = "resnet50"
    pooling: str = "gmp"
    pooling_options: Mapping[str, Any] = field(default_factory=dict)
    normalize: bool = True  # unit length after the pooling
    last_stride: int | None = None  # the next three: None leaves them to the backbone
    stride_in_1x1: bool | None = None
    stem_stride: int | None = None

    def build(self, classes: int | None = None, weights: Path | None = None) -> Backbone:
        """The network for grey pages, with random weights or those of a file.

        The classifier always begins at random, and a pooling that the file has not.
        """
        options = {
            "last_stride": self.last_stride,
            "stride_in_1x1": self.stride_in_1x1,
            "stem_stride": self.stem_stride,
        }
        try:
            network = make_backbone(self.backbone, in_channels=1, **options)  # type: ignore[arg-type]
        except ValueError as error:
            raise DgmpError(f"model: {error}") from error
        try:
            pooling = make_pooling(
                self.pooling,
                channels=network.map_channels,
                **{"normalize": self.normalize, **self.pooling_options},
            )
        except (TypeError, ValueError) as error:
            raise DgmpError(f"pooling_options: {error}") from error
        network.attach_head(pooling, None)
        if weights is not None:
            load_weights(network, weights)
        network.attach_head(pooling, classes)
        return network


@dataclass(frozen=True)
class InputSpec:
    """How a page becomes what the network looks at: some grey squares of ``side`` pixels."""

    view: str = "patches"  # windows of the page; "page": all of it; "centre": its middle square;
    # "keypoints": windows around points that a describer finds, and nobody else
    patch: int = 400  # pixels of the page along a window
    stride: int = 256
    min_edges: int = 2000  # edge pixels that make a window count
    side: int = 400  # pixels along the square the network sees; other than patch: resampled
    preparation: Preparation = field(default_factory=Preparation)
    standardization: Standardization | None = None  # of the training squares

    def __post_init__(self) -> None:
        if self.view not in VIEWS:
            raise DgmpError(f"no view called {self.view!r}; choose from {', '.join(VIEWS)}")
        for name in ("patch", "stride", "side"):
            if getattr(self, name) < 1:
                raise DgmpError(f"{name} must be at least 1 pixel, got {getattr(self, name)}")

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> InputSpec:
        """What ``dataclasses.asdict`` made of it and JSON kept."""
        given = dict(values)
        given["preparation"] = Preparation(**given["preparation"])
        if given["standardization"] is not None:
            given["standardization"] = Standardization(**given["standardization"])
        return cls(**given)

    def boxes(self, image: PageImage) -> NDArray[np.int32]:  # (windows, 4)
        """Left, top, right, bottom of the windows of a page; they may reach beyond its border."""
        if self.view == "keypoints":
            raise ValueError("the windows of view keypoints are given by who finds the keypoints")
        if self.view == "patches":
            return cut_patches(image, self.patch, self.stride, self.min_edges).boxes
        height, width = image.pixels.shape
        if self.view == "page":
            return np.array([[0, 0, width, height]], np.int32)
        short = min(height, width)
        left, top = (width - short) // 2, (height - short) // 2
        return np.array([[left, top, left + short, top + short]], np.int32)

    def squares(
        self,
        image: PageImage,
        boxes: NDArray[np.int32] | None = None,  # (windows, 4)
    ) -> NDArray[np.uint8]:  # (windows, side, side)
        """The windows of a page as the network sees them, before they are standardised."""
        boxes = self.boxes(image) if boxes is None else boxes
        return np.stack([cut_square(image.pixels, box, self.side) for box in boxes])


def cut_square(pixels: Grey, box: NDArray[Any], side: int) -> Grey:
    """A box of a page as a square of ``side`` pixels; beyond the border there is paper."""
    left, top, right, bottom = (int(value) for value in box)
    part = pixels[max(top, 0) : bottom, max(left, 0) : right]
    if part.shape != (bottom - top, right - left):
        height, width = pixels.shape
        more = (
            (max(-top, 0), max(bottom - height, 0)),
            (max(-left, 0), max(right - width, 0)),
        )
        part = np.pad(part, more, constant_values=PAPER)
    if part.shape == (side, side):
        return part
    cv2 = opencv()
    shrinks = side < part.shape[0] or side < part.shape[1]
    way = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return cv2.resize(part, (side, side), interpolation=way)


PAPER = 255  # prepared pages are dark on light

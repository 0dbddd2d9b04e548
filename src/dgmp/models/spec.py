"""What a network is and what it looks at: enough to build it again and to feed it the same way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ..errors import DgmpError
from ..names import check_name, need
from ..pixels import PageImage, Preparation, cut_patches
from ..pooling import make_pooling
from ..records import Grey, Rectangles
from .backbone import Backbone
from .backbones import make_backbone
from .standardization import Standardization
from .weights import load_weights

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

    def check(self) -> None:
        """Refuse a network that cannot be built, before any other work."""
        with torch.random.fork_rng(devices=[]):
            self.build(2)


@dataclass(frozen=True)
class InputSpec:
    """How a page becomes what the network looks at: some grey patches of ``side`` pixels."""

    view: str = "patches"  # all over the page; "page": the whole of it; "centre": its middle;
    # "keypoints": around points that a describer finds, and nobody else
    patch: int = 400  # pixels of the page along a patch
    stride: int = 256
    min_edges: int = 2000  # edge pixels that make a patch count
    side: int = 400  # pixels along a patch as the network sees it; other than patch: resampled
    preparation: Preparation = field(default_factory=Preparation)
    standardization: Standardization | None = None  # of the training patches
    zca: int | None = None  # pixels along the filter that whitens patches; None: they are not

    def __post_init__(self) -> None:
        check_name(self.view, VIEWS, "view")
        for name in ("patch", "stride", "side"):
            if getattr(self, name) < 1:
                raise DgmpError(f"{name} must be at least 1 pixel, got {getattr(self, name)}")
        if self.zca is not None and (self.zca < 3 or self.zca % 2 == 0):
            raise DgmpError(f"zca must be an odd number of pixels from 3 on, got {self.zca}")

    def at_size(self, size: float) -> InputSpec:
        """The same patches, ``size`` times as many pixels along them."""
        return replace(self, side=max(round(self.side * size), 1))

    def rectangles(self, image: PageImage) -> Rectangles:  # (patches, 4)
        """Where the patches of a page lie; they may reach beyond its border."""
        if self.view == "keypoints":
            raise ValueError("the patches of view keypoints are given by who finds the keypoints")
        if self.view == "patches":
            return cut_patches(image, self.patch, self.stride, self.min_edges).rectangles
        height, width = image.pixels.shape
        if self.view == "page":
            return np.array([[0, 0, width, height]], np.int32)
        short = min(height, width)
        left, top = (width - short) // 2, (height - short) // 2
        return np.array([[left, top, left + short, top + short]], np.int32)

    def patches(
        self,
        image: PageImage,
        rectangles: Rectangles | None = None,  # (patches, 4)
    ) -> NDArray[np.uint8]:  # (patches, side, side)
        """The patches of a page as the network sees them, before they are standardised."""
        places = self.rectangles(image) if rectangles is None else rectangles
        return np.stack([cut_patch(image.pixels, place, self.side) for place in places])


def cut_patch(pixels: Grey, rectangle: NDArray[Any], side: int) -> Grey:
    """A rectangle of a page as a patch of ``side`` pixels; beyond the border there is paper."""
    left, top, right, bottom = (int(value) for value in rectangle)
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
    cv2 = need("cv2")
    shrinks = side < part.shape[0] or side < part.shape[1]
    way = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return cv2.resize(part, (side, side), interpolation=way)


PAPER = 255  # prepared pages are dark on light

"""Any model of timm as a backbone: ``timm:resnet18``. Nothing is downloaded.

Weights of such a model come from a file, as all do here. What a model of tokens gives becomes a map
again, its class token and registers left out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from torch import Tensor, nn

from ..errors import DgmpError
from ..names import need, unknown
from .backbone import Backbone

PREFIX = "timm:"


class TimmBackbone(Backbone):
    """A model of timm up to its map; see :func:`timm_builder`."""

    def __init__(
        self, name: str, *, pooling: nn.Module | None, classes: int | None, in_channels: int
    ) -> None:
        super().__init__()
        create = need("timm").create_model
        options: dict[str, Any] = {"num_classes": 0, "in_chans": in_channels, "pretrained": False}
        try:  # models of tokens that take images of any size do so when asked
            self.trunk = create(name, dynamic_img_size=True, **options)
        except TypeError:
            self.trunk = create(name, **options)
        self.name = name
        self.in_channels = in_channels
        self.map_channels = int(self.trunk.num_features)
        self.stride = int(self.trunk.feature_info[-1]["reduction"])
        about = self.trunk.default_cfg
        self.mean, self.std = tuple(about["mean"]), tuple(about["std"])
        self.attach_head(pooling, classes)

    def features(self, images: Tensor) -> Tensor:  # (B, in_channels, H, W) -> (B, C, h, w)
        found = self.trunk.forward_features(images)
        if isinstance(found, Tensor) and found.ndim == 4:
            last = getattr(self.trunk, "output_fmt", "NCHW") == "NHWC"
            return found.movedim(-1, 1) if last else found
        rows, columns = (-(-size // self.stride) for size in images.shape[2:])
        if isinstance(found, Tensor) and found.ndim == 3:
            patches = found[:, int(getattr(self.trunk, "num_prefix_tokens", 0) or 0) :]
            if patches.shape[1] == rows * columns:
                return patches.mT.reshape(len(found), self.map_channels, rows, columns)
        raise DgmpError(
            f"timm:{self.name} gives no map of stride {self.stride} of an image of "
            f"{tuple(images.shape[2:])} pixels"
        )


def is_timm(name: str) -> bool:
    """Whether a backbone is one of timm's by its name."""
    return name.startswith(PREFIX)


def timm_builder(name: str) -> Callable[..., TimmBackbone]:
    """What builds ``timm:NAME``; only names of timm's own list, so that nothing is fetched."""
    timm, wanted = need("timm"), name.removeprefix(PREFIX)
    if not timm.is_model(wanted):
        raise unknown(wanted, timm.list_models(), "model of timm")
    return partial(TimmBackbone, wanted)

"""The backbones by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

from torch import nn

from ..errors import DgmpError
from ..plugins import find
from .backbone import Backbone
from .efficientnet_lite import efficientnet_lite0
from .resnet import resnet18, resnet34, resnet50
from .resnet8 import resnet8
from .resnet20 import resnet20
from .timm_backbone import is_timm, timm_builder
from .weights import load_weights

BACKBONES: dict[str, Callable[..., Backbone]] = {
    "resnet18": resnet18,
    "resnet34": resnet34,
    "resnet50": resnet50,
    "resnet20": resnet20,
    "resnet8": resnet8,
    "efficientnet-lite0": efficientnet_lite0,
}


def make_backbone(
    name: str,
    *,
    pooling: nn.Module | None = None,
    classes: int | None = None,
    weights: Path | None = None,
    in_channels: int = 3,
    last_stride: int | None = None,
    stride_in_1x1: bool | None = None,
    stem_stride: int | None = None,
) -> Backbone:
    """The backbone called ``name``, with random weights or those of the file ``weights``.

    Without ``classes`` it has no ``fc`` and gives the pooled vector. The options that are
    ``None`` are left to the backbone; one it does not have is refused.
    """
    build = timm_builder(name) if is_timm(name) else find(name, BACKBONES, "backbone")
    given = {
        "last_stride": last_stride,
        "stride_in_1x1": stride_in_1x1,
        "stem_stride": stem_stride,
    }
    options = {option: value for option, value in given.items() if value is not None}
    try:
        known = inspect.signature(build).parameters
    except (TypeError, ValueError) as error:
        raise DgmpError(f"the backbone {name!r} cannot be called: {build!r}") from error
    for option in ("pooling", "classes", "in_channels"):
        if option not in known:
            raise DgmpError(f"the backbone {name!r} must take {option}=, as dgmp's own do")
    for option in options:
        if option not in known:
            raise ValueError(f"{name} has no {option}; its options are {', '.join(known)}")
    model = build(pooling=pooling, classes=classes, in_channels=in_channels, **options)
    if not isinstance(model, Backbone):
        raise DgmpError(f"the backbone {name!r} gives no dgmp.models.Backbone: {type(model)}")
    if weights is not None:
        load_weights(model, weights)
    return model

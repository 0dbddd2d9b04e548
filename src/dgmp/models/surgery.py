"""Another global pooling for a network that has one already, torchvision's and timm's included.

    replace_global_pooling(torchvision.models.resnet50(), GeneralizedMaxPool())

Neither library is imported: a global pooling is known by what it is, an adaptive pooling of
output size 1 or one of timm's (``SelectAdaptivePool2d``), and by where it stands. Poolings
inside squeeze-and-excitation and other repeated or gating blocks are left alone.

The weights after the pooling were trained on the vector of the old one; they need training again.
timm's ``reset_classifier`` may put back its own pooling: call it first, operate afterwards.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace

from torch import Tensor, nn

from ..errors import SurgeryError
from ..pooling import Pooling
from .backbone import Backbone

# Where torchvision, timm and this package keep the global pooling.
WELL_KNOWN = ("pooling", "avgpool", "global_pool", "head.global_pool")

ADAPTIVE = (
    nn.AdaptiveAvgPool1d,
    nn.AdaptiveAvgPool2d,
    nn.AdaptiveAvgPool3d,
    nn.AdaptiveMaxPool1d,
    nn.AdaptiveMaxPool2d,
    nn.AdaptiveMaxPool3d,
)
CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
CONTAINERS = (nn.Sequential, nn.ModuleList, nn.ModuleDict)


@dataclass(frozen=True)
class PooledShape:
    """What a global pooling takes and gives, as far as its neighbours care."""

    flat: bool = False  # (B, C), else (B, C, 1, 1)
    channels_last: bool = False  # takes (B, H, W, C), as timm's Swin
    times: int = 1  # pooled width over the map's; 2 where average and maximum stand side by side


class StandIn(nn.Module):
    """A pooling in the place of another: what goes in and comes out keeps the old shape."""

    pool_type = "dgmp"  # timm's heads compare it

    def __init__(self, pooling: nn.Module, shape: PooledShape) -> None:
        super().__init__()
        self.pooling = pooling
        self.shape = shape

    def forward(self, features: Tensor) -> Tensor:  # (B, C, *positions), or channels last
        if self.shape.channels_last:
            features = features.movedim(-1, 1)
        pooled = self.pooling(features).flatten(start_dim=1)  # (B, out_channels)
        if self.shape.flat:
            return pooled
        ones = (1,) * (features.ndim - 2)
        if self.shape.channels_last:
            return pooled.reshape(pooled.shape[0], *ones, pooled.shape[1])
        return pooled.reshape(*pooled.shape, *ones)

    def is_identity(self) -> bool:
        """Asked by some of timm's nets: whether the map is passed on unpooled."""
        return False

    def feat_mult(self) -> int:
        """Asked by timm's ``reset_classifier``: the pooled width over that of the map."""
        return _widening(self.pooling)


def replace_global_pooling(
    model: nn.Module, pooling: nn.Module, *, name: str | None = None
) -> nn.Module:
    """Put ``pooling`` where the global pooling of ``model`` stands; in place, returns ``model``.

    ``name`` says which module to replace, as ``model.named_modules()`` spells it; needed only
    where several could be meant.
    """
    if not isinstance(pooling, nn.Module):
        raise ValueError(f"pooling must be a module, such as GeneralizedMaxPool(), got {pooling!r}")
    place = _find_pooling(model) if name is None else _named_pooling(model, name)
    old = model.get_submodule(place)
    shape = pooled_shape(old)
    assert shape is not None
    _check_width(model, place, pooling, shape)

    new = pooling if isinstance(old, Pooling) else StandIn(pooling, shape)
    new.train(old.training)
    if (parameter := next(model.parameters(), None)) is not None:
        new.to(parameter.device)
    for parent in list(model.modules()):
        for key, child in list(parent._modules.items()):  # named_children hides second names
            if child is old:
                setattr(parent, key, new)
    return model


def pooled_shape(module: nn.Module) -> PooledShape | None:
    """How ``module`` pools globally; ``None`` where it does not, or is not known to."""
    if isinstance(module, Pooling):
        return PooledShape(flat=True, times=_widening(module))
    if isinstance(module, StandIn):
        return replace(module.shape, times=_widening(module.pooling))
    kind = type(module).__name__
    if not isinstance(module, ADAPTIVE) and not ("Adaptive" in kind and "Pool" in kind):
        return None
    inner = getattr(module, "pool", module)  # timm keeps the pooling proper in here
    size = getattr(inner, "output_size", 1)
    if isinstance(inner, nn.Identity) or set(size if isinstance(size, tuple) else [size]) != {1}:
        return None
    axes = getattr(inner, "dim_reduce", getattr(inner, "dim", None))
    return PooledShape(
        flat=_flattens(module) or _flattens(inner),
        channels_last=axes == (1, 2),
        times=2 if "Cat" in type(inner).__name__ else 1,
    )


def _flattens(module: nn.Module) -> bool:
    flatten = getattr(module, "flatten", False)
    return flatten is True or isinstance(flatten, nn.Flatten)


def _named_pooling(model: nn.Module, name: str) -> str:
    modules = dict(model.named_modules())
    if name not in modules or not name:
        near = difflib.get_close_matches(name, modules, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else "see model.named_modules()"
        raise SurgeryError(f"{type(model).__name__} has no module called {name!r}; {hint}")
    if pooled_shape(modules[name]) is None:
        what = repr(modules[name]).splitlines()[0]
        raise SurgeryError(
            f"{name} is no global pooling: {what}. Wanted an adaptive pooling to one position, "
            "or assign the pooling yourself where a (batch, channels) result will do"
        )
    return name


def _find_pooling(model: nn.Module) -> str:
    candidates = _candidates(model)
    known = [place for place in candidates if place in WELL_KNOWN]
    free = [place for place in candidates if not _inside_block(model, place)]
    for places in (known, free):
        if len(places) == 1:
            return places[0]
    kind = type(model).__name__
    if known or free:
        raise SurgeryError(
            f"several poolings of this {kind} could be the global one; say which by name=: "
            f"{', '.join(known or free)}"
        )
    if candidates:
        raise SurgeryError(
            f"this {kind} has no global pooling module outside its blocks: {_why(model)}. "
            f"If one inside is meant after all, say so by name=: {', '.join(candidates)}"
        )
    raise SurgeryError(f"this {kind} has no global pooling module: {_why(model)}")


def _why(model: nn.Module) -> str:
    for place, module in model.named_modules():
        if isinstance(module, ADAPTIVE) and pooled_shape(module) is None:
            return (
                f"{place} pools to {module.output_size}, which keeps positions apart. "
                f"Assign the pooling to {place} yourself, and a first linear layer of its width"
            )
    if hasattr(model, "features"):
        return (
            "it pools by a function inside its forward, as torchvision's DenseNet and MobileNetV2. "
            "Build nn.Sequential(model.features, pooling, model.classifier) instead, with "
            "whatever its forward does between them (DenseNet: a ReLU)"
        )
    return (
        "it pools by a function inside its forward or not at all. Take its map or tokens "
        "(timm: model.forward_features) and pool them yourself as (batch, channels, positions)"
    )


def _candidates(model: nn.Module) -> list[str]:
    """Every module that pools globally, wherever it is; what is inside one is its own affair."""
    places: list[str] = []
    for place, module in model.named_modules():
        inside = any(place.startswith(f"{outer}.") for outer in places)
        if place and not inside and pooled_shape(module) is not None:
            places.append(place)
    return places


def _inside_block(model: nn.Module, place: str) -> bool:
    """Whether the pooling serves a block of the network rather than its end.

    So it is where the block occurs again, where what follows inside the block gives back as many
    channels as it takes (a gate), or where convolutions still look at more than one pixel.
    """
    *parents, _ = place.split(".")
    if not parents:
        return False
    modules = dict(model.named_modules())
    kinds = [type(module) for module in modules.values() if not isinstance(module, CONTAINERS)]
    for depth in range(1, len(parents) + 1):
        if kinds.count(type(modules[".".join(parents[:depth])])) > 1:
            return True
    after = _after(model, place)
    rest = [module for name, module in after if name.startswith(".".join(parents) + ".")]
    taken = [width for module in rest if (width := _width_in(module))]
    given = [width for module in rest if (width := _width_out(module))]
    if taken and given and taken[0] == given[-1]:
        return True
    return any(
        isinstance(module, CONVOLUTIONS) and set(module.kernel_size) != {1} for _, module in after
    )


def _check_width(model: nn.Module, place: str, pooling: nn.Module, old: PooledShape) -> None:
    """Refuse a pooling whose vector the next layer cannot take, as far as both are known."""
    after = ((name, _width_in(module)) for name, module in _after(model, place))
    layer, wanted = next(((name, width) for name, width in after if width), ("", None))
    taken, given = _widths(pooling)
    map_channels = _map_channels(model, place, wanted and wanted // old.times)
    pooled = given or taken or map_channels or wanted
    if wanted and pooled != wanted:
        raise SurgeryError(
            f"{type(pooling).__name__} in the place of {place} gives {pooled} values, but {layer} "
            f"after it takes {wanted}: build the pooling for this width, or replace {layer} by "
            f"one that takes {pooled} first"
        )
    if taken and map_channels and taken != map_channels:
        raise SurgeryError(
            f"{type(pooling).__name__} was built for {taken} channels, but the map that {place} "
            f"pools has {map_channels}: build it with that number"
        )


def _map_channels(model: nn.Module, place: str, expected: int | None) -> int | None:
    """The channels of the map; in strange models a guess, made only where both sides agree."""
    if isinstance(model, Backbone):
        return model.map_channels
    named = list(model.named_modules())
    before = named[: [name for name, _ in named].index(place)]
    widths = [width for _, module in before if (width := _width_out(module))]
    return expected if widths and widths[-1] == expected else None


def _widths(pooling: nn.Module) -> tuple[int | None, int | None]:
    return getattr(pooling, "channels", None), getattr(pooling, "out_channels", None)


def _widening(pooling: nn.Module) -> int:
    taken, given = _widths(pooling)
    return given // taken if taken and given else 1


def _after(model: nn.Module, place: str) -> list[tuple[str, nn.Module]]:
    """The modules registered after ``place``, its own inside left out."""
    named = list(model.named_modules())
    start = [name for name, _ in named].index(place)
    return [(name, m) for name, m in named[start + 1 :] if not name.startswith(f"{place}.")]


def _width_in(module: nn.Module) -> int | None:
    """The width of the vector a layer takes; ``None`` for layers that do not mind."""
    if isinstance(module, nn.Linear):
        return module.in_features
    if isinstance(module, CONVOLUTIONS) and set(module.kernel_size) == {1}:
        return module.in_channels
    return _norm_width(module)


def _width_out(module: nn.Module) -> int | None:
    if isinstance(module, nn.Linear):
        return module.out_features
    if isinstance(module, CONVOLUTIONS):
        return module.out_channels
    return _norm_width(module)


def _norm_width(module: nn.Module) -> int | None:
    if isinstance(module, nn.GroupNorm):
        return module.num_channels
    if isinstance(module, nn.LayerNorm):
        return module.normalized_shape[-1]
    if isinstance(module, nn.BatchNorm1d | nn.BatchNorm2d | nn.BatchNorm3d):
        return module.num_features
    return None

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

from torch import nn

from ..errors import SurgeryError
from ..pooling import Pooling
from .backbone import Backbone
from .functional_pools import head_of, pool_inside, why_not
from .stand_ins import ADAPTIVE, PooledShape, StandIn, pooled_shape, widths

# Where torchvision, timm and this package keep the global pooling.
WELL_KNOWN = ("pooling", "avgpool", "global_pool", "head.global_pool")

CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
CONTAINERS = (nn.Sequential, nn.ModuleList, nn.ModuleDict)


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
    if place is None:
        new = _replace_function(model, pooling)
        new.train(model.training)
    else:
        old = model.get_submodule(place)
        shape = pooled_shape(old)
        assert shape is not None
        operated = place == "pooling" and isinstance(old, StandIn)  # of a function's place
        _check_width(model, (operated and head_of(model)) or place, pooling, shape)
        new = pooling if isinstance(old, Pooling) else StandIn(pooling, shape)
        new.train(old.training)
        for parent in list(model.modules()):
            for key, child in list(parent._modules.items()):  # named_children hides second names
                if child is old:
                    setattr(parent, key, new)
    if (parameter := next(model.parameters(), None)) is not None:
        new.to(parameter.device)
    return model


def _replace_function(model: nn.Module, pooling: nn.Module) -> nn.Module:
    reason, head = why_not(model), head_of(model)
    if reason is None and head is not None:
        _check_width(model, head, pooling, PooledShape())
    found = reason or pool_inside(model, pooling)
    if isinstance(found, str):
        raise SurgeryError(f"this {type(model).__name__} has no global pooling module: {found}")
    return found


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


def _find_pooling(model: nn.Module) -> str | None:
    """The name of the global pooling; ``None`` where a function pools, or nothing at all."""
    if hasattr(model, "attn_pool"):  # timm's slot for one, in models of tokens
        return None
    candidates = _candidates(model)
    known = [place for place in candidates if place in WELL_KNOWN]
    free = [place for place in candidates if not _inside_block(model, place)]
    for places in (known, free):
        if len(places) == 1:
            if not isinstance(model.get_submodule(places[0]), StandIn | Pooling):
                _check_map(model, places[0])
            return places[0]
    kind = type(model).__name__
    if known or free:
        raise SurgeryError(
            f"several poolings of this {kind} could be the global one; say which by name=: "
            f"{', '.join(known or free)}"
        )
    for place, module in model.named_modules():
        if isinstance(module, ADAPTIVE) and pooled_shape(module) is None:
            raise SurgeryError(
                f"this {kind} has no global pooling module: "
                f"{place} pools to {module.output_size}, which keeps positions apart. "
                f"Assign the pooling to {place} yourself, and a first linear layer of its width"
            )
    if candidates and head_of(model) is None:
        raise SurgeryError(
            f"this {kind} has no global pooling module outside its blocks: it pools by a function "
            "inside its forward or not at all. "
            f"If one inside is meant after all, say so by name=: {', '.join(candidates)}"
        )
    return None


def _check_map(model: nn.Module, place: str) -> None:
    """Refuse a pooling of something else than a map of features."""
    before = [module for _, module in _before(model, place)]
    scores = getattr(model, "num_classes", None)
    given = [width for module in before if (width := _width_out(module))]
    if (
        scores
        and given
        and given[-1] == scores
        and not any(_width_in(module) for _, module in _after(model, place))
    ):
        raise SurgeryError(
            f"{place} of this {type(model).__name__} pools the scores of its {scores} classes, no "
            "features: pool the map before its last convolution yourself, or say that the scores "
            f"are meant by name={place!r}"
        )
    spatial = [m for m in before if isinstance(m, CONVOLUTIONS) and set(m.kernel_size) != {1}]
    if spatial and _covers_map(spatial[-1]):
        raise SurgeryError(
            f"{place} of this {type(model).__name__} finds a single position: a convolution before "
            "it covers the whole map at the usual size of images. Pool the map before that, or, "
            f"for larger images, say name={place!r}"
        )


def _covers_map(module: nn.Module) -> bool:
    """A convolution in the place of a first linear layer, as in timm's VGG: 7×7, no border."""
    return (
        isinstance(module, nn.Conv2d)
        and min(module.kernel_size) >= 5
        and set(module.stride) == {1}
        and set(module.padding) == {0}
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
    taken, given = widths(pooling)
    after = (
        (name, _width_in(module))
        for name, module in _after(model, place)
        # timm's LowFormer registers a convolution before the pooling after it
        if taken is None or _width_out(module) != taken or _width_in(module) == taken
    )
    layer, wanted = next(((name, width) for name, width in after if width), ("", None))
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
    known = [width for _, module in _before(model, place) if (width := _width_out(module))]
    said = getattr(model, "num_features", None)  # by timm's, of their last stage
    return expected if expected in (said, *known[-1:]) else None


def _before(model: nn.Module, place: str) -> list[tuple[str, nn.Module]]:
    """The modules registered before ``place``."""
    named = list(model.named_modules())
    return named[: [name for name, _ in named].index(place)]


def _after(model: nn.Module, place: str) -> list[tuple[str, nn.Module]]:
    """The modules registered after ``place``, its own inside left out if it is a pooling."""
    named = list(model.named_modules())
    start = [name for name, _ in named].index(place)
    if pooled_shape(named[start][1]) is None:  # a head: it is what comes after
        return named[start:]
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

"""Surgery on networks that pool by a function inside a method, where there is no module to replace.

Such a network gets a class of its own under the same name, with that one method written anew, and
the pooling as a module ``pooling``. Weights keep their names; the network can be copied, pickled
and compiled as before, and ``isinstance`` still holds.

timm      ``forward_head`` pools tokens or a map and classifies the vector. The new one pools by
          ours and gives the old one a map of a single position, whose average, maximum or class
          token is the pooled vector. Heads that take the class token keep all others as they are.
          That it is so is tried on a small random map before the network is touched.
torchvision   five families, by their ``forward``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ..pooling import AveragePool
from .stand_ins import PooledShape, StandIn

FLAT = PooledShape(flat=True)
CLASS_TOKEN = "token"
SEVERAL_MAPS = ("CrossVit", "EfficientViM", "EfficientViMDistilled")
TOKENS, FIRST, LAST = "tokens", "channels first", "channels last"


@dataclass(frozen=True)
class Forward:
    """The forward of a family: up to the map, and from the vector on."""

    parts: tuple[str, ...]  # children by which the family is known beside its name
    features: Callable[[Any, Tensor], Tensor]
    head: Callable[[Any, Tensor], Tensor]
    shape: PooledShape = FLAT


def _shuffled(model: Any, images: Tensor) -> Tensor:
    x = model.maxpool(model.conv1(images))
    return model.conv5(model.stage4(model.stage3(model.stage2(x))))


def _tokens(model: Any, images: Tensor) -> Tensor:  # (B, 1 + N, C)
    patches = model._process_input(images)
    first = model.class_token.expand(patches.shape[0], -1, -1)
    return model.encoder(torch.cat([first, patches], dim=1))


FORWARDS = {
    "DenseNet": Forward(
        ("features", "classifier"),
        lambda model, images: F.relu(model.features(images)),
        lambda model, vector: model.classifier(vector),
    ),
    "MobileNetV2": Forward(
        ("features", "classifier"),
        lambda model, images: model.features(images),
        lambda model, vector: model.classifier(vector),
    ),
    "MNASNet": Forward(
        ("layers", "classifier"),
        lambda model, images: model.layers(images),
        lambda model, vector: model.classifier(vector),
    ),
    "ShuffleNetV2": Forward(
        ("conv1", "stage4", "conv5", "fc"), _shuffled, lambda model, vector: model.fc(vector)
    ),
    "VisionTransformer": Forward(
        ("encoder", "heads"),
        _tokens,
        lambda model, vector: model.heads(vector),
        PooledShape(flat=True, channels_last=True, prefix=1),
    ),
}


def why_not(model: nn.Module) -> str | None:
    """Why a network of timm that pools by a function has no one map to pool, if it has none."""
    if type(model).__name__ in SEVERAL_MAPS or getattr(model, "aggregate", None) is not None:
        return "it pools several maps, one for each resolution, and mixes what comes of them"
    if type(model).__name__ == "PoolingVisionTransformer":
        return "its forward_features gives class tokens only, and no patches to pool"
    return None


def head_of(model: nn.Module) -> str | None:
    """The name of what takes the vector of a network that pools by a function, if that is known."""
    if hasattr(model, "forward_head") and hasattr(model, "forward_features"):
        norm = getattr(model, "fc_norm", None)
        names = ("fc_norm", "head") if isinstance(norm, nn.LayerNorm) else ("head",)
        return next(
            (name for name in names if isinstance(getattr(model, name, None), nn.Module)), None
        )
    family = _family(model)
    return None if family is None else family.parts[-1]


def pool_inside(model: nn.Module, pooling: nn.Module) -> StandIn | str:
    """Put ``pooling`` where a method of ``model`` pools; a reason in words where it cannot be."""
    if hasattr(model, "forward_head") and hasattr(model, "forward_features"):
        return _in_head(model, pooling)
    family = _family(model)
    if family is None:
        return (
            "it pools by a function inside its forward or not at all. Take its map or tokens and "
            "pool them yourself as (batch, channels, positions)"
        )
    return _operate(model, type(model).__name__, StandIn(pooling, family.shape))


def _family(model: nn.Module) -> Forward | None:
    family = FORWARDS.get(type(model).__name__)
    return family if family and all(hasattr(model, part) for part in family.parts) else None


def _in_head(model: Any, pooling: nn.Module) -> StandIn | str:
    prefix = int(getattr(model, "num_prefix_tokens", 0) or 0)
    if not prefix and getattr(model, "global_pool", "") == CLASS_TOKEN:
        prefix = 1  # CoaT and VOLO do not say
    if hasattr(model, "attn_pool"):
        # Vision transformers cut off the prefix themselves, unless told not to; EVA does not.
        cut = 0 if getattr(model, "pool_include_prefix", None) is False else prefix
        slot = StandIn(AveragePool(), PooledShape(flat=True, channels_last=True, prefix=cut))
        old, model.attn_pool = model.attn_pool, slot
        if _pools_once(model, slot, prefix):
            slot.pooling = pooling
            return slot
        model.attn_pool = old
    before = {how: _scores(model, how, prefix) for how in (TOKENS, FIRST, LAST)}
    how = next((how for how, scores in before.items() if scores is not None), None)
    if how is None:
        return (
            "its head takes no map or tokens of its num_features channels: it has none, or "
            "pools several maps. Pool what forward_features gives yourself"
        )
    last = how != FIRST
    shape = PooledShape(flat=True, channels_last=last, prefix=prefix if how == TOKENS else 0)
    stand_in = _operate(model, "forward_head", StandIn(AveragePool(), shape))
    after = _scores(model, how, prefix)
    token = how == TOKENS and getattr(model, "global_pool", "") == CLASS_TOKEN
    if after is None or not (token or _same(before[how], after)):
        model.__class__ = type(model).__base__
        del model.pooling
        return "its head does more with the map than to average it: forward_head is its own affair"
    stand_in.pooling = pooling
    return stand_in


def _operate(model: Any, method: str, stand_in: StandIn) -> StandIn:
    base: Any = type(model)
    model.__class__ = operated_class(base, method)
    model.pooling = stand_in
    return stand_in


@functools.cache
def operated_class(base: Any, method: str) -> Any:
    """The class of an operated network: ``base`` with its pooling taken from ``self.pooling``."""

    def forward_head(self: Any, x: Tensor, *args: Any, **options: Any) -> Any:
        return base.forward_head(self, _one_position(self, x), *args, **options)

    def forward(self: Any, images: Tensor) -> Tensor:
        family = FORWARDS[method]
        return family.head(self, self.pooling(family.features(self, images)))

    def reduced(self: Any) -> tuple[Any, ...]:
        return _empty, (base, method), self.__dict__

    written = {"forward_head": forward_head} if method == "forward_head" else {"forward": forward}
    names = {"__module__": base.__module__, "__reduce__": reduced, "__doc__": base.__doc__}
    return type(base.__name__, (base,), {**written, **names})


def _empty(base: type, method: str) -> Any:
    """An operated network without anything in it, which pickle and copy fill."""
    kind = operated_class(base, method)
    return kind.__new__(kind)


def _one_position(model: Any, x: Tensor) -> Tensor:
    """What the old head makes the pooled vector of."""
    pooled, shape = model.pooling(x), model.pooling.shape
    if not shape.channels_last:
        return pooled.reshape(*pooled.shape, *(1,) * (x.ndim - 2))
    if x.ndim > 3:
        return pooled.reshape(pooled.shape[0], *(1,) * (x.ndim - 2), pooled.shape[1])
    if getattr(model, "global_pool", "") == CLASS_TOKEN:
        first = pooled.unsqueeze(1).expand(-1, shape.prefix, -1)
        return torch.cat([first, x[:, shape.prefix :]], dim=1)
    return pooled.unsqueeze(1).expand(-1, shape.prefix + 1, -1)


def _pools_once(model: Any, slot: StandIn, prefix: int) -> bool:
    calls: list[int] = []
    handle = slot.register_forward_hook(lambda *_: calls.append(1))
    try:
        return _scores(model, TOKENS, prefix) is not None and len(calls) == 1
    finally:
        handle.remove()


def _scores(model: Any, how: str, prefix: int) -> Tensor | None:
    """What the head makes of a small random map; ``None`` where it takes none of that layout."""
    channels = int(model.num_features)
    shape = {
        TOKENS: (1, prefix + 6, channels),
        FIRST: (1, channels, 2, 3),
        LAST: (1, 2, 3, channels),
    }[how]
    weight = next(model.parameters())
    features = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    with _judged(model), torch.no_grad():
        try:
            scores = model.forward_head(features.to(weight.device, weight.dtype))
        except (RuntimeError, IndexError, ValueError, TypeError, AttributeError, AssertionError):
            return None
    return scores if isinstance(scores, Tensor) and scores.shape[0] == 1 else None


@contextmanager
def _judged(model: nn.Module) -> Iterator[None]:
    """The model in eval, and every part of it as it was afterwards."""
    training = [module for module in model.modules() if module.training]
    model.eval()
    try:
        yield
    finally:
        for module in training:
            module.training = True


def _same(before: Tensor | None, after: Tensor) -> bool:
    if before is None or before.shape != after.shape:
        return False
    return before.is_meta or torch.allclose(before, after, rtol=1e-3, atol=1e-3)

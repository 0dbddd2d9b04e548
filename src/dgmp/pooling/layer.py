"""What every pooling shares: positions in, one vector out, weights, precision, unit length.

A pooling sees the features of an image as a bag of N positions with C channels each; how the
positions were laid out (a map, a row of tokens, the patches of a page) no longer matters. Each
position may carry a weight, the ``attention``, and one law says what a weight means for every
pooling here:

    a position of weight k counts as k copies of it; a position of weight 0 is not there

so a boolean mask is the case 0/1, and an image padded to the size of its batch pools to what it
pools to alone. An image with no position at all pools to zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import torch
import torch.fx
from torch import Tensor, nn

from .precision import HALF, exactly, widened


class Pooling(nn.Module):
    """A pooling as a module: ``(B, C, *positions)`` to ``(B, out_channels)``.

    A subclass fills in :meth:`pool`. What comes before and after is the same for all: positions
    become one axis, half precision is raised to float32 with autocast switched off, values
    under a zero weight are taken out, and the result is brought to unit length where
    ``normalize`` says so and returned in the type that came in.

    ``channels`` is the width the pooling was built for, ``None`` where it takes any;
    ``out_channels`` is the width of the vector, ``None`` where it is that of the input.

    A parameter that is one number, such as a ridge or an exponent, has shape (1,), which FSDP can
    shard, and stays in float32 when the module is brought to half precision: there a step of an
    optimiser would be rounded away. ``torch.fx`` sees a pooling as a leaf.
    """

    channels: int | None = None
    out_channels: int | None = None

    def __init__(self, *, normalize: bool = False) -> None:
        super().__init__()
        self.normalize = normalize

    def forward(
        self,
        features: Tensor,  # (B, C, *positions)
        attention: Tensor | None = None,  # (B, *positions), boolean or non-negative
    ) -> Tensor:  # (B, out_channels)
        if isinstance(features, torch.fx.Proxy):
            return self._as_leaf(features, attention)
        with exactly(features):
            phi, weights = flatten_positions(features, attention)
            if self.channels is not None and phi.shape[1] != self.channels:
                raise ValueError(
                    f"{type(self).__name__} was built for {self.channels} channels, "
                    f"got features with {phi.shape[1]}: {_shape(features)}{self._hint(features)}"
                )
            pooled = self.pool(phi, weights)
            if self.normalize:
                pooled = unit_length(pooled)
        return pooled.to(features.dtype)

    def pool(
        self,
        phi: Tensor,  # (B, C, N), float32 or float64
        weights: Tensor | None,  # (B, N) in the same type; None: every position counts once
    ) -> Tensor:  # (B, out_channels)
        """The formula of the pooling."""
        raise NotImplementedError

    def _hint(self, features: Tensor) -> str:
        if features.ndim == 3 and features.shape[0] == self.channels:
            return "; a single image needs a batch axis, features.unsqueeze(0)"
        return ""

    def _as_leaf(self, features: torch.fx.Proxy, attention: object) -> Any:
        tracer = features.tracer
        assert isinstance(tracer, torch.fx.Tracer)
        path = tracer.path_of_module(self)
        if not path:
            raise ValueError(
                f"{type(self).__name__} is a leaf of torch.fx and cannot be traced by itself; "
                "trace the network around it, or nn.Sequential(pooling)"
            )
        rest = () if attention is None else (attention,)
        return tracer.create_proxy("call_module", path, (features, *rest), {})

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        numbers = {id(x) for x in (*self._parameters.values(), *self._buffers.values())}

        def keeping(tensor: Tensor) -> Tensor:
            moved = fn(tensor)
            halved = moved.dtype in HALF and tensor.dtype not in HALF
            if halved and tensor.numel() == 1 and id(tensor) in numbers:
                return tensor.to(moved.device, torch.float32)
            return moved

        if recurse:
            for child in self.children():
                child._apply(fn)
        return super()._apply(keeping, recurse=False)

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *others: Any) -> None:
        # Until version 0.1 these numbers had no axis.
        for name, own in (*self._parameters.items(), *self._buffers.items()):
            stored = state_dict.get(prefix + name)
            if own is not None and isinstance(stored, Tensor) and stored.ndim == 0:
                state_dict[prefix + name] = stored.reshape(own.shape)
        super()._load_from_state_dict(state_dict, prefix, *others)


def one_number(value: float) -> Tensor:  # (1,)
    """A number that a pooling keeps or learns, in float32 or better."""
    default = torch.get_default_dtype()
    return torch.tensor([value], dtype=torch.float32 if default in HALF else default)


def pooling_parameters(model: nn.Module) -> list[nn.Parameter]:
    """The parameters of all poolings inside ``model``, for an optimiser group of their own.

    A ridge or an exponent wants another learning rate than a convolution, and no weight decay.
    """
    poolings = [module for module in model.modules() if isinstance(module, Pooling)]
    found = {id(p): p for pooling in poolings for p in pooling.parameters()}
    return list(found.values())


def parameter_groups(model: nn.Module, *, weight_decay: float) -> list[dict[str, Any]]:
    """The parameters of ``model`` for an optimiser: all but the poolings', and the poolings'.

    The second group has no weight decay, which would pull the ridge towards 1, an exponent
    likewise, whatever the loss says. Parameters that are not trained are left out.
    """
    of_pooling = [p for p in pooling_parameters(model) if p.requires_grad]
    known = {id(parameter) for parameter in of_pooling}
    others = [p for p in model.parameters() if id(p) not in known and p.requires_grad]
    return [
        {"params": others, "weight_decay": weight_decay},
        {"params": of_pooling, "weight_decay": 0.0},
    ]


def flatten_positions(
    features: Tensor,  # (B, C, *positions)
    attention: Tensor | None,  # (B, *positions)
) -> tuple[Tensor, Tensor | None]:  # (B, C, N), (B, N)
    """Check the shapes, lay all positions on one axis, in float32 or better.

    Under a boolean mask every masked value becomes zero. Under a zero weight only values that
    are not finite do: the finite ones are needed for the gradient of that weight.
    """
    if features.ndim < 3 or not features.is_floating_point():
        raise ValueError(
            "features must be floating point of shape (batch, channels, *positions), "
            f"got {features.dtype} of shape {_shape(features)}"
        )
    phi = widened(features).flatten(start_dim=2)  # (B, C, N)
    if phi.shape[2] == 0:
        raise ValueError(f"features have no position: {_shape(features)}")
    if attention is None:
        return phi, None
    if attention.shape != (features.shape[0], *features.shape[2:]):
        raise ValueError(
            f"attention must have one weight per position, shape "
            f"{(features.shape[0], *features.shape[2:])} for features {_shape(features)}, "
            f"got {_shape(attention)}"
        )
    weights = attention.flatten(start_dim=1)  # (B, N)
    if weights.dtype == torch.bool:
        return phi.masked_fill(~weights.unsqueeze(1), 0), weights.to(phi.dtype)
    if not weights.is_floating_point():
        raise ValueError(f"attention must be boolean or floating point, got {weights.dtype}")
    absent = (weights == 0).unsqueeze(1) & ~phi.isfinite()
    return phi.masked_fill(absent, 0), weights.to(phi.dtype)


def unit_length(vectors: Tensor) -> Tensor:  # (B, D) -> (B, D)
    """Rows of length one; a row of zeros stays zero and passes no gradient."""
    # The size of a row cancels out, so it may be taken out first, and no square leaves the range.
    size = vectors.detach().abs().amax(dim=-1, keepdim=True)
    vectors = vectors / torch.where(size > 0, size, 1)
    norm = torch.linalg.vector_norm(vectors, dim=-1, keepdim=True)
    empty = norm == 0
    return torch.where(empty, 0, vectors / norm.masked_fill(empty, 1))


def _shape(tensor: Tensor) -> tuple[int, ...]:
    return tuple(tensor.shape)

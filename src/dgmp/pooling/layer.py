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

import torch
from torch import Tensor, nn

from .precision import exactly, widened


class Pooling(nn.Module):
    """A pooling as a module: ``(B, C, *positions)`` to ``(B, out_channels)``.

    A subclass fills in :meth:`pool`. What comes before and after is the same for all: positions
    become one axis, half precision is raised to float32 with autocast switched off, values
    under a zero weight are taken out, and the result is brought to unit length where
    ``normalize`` says so and returned in the type that came in.

    ``channels`` is the width the pooling was built for, ``None`` where it takes any;
    ``out_channels`` is the width of the vector, ``None`` where it is that of the input.
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
        with exactly(features):
            phi, weights = flatten_positions(features, attention)
            if self.channels is not None and phi.shape[1] != self.channels:
                raise ValueError(
                    f"{type(self).__name__} was built for {self.channels} channels, "
                    f"got features with {phi.shape[1]}: {_shape(features)}"
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


def pooling_parameters(model: nn.Module) -> list[nn.Parameter]:
    """The parameters of all poolings inside ``model``, for an optimiser group of their own.

    A ridge or an exponent wants another learning rate than a convolution, and no weight decay.
    """
    poolings = [module for module in model.modules() if isinstance(module, Pooling)]
    found = {id(p): p for pooling in poolings for p in pooling.parameters()}
    return list(found.values())


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

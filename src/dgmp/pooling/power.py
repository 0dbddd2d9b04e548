"""Power normalisation: less weight for the largest channels of a pooled vector.

    ξ ← sign(ξ)·|ξ|^power,  then ξ ← ξ / ‖ξ‖ if ``normalize``

It wraps any pooling and is one itself. Its derivative at 0 is infinite; a channel that is exactly 0
passes no gradient.

Perronnin, Sánchez, Mensink: Improving the Fisher Kernel for Large-Scale Image Classification, ECCV
2010.
"""

from __future__ import annotations

from torch import Tensor

from .layer import Pooling


class PowerNormalized(Pooling):
    """The vector of another pooling, each channel raised to a power with its sign kept."""

    def __init__(self, pooling: Pooling, power: float = 0.5, *, normalize: bool = True) -> None:
        super().__init__(normalize=normalize)
        if not power > 0:
            raise ValueError(f"power must be positive, got {power}")
        self.pooling = pooling
        self.power = power
        self.channels = pooling.channels
        self.out_channels = pooling.out_channels

    def pool(self, phi: Tensor, weights: Tensor | None) -> Tensor:
        return signed_power(self.pooling(phi, weights), self.power)


def signed_power(vectors: Tensor, power: float) -> Tensor:  # (B, D) -> (B, D)
    """sign(x)·|x|^power, with a gradient of zero at zero."""
    return vectors.sign() * vectors.abs().masked_fill(vectors == 0, 1) ** power

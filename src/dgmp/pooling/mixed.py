"""Mixed pooling: one learned compromise between maximum and average.

    ξ = α·max + (1 − α)·avg      α: one number, starts at 0.5, free to leave [0, 1]

Lee, Gallagher, Tu: Generalizing Pooling Functions in Convolutional Neural Networks, AISTATS 2016.
"""

from __future__ import annotations

from torch import Tensor, nn

from .average import weighted_average
from .layer import Pooling, one_number
from .maximum import present_maximum


class MixedPool(Pooling):
    """Maximum and average, mixed in the same learned proportion for every channel."""

    def __init__(self, alpha: float = 0.5, *, normalize: bool = False) -> None:
        super().__init__(normalize=normalize)
        self.initial_alpha = alpha
        self.alpha = nn.Parameter(one_number(alpha))

    def reset_parameters(self) -> None:
        """Back to the proportion it was built with."""
        nn.init.constant_(self.alpha, self.initial_alpha)

    def pool(self, phi: Tensor, weights: Tensor | None) -> Tensor:
        maximum, average = present_maximum(phi, weights), weighted_average(phi, weights)
        return average + self.alpha.to(phi.dtype) * (maximum - average)

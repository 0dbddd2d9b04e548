"""SALAD: positions assigned to clusters by optimal transport, with a bin for what says nothing.

    V_k = Σᵢ wᵢ P_ki f(φᵢ),   ξ = all V_k, each of unit length, one after the other: K·D numbers

f and the scores s are perceptrons of one hidden layer. The plan P comes from the scores and from
those of the bin, one learned number z for every position, by Sinkhorn steps, each

    row k       P_ki scaled so that Σᵢ wᵢP_ki = 1, for the bin Σw − K
    column i    P_ki scaled so that Σ_k P_ki = 1, the bin included

starting at exp(s). What the bin gets is left out. An image with no more positions than clusters
has an empty bin. The authors put a second part beside it, from the class token of a transformer,
which a map does not have, and train with dropout in the perceptrons, which is not part of this.

Izquierdo, Civera: Optimal Transport Aggregation for Visual Place Recognition, CVPR 2024.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .layer import Pooling, one_number, unit_length
from .log_sum_exp import log_mean_exp
from .maximum import bounded
from .precision import widened


class SaladPool(Pooling):
    """Sums of local descriptors by cluster, the assignment balanced over clusters.

    ``width`` is D, the number of channels of f, and ``hidden`` that of its hidden layer.
    """

    def __init__(
        self,
        channels: int,
        clusters: int = 64,
        width: int = 128,
        *,
        hidden: int = 512,
        iterations: int = 3,
        normalize: bool = False,
    ) -> None:
        super().__init__(normalize=normalize)
        sizes = {"clusters": clusters, "width": width, "hidden": hidden, "iterations": iterations}
        for name, size in sizes.items():
            if size < 1:
                raise ValueError(f"{name} must be at least 1, got {size}")
        self.channels = channels
        self.out_channels = clusters * width
        self.clusters = clusters
        self.iterations = iterations
        self.score = nn.ModuleList([nn.Linear(channels, hidden), nn.Linear(hidden, clusters)])
        self.local = nn.ModuleList([nn.Linear(channels, hidden), nn.Linear(hidden, width)])
        self.bin_score = nn.Parameter(one_number(1.0))

    def reset_parameters(self) -> None:
        """The bin back to its start; the perceptrons have methods of their own."""
        nn.init.ones_(self.bin_score)

    def pool(self, phi: Tensor, weights: Tensor | None) -> Tensor:
        phi, _ = bounded(phi, weights)
        # A ReLU would hide −∞; broken features must show.
        tokens = phi.masked_fill(phi.isinf(), torch.nan).mT  # (B, N, C)
        plan = self._plan(_perceptron(self.score, tokens).mT, weights)  # (B, K, N)
        if weights is not None:
            plan = plan * weights.unsqueeze(1)
        return unit_length(plan @ _perceptron(self.local, tokens)).flatten(start_dim=1)

    def _plan(self, scores: Tensor, weights: Tensor | None) -> Tensor:  # (B, K, N) -> (B, K, N)
        bins = widened(self.bin_score).to(scores.dtype).expand(scores.shape[0], 1, scores.shape[2])
        scores = torch.cat([scores, bins], dim=1)  # (B, K + 1, N)
        masses = self._log_masses(scores, weights)  # (B, K + 1)
        columns = torch.zeros_like(scores[:, 0])
        for _ in range(self.iterations):
            rows = masses - log_mean_exp(scores + columns.unsqueeze(1), weights)
            columns = -torch.logsumexp(scores + rows.unsqueeze(2), dim=1)
        return (scores + rows.unsqueeze(2) + columns.unsqueeze(1))[:, :-1].exp()

    def _log_masses(self, scores: Tensor, weights: Tensor | None) -> Tensor:  # (B, K + 1)
        """log of what each row gets, relative to the number of positions, which cancels out."""
        if weights is None:
            count = scores.new_full(scores.shape[:1], scores.shape[2])
        else:
            count = weights.sum(dim=1)
        full = count <= self.clusters
        rest = (count - self.clusters).masked_fill(full, 1).log().masked_fill(full, -torch.inf)
        return F.pad(rest.unsqueeze(1), (self.clusters, 0))


def _perceptron(layers: nn.ModuleList, tokens: Tensor) -> Tensor:  # (B, N, C) -> (B, N, D)
    first, last = layers
    hidden = _linear(first, tokens).relu()
    return _linear(last, hidden)


def _linear(layer: nn.Module, tokens: Tensor) -> Tensor:
    assert isinstance(layer, nn.Linear)
    return F.linear(tokens, layer.weight.to(tokens.dtype), layer.bias.to(tokens.dtype))

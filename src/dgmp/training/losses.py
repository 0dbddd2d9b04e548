"""What a batch of outputs is worth: triplets of writers, cross entropy of scripts and clusters.

``hard``: for every anchor its farthest positive and its nearest negative, Euclidean, averaged over
all anchors (Hermans, Beyer, Leibe 2017). ``published``: every positive pair with the nearest
negative of its anchor, squared distances, averaged over the triplets that cost something, as the
published code of the paper has it. The soft margin replaces max(0, m + d) by log(1 + exp(d)).
``all``: every positive pair against all negatives of its anchor at once, averaged over the pairs,

    log(1 + Σₙ exp((d(a, p) − d(a, n)) / T))      T: the temperature

which learns from every pair from the first step on, where batch-hard triplets are slow to begin.

Where classes have an order, as centuries, cross entropy says nothing of how far off a class is. To
it is added the squared earth mover's distance between the probabilities p and the true class y
(Hou, Yu, Samaras 2016), times a weight:

    Σₖ (Σ_{j≤k} p_j − [k ≥ y])²
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from ..names import need
from .recipes import Recipe

Loss = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]  # outputs, labels -> loss, active


def make_loss(recipe: Recipe) -> Loss:
    """The loss of a recipe: also gives which share of triplets (or patches) is not yet right."""
    if recipe.order_weight is not None:
        return _ordered(recipe.order_weight)
    if recipe.task != "writer":
        return _cross_entropy
    if recipe.mining == "all":
        return _all_pairs(recipe.temperature)
    published = recipe.mining == "published"
    distance = _metric("distances").LpDistance(
        normalize_embeddings=False, power=2 if published else 1
    )
    cost = _metric("losses").TripletMarginLoss(
        margin=recipe.margin,
        smooth_loss=recipe.soft_margin,
        distance=distance,
        reducer=_metric("reducers").DoNothingReducer(),
    )
    miner = _metric("miners").BatchHardMiner(distance=distance)

    def triplets(outputs: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        with torch.no_grad():
            chosen = (
                _pairs_with_nearest(distance(outputs), labels)
                if published
                else miner(outputs, labels)
            )
        found = cost(outputs, labels, chosen)["loss"]["losses"]
        if not torch.is_tensor(found) or not len(found):
            return outputs.sum() * 0, outputs.new_zeros(())  # a batch of one writer: no triplet
        with torch.no_grad():
            apart = distance(outputs)
            anchor, positive, negative = chosen
            active = apart[anchor, positive] + recipe.margin > apart[anchor, negative]
        total = found.sum() / active.sum().clamp_min(1) if published else found.mean()
        return total, active.float().mean()

    return triplets


def _metric(part: str) -> Any:
    """A part of pytorch-metric-learning, imported when a loss needs it: it takes a second."""
    return need(f"pytorch_metric_learning.{part}")


def _all_pairs(temperature: float) -> Loss:
    distance = _metric("distances").LpDistance(normalize_embeddings=False)
    cost = _metric("losses").NTXentLoss(temperature=temperature, distance=distance)

    def pairs(outputs: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        with torch.no_grad():
            apart = distance(outputs)
            anchor, positive, negative = _pairs_with_nearest(apart, labels)
            active = apart[anchor, positive] > apart[anchor, negative]
        if not len(anchor):
            return outputs.sum() * 0, outputs.new_zeros(())
        return cost(outputs, labels), active.float().mean()

    return pairs


def _pairs_with_nearest(apart: Tensor, labels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    same = labels[:, None] == labels
    nearest = apart.masked_fill(same, torch.inf).argmin(dim=1)
    has_negative = ~same.all(dim=1)
    same.fill_diagonal_(False)
    anchor, positive = torch.where(same & has_negative[:, None])
    return anchor, positive, nearest[anchor]


def _cross_entropy(outputs: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    wrong = outputs.argmax(dim=1) != labels
    return F.cross_entropy(outputs, labels), wrong.float().mean()


def _ordered(weight: float) -> Loss:
    def loss(outputs: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        entropy, wrong = _cross_entropy(outputs, labels)
        below = outputs.softmax(dim=1).cumsum(dim=1)  # (B, classes)
        reached = torch.arange(outputs.shape[1], device=labels.device) >= labels[:, None]
        moved = (below - reached.to(below.dtype)).square().sum(dim=1)
        return entropy + weight * moved.mean(), wrong

    return loss

"""The optimiser and its learning rates.

AMSGrad in two groups: the parameters of poolings have a learning rate of their own and no weight
decay, and keep their multiplier while the rate falls. The rate is constant up to an epoch s and
then lr·f^((e − s)/(T − s)), f: the share that is left at the end, a thousandth in the paper.
"""

from __future__ import annotations

from typing import Protocol

from torch import nn
from torch.optim import Adam, Optimizer

from ..pooling import parameter_groups


class Rates(Protocol):
    """What a recipe says of its learning rates; see ``Recipe`` for each."""

    @property
    def epochs(self) -> int: ...
    @property
    def decay_from(self) -> int: ...
    @property
    def learning_rate(self) -> float: ...
    @property
    def final_rate(self) -> float: ...
    @property
    def warmup_steps(self) -> int: ...
    @property
    def weight_decay(self) -> float: ...
    @property
    def pooling_rate(self) -> float: ...


def make_optimizer(model: nn.Module, recipe: Rates) -> Optimizer:
    """AMSGrad over all parameters, those of poolings apart."""
    groups = parameter_groups(model, weight_decay=recipe.weight_decay)
    for group, multiplier in zip(groups, (1.0, recipe.pooling_rate), strict=True):
        group["multiplier"] = multiplier
    optimizer = Adam(
        [group for group in groups if group["params"]],
        recipe.learning_rate,
        amsgrad=True,
        fused=True,  # one pass over the weights: a quarter of the time on a processor
    )
    optimizer.register_load_state_dict_post_hook(_give_axes)
    return optimizer


def _give_axes(optimizer: Optimizer) -> None:
    """Runs begun with version 0.1 stored the moments of a ridge without an axis."""
    for parameter, state in optimizer.state.items():
        for name in state.keys() - {"step"}:
            state[name] = state[name].reshape(parameter.shape)


def set_learning_rate(optimizer: Optimizer, recipe: Rates, epoch: int, step: int) -> float:
    """Set the rate of an epoch, and of a step since the very first while it warms up."""
    rate = recipe.learning_rate * decay(recipe, epoch)
    if step < recipe.warmup_steps:
        rate *= (step + 1) / recipe.warmup_steps
    for group in optimizer.param_groups:
        group["lr"] = rate * group["multiplier"]
    return rate


def decay(recipe: Rates, epoch: int) -> float:
    """The share of the learning rate that is left in an epoch, counted from 0."""
    if epoch <= recipe.decay_from or recipe.decay_from >= recipe.epochs:
        return 1.0
    falling = (epoch - recipe.decay_from) / (recipe.epochs - recipe.decay_from)
    return float(recipe.final_rate**falling)

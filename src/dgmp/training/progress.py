"""Where a training stands, and the callbacks that are given it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..records import PageProgress


@dataclass(frozen=True)
class TrainingProgress:
    """Where a training stands, for those who watch."""

    epoch: int
    epochs: int
    step: int
    steps: int
    loss: float  # mean of the epoch so far
    active: float
    ridge: float | None
    relative_ridge: float | None
    per_second: float  # patches
    seconds_left: float
    validation: float | None = None  # at the end of an epoch

    @property
    def epoch_done(self) -> bool:
        """Whether this is the last word on the epoch."""
        return self.step == self.steps


Watcher = Callable[[TrainingProgress], None]


@dataclass(frozen=True)
class Watchers:
    """Callbacks while several things are trained."""

    announce: Callable[[str], None] | None = None  # a part begins
    step: Watcher | None = None  # of a training
    prepared: PageProgress | None = None

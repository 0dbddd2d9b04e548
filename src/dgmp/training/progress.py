"""Where a training stands, the callbacks that are given it, and the loggers of its epochs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..plugins import find
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


class Logger(Protocol):
    """Whatever keeps the numbers of a training: a file, TensorBoard, wandb, a service of one's own.

    Only the first of several processes calls it.
    """

    def log(self, values: Mapping[str, float], epoch: int) -> None:
        """Keep the numbers of an epoch, which are those of metrics.jsonl."""

    def close(self) -> None:
        """The training has ended, or was stopped."""


class TensorBoard:
    """The numbers of every epoch for TensorBoard, in the run's folder ``tensorboard``."""

    def __init__(self, run: Path) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._writer = SummaryWriter(str(run / "tensorboard"))

    def log(self, values: Mapping[str, float], epoch: int) -> None:
        """Keep the numbers of an epoch."""
        for name, number in values.items():
            self._writer.add_scalar(name, number, epoch)

    def close(self) -> None:
        """Write what is left."""
        self._writer.close()


LOGGERS: dict[str, Callable[[Path], Logger]] = {"tensorboard": TensorBoard}


def find_logger(name: str) -> Callable[[Path], Logger]:
    """What makes the logger of that name, or that of a plug-in, for the folder of a run."""
    made: Callable[[Path], Logger] = find(name, LOGGERS, "logger")
    return made

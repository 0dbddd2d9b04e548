"""The folder of a run: all that it was, and where it stands.

    RUN/run.json           recipe, seed, data, versions
    RUN/split.csv          which pages it trained on and which it held out
    RUN/metrics.jsonl      one line per epoch
    RUN/checkpoint.pt      where it stands; RUN/pages/ the prepared pages
    RUN/model.json, model.safetensors   the best model so far
    RUN/curves.png         loss and validation by epoch

Every file is replaced by a whole one or not at all, so a kill at any moment leaves a run that goes
on.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from .. import __version__
from ..errors import DgmpError
from ..files import (
    Format,
    first_difference,
    from_plain,
    read_json,
    replacing,
    to_plain,
    write_json,
    write_text,
)
from .recipes import Recipe

FORMAT = Format("dgmp-run", 1, "run")
STATE_FORMAT = Format("dgmp-train-state", 1, "checkpoint")


@dataclass
class TrainState:
    """Everything a checkpoint needs: resuming gives the numbers of a run that never stopped."""

    epoch: int = 0
    step: int = 0  # within the epoch
    total_steps: int = 0
    best: float = float("-inf")
    best_epoch: int = -1
    sums: tuple[float, float] = (0.0, 0.0)  # of loss and active share, in this epoch
    network: Mapping[str, Any] | None = None
    optimizer: Mapping[str, Any] | None = None
    random: torch.Tensor | None = None


class Run:
    """A run folder, new or taken up again."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)

    def claim(self, recipe: object, seed: int, data: Mapping[str, Any]) -> None:
        """Make the folder this run's, or refuse one that holds another; any record is a recipe."""
        about = to_plain({"seed": seed, "data": dict(data), "recipe": recipe})
        if (self.folder / "run.json").exists():
            found = self.read()
            if shown := first_difference({key: found.get(key) for key in about}, about):
                raise DgmpError(
                    f"{self.folder}: holds another run ({shown}); choose another folder"
                )
            return
        if self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir())):
            raise DgmpError(f"{self.folder}: is not empty and no run; choose another folder")
        write_json(self.folder / "run.json", FORMAT, about | {"versions": _versions()})

    def read(self) -> dict[str, Any]:
        """What run.json holds."""
        return read_json(self.folder / "run.json", FORMAT)

    @property
    def recipe(self) -> Recipe:
        """The recipe of the run."""
        return from_plain(self.read().get("recipe"), Recipe, self.folder / "run.json")

    def load_state(self) -> TrainState:
        """Where the run stands; a new run stands at its beginning."""
        path = self.folder / "checkpoint.pt"
        if not path.exists():
            return TrainState()
        try:
            found = torch.load(path, map_location="cpu", weights_only=True)
        except Exception as error:  # damaged pickles raise whatever they happen to call
            raise DgmpError(f"{path}: cannot be read; delete it to begin the run anew") from error
        try:
            state = dict(STATE_FORMAT.check(found, path))
        except DgmpError as error:
            raise DgmpError(
                f"{error}; finish the run with the dgmp that began it, or delete the file to begin "
                "anew"
            ) from error
        del state["format"], state["version"]
        return TrainState(**state)

    def save_state(self, state: TrainState) -> None:
        """Replace the checkpoint."""
        with replacing(self.folder / "checkpoint.pt") as beside:
            try:
                torch.save(STATE_FORMAT.stamp(vars(state)), beside)
            except RuntimeError as error:  # so torch reports a full disk
                raise OSError(f"{str(error).splitlines()[0]} (is the disk full?)") from error

    def metrics(self) -> list[dict[str, Any]]:
        """The epochs so far; a line that a kill cut short is passed over."""
        try:
            text = (self.folder / "metrics.jsonl").read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return []
        found = []
        for line in text.splitlines():
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(entry, dict) and isinstance(entry.get("epoch"), int):
                found.append(entry)
        return found

    def write_metrics(self, epochs: list[dict[str, Any]]) -> None:
        """Replace the list of epochs."""
        lines = "\n".join(json.dumps(epoch) for epoch in epochs)
        write_text(self.folder / "metrics.jsonl", lines + "\n")


def _versions() -> dict[str, str]:
    packages = ("torch", "numpy", "lightning-fabric", "pytorch-metric-learning")
    return {
        "dgmp": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
    }

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
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from .. import __version__
from ..errors import DgmpError
from ..files import read_head, replacing
from .recipes import Recipe, recipe_from_json

if TYPE_CHECKING:
    from .learning import Learning

FORMAT, VERSION = "dgmp-run", 1
STATE_FORMAT, STATE_VERSION = "dgmp-train-state", 1


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

    def claim(self, recipe: Recipe | Learning, seed: int, data: Mapping[str, Any]) -> None:
        """Make the folder this run's, or refuse one that holds another."""
        about = {
            "format": FORMAT,
            "version": VERSION,
            "seed": seed,
            "data": dict(data),
            "recipe": asdict(recipe),
        }
        if (self.folder / "run.json").exists():
            found = self.read()
            shown = _difference(found, json.loads(json.dumps(about)))
            if shown:
                raise DgmpError(
                    f"{self.folder}: holds another run ({shown}); choose another folder"
                )
            return
        if self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir())):
            raise DgmpError(f"{self.folder}: is not empty and no run; choose another folder")
        self._write("run.json", json.dumps(about | {"versions": _versions()}, indent=1))

    def read(self) -> dict[str, Any]:
        """What run.json says."""
        return read_head(self.folder / "run.json", "run", FORMAT, VERSION)

    @property
    def recipe(self) -> Recipe:
        """The recipe of the run."""
        try:
            return recipe_from_json(self.read()["recipe"])
        except (KeyError, TypeError) as error:
            raise DgmpError(f"{self.folder / 'run.json'}: holds no recipe of this dgmp") from error

    def load_state(self) -> TrainState:
        """Where the run stands; a new run stands at its beginning."""
        path = self.folder / "checkpoint.pt"
        if not path.exists():
            return TrainState()
        try:
            found = torch.load(path, map_location="cpu", weights_only=True)
        except Exception as error:  # damaged pickles raise whatever they happen to call
            raise DgmpError(f"{path}: cannot be read; delete it to begin the run anew") from error
        if not isinstance(found, dict) or found.pop("format", None) != STATE_FORMAT:
            raise DgmpError(f"{path}: is no checkpoint of dgmp")
        if (of := found.pop("version", None)) != STATE_VERSION:
            raise DgmpError(
                f"{path}: has format version {of}, this dgmp reads {STATE_VERSION}; "
                "finish the run with the dgmp that began it, or delete the file to begin anew"
            )
        return TrainState(**found)

    def save_state(self, state: TrainState) -> None:
        """Replace the checkpoint."""
        head = {"format": STATE_FORMAT, "version": STATE_VERSION}
        with replacing(self.folder / "checkpoint.pt") as beside:
            try:
                torch.save(head | vars(state), beside)
            except RuntimeError as error:  # so torch tells of a full disk
                raise OSError(f"{str(error).splitlines()[0]} (is the disk full?)") from error

    def metrics(self) -> list[dict[str, Any]]:
        """The epochs so far; a line that a kill cut short is passed over."""
        try:
            lines = (self.folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []
        found = []
        for line in lines:
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
        return found

    def write_metrics(self, epochs: list[dict[str, Any]]) -> None:
        """Replace the list of epochs."""
        self._write("metrics.jsonl", "\n".join(json.dumps(epoch) for epoch in epochs))

    def _write(self, name: str, text: str) -> None:
        with replacing(self.folder / name) as beside:
            beside.write_text(text + "\n", encoding="utf-8")


def _versions() -> dict[str, str]:
    packages = ("torch", "numpy", "lightning-fabric", "pytorch-metric-learning")
    return {
        "dgmp": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
    }


def _difference(old: Mapping[str, Any], new: Mapping[str, Any], before: str = "") -> str:
    """The first value that differs, as ``recipe.epochs: 10 there, 12 now``."""
    for key, value in new.items():
        here = old.get(key)
        if isinstance(value, Mapping) and isinstance(here, Mapping):
            if set(here) - set(value):
                return f"{before}{key}: {here} there, {value} now"
            if shown := _difference(here, value, f"{before}{key}."):
                return shown
        elif here != value:
            return f"{before}{key}: {here} there, {value} now"
    return ""

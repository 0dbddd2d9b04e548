"""A trained network on disk: its weights as safetensors, and beside them all that it is.

FOLDER/model.json         what it is, what it looks at, its classes, how it came about
FOLDER/model.safetensors  its weights
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ..errors import DgmpError, MissingExtra, WeightsError
from ..files import read_head, replacing
from .backbone import Backbone
from .spec import InputSpec, ModelSpec
from .weights import load_weights

FORMAT, VERSION = "dgmp-model", 1


@dataclass(frozen=True)
class TrainedModel:
    """A network in eval mode, and what it needs to be used as it was trained."""

    network: Backbone
    spec: ModelSpec
    input: InputSpec
    classes: tuple[str, ...] | None = None  # of a classifier
    made: Mapping[str, Any] = field(default_factory=dict)  # recipe, seed, scores, versions
    digest: str | None = None  # of the weights, once they are in a file

    def describe(self) -> dict[str, Any]:
        """All but the weights, as JSON has it."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "model": asdict(self.spec),
            "input": asdict(self.input),
            "classes": None if self.classes is None else list(self.classes),
            "made": dict(self.made),
            "sha256": self.digest,
        }


def save_model(model: TrainedModel, folder: Path | str) -> None:
    """Write a model; a file is replaced only by a whole one, weights before their description."""
    try:
        from safetensors import SafetensorError
        from safetensors.torch import save_file
    except ImportError as error:
        raise MissingExtra("saving models needs pip install 'dgmp[learning]'") from error

    folder = Path(folder)
    state = {
        name: value.detach().contiguous() for name, value in model.network.state_dict().items()
    }
    with replacing(folder / "model.safetensors") as beside:
        try:
            save_file(state, beside)
        except SafetensorError as error:  # also for a full disk
            raise OSError(str(error)) from error
        digest = _digest(beside)
    about = replace(model, digest=digest).describe()
    text = json.dumps(about, indent=1, ensure_ascii=False)
    with replacing(folder / "model.json") as beside:
        beside.write_text(text + "\n", encoding="utf-8")


def load_model(folder: Path | str) -> TrainedModel:
    """Read what :func:`save_model` wrote."""
    folder = Path(folder)
    about = read_description(folder)
    try:
        spec, looks_at = ModelSpec(**about["model"]), InputSpec.from_json(about["input"])
        classes = None if about["classes"] is None else tuple(about["classes"])
        made, digest = about["made"], about["sha256"]
    except (KeyError, TypeError) as error:
        raise DgmpError(f"{folder / 'model.json'}: lacks entries or has unknown ones") from error
    network = spec.build(None if classes is None else len(classes))
    load_weights(network, folder / "model.safetensors")
    if _digest(folder / "model.safetensors") != digest:
        raise WeightsError(
            f"{folder / 'model.safetensors'}: these are not the weights that model.json describes"
        )
    return TrainedModel(network.eval(), spec, looks_at, classes, made, digest)


def read_description(folder: Path) -> dict[str, Any]:
    """The model.json of a folder, checked to be one that this version reads."""
    return read_head(folder / "model.json", "trained model", FORMAT, VERSION)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

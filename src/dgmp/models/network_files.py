"""A trained network on disk: its weights as safetensors, and beside them all that it is.

FOLDER/model.json         what it is, what it looks at, its classes, how it came about
FOLDER/model.safetensors  its weights
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..errors import MissingPlugin, UnknownName, WeightsError
from ..files import Format, from_plain, read_json, replacing, to_plain, write_json
from ..names import need
from ..plugins import missing, package_of
from ..pooling import ENERGY_STATE, POOLINGS
from .backbone import Backbone
from .backbones import BACKBONES
from .hub import fetched, write_card
from .spec import InputSpec, ModelSpec
from .weights import load_weights, read_weights

FORMAT = Format("dgmp-model", 1, "trained model")
_RIDGED = ("gmp", "attentive-gmp")


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
        return FORMAT.stamp(
            {
                "model": to_plain(self.spec),
                "input": _plain_input(self.input),
                "classes": None if self.classes is None else list(self.classes),
                "made": dict(self.made),
                "sha256": self.digest,
            }
        )

    def save_pretrained(self, folder: Path | str) -> None:
        """Write the model and a card beside it, ready to be given away."""
        save_model(self, folder)
        task = "image-feature-extraction" if self.classes is None else "image-classification"
        gives = "a vector for every page" if self.classes is None else "classes of pages"
        use = (
            "from dgmp.models import TrainedModel\n\n"
            'model = TrainedModel.from_pretrained("FOLDER or owner/name")'
        )
        facts = {
            "network": self.spec.backbone,
            "pooling": self.spec.pooling,
            "options": dict(self.spec.pooling_options) or None,
            "looks at": f"{self.input.view}, {self.input.side} px",
            "classes": None if self.classes is None else len(self.classes),
            **{str(name): value for name, value in self.made.items()},
            "packages it needs": ", ".join(sorted(set(_plugins(self.spec).values()))) or None,
        }
        write_card(Path(folder), f"A network of dgmp: {gives}", (task,), use, facts)

    @classmethod
    def from_pretrained(cls, place: Path | str, *, revision: str | None = None) -> TrainedModel:
        """The model of a folder, or of ``owner/name`` on the Hugging Face Hub."""
        return load_model(fetched(place, revision))


def save_model(model: TrainedModel, folder: Path | str) -> None:
    """Write a model; a file is replaced only by a whole one, weights before their description."""
    safetensors, save_file = need("safetensors"), need("safetensors.torch").save_file
    folder = Path(folder)
    state = {
        name: value.detach().contiguous() for name, value in model.network.state_dict().items()
    }
    with replacing(folder / "model.safetensors") as beside:
        try:
            save_file(state, beside)
        except safetensors.SafetensorError as error:  # also for a full disk
            raise OSError(str(error)) from error
        digest = _digest(beside)
    made = {**model.made, **({"plugins": needs} if (needs := _plugins(model.spec)) else {})}
    stored = replace(model, digest=digest, made=made)
    write_json(folder / "model.json", FORMAT, stored.describe())


def load_model(folder: Path | str) -> TrainedModel:
    """Read what :func:`save_model` wrote."""
    folder = Path(folder)
    path = folder / "model.json"
    about = from_plain(read_json(path, FORMAT), StoredModel, path)
    try:
        network = _built(_as_written(about, folder / "model.safetensors"), path)
        load_weights(network, folder / "model.safetensors")
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:  # values without sense
        raise WeightsError(f"{path}: describes no network that can be built: {error}") from error
    if _digest(folder / "model.safetensors") != about.sha256:
        raise WeightsError(
            f"{folder / 'model.safetensors'}: these are not the weights that model.json describes"
        )
    return TrainedModel(
        network.eval(), about.model, about.input, about.classes, about.made, about.sha256
    )


@dataclass(frozen=True)
class StoredModel:
    """What model.json holds."""

    format: str
    version: int
    model: ModelSpec
    input: InputSpec
    classes: tuple[str, ...] | None
    made: dict[str, Any]
    sha256: str


def _plain_input(looks_at: InputSpec) -> dict[str, Any]:
    """As it was before patches could be whitened, where they are not: catalogues compare it."""
    found: dict[str, Any] = to_plain(looks_at)
    for part in (found, found["standardization"] or {}):
        if part.get("zca") is None:
            part.pop("zca", None)
    return found


def _plugins(spec: ModelSpec) -> dict[str, str]:
    """The packages whose code a model is built of, by what they give and its name."""
    parts = (("backbone", spec.backbone, BACKBONES), ("pooling", spec.pooling, POOLINGS))
    found = {f"{what} {name}": package_of(name, own, what) for what, name, own in parts}
    return {part: package for part, package in found.items() if package is not None}


def _as_written(about: StoredModel, weights: Path) -> StoredModel:
    """What is to be built: a GMP whose options name no ridge was the paper's until version 0.2.

    Its state tells which it is; the description, by which catalogues know a model, stays.
    """
    options = about.model.pooling_options
    if about.model.pooling not in _RIDGED or options.keys() & {"ridge", "relative", "target"}:
        return about
    kinds = [v for name, v in read_weights(weights).items() if name.endswith("._extra_state")]
    if kinds and int(kinds[0]) == ENERGY_STATE:
        return about
    return replace(
        about, model=replace(about.model, pooling_options={**options, "relative": False})
    )


def _built(about: StoredModel, path: Path) -> Backbone:
    try:
        return about.model.build(None if about.classes is None else len(about.classes))
    except (UnknownName, MissingPlugin) as error:
        needs = about.made.get("plugins")
        for part, package in needs.items() if isinstance(needs, dict) else ():
            what, _, name = str(part).partition(" ")
            if isinstance(error, UnknownName) and name in (
                about.model.backbone,
                about.model.pooling,
            ):
                raise missing(name, what, package, path) from error
        raise type(error)(f"{path}: {error}") from error


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

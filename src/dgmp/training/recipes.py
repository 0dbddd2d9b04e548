"""Recipes: all values of a training, as frozen dataclasses; the paper's, and small ones for a CPU.

A user's own recipe is a Python file that defines ``RECIPE``, or any of these with single values
changed: ``override(recipe, ["epochs=10", "model.backbone=resnet18"])``.
"""

from __future__ import annotations

import ast
import math
import runpy
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from ..errors import DgmpError, UnknownName
from ..models import InputSpec, ModelSpec
from ..names import did_you_mean
from ..pixels import Preparation
from ..plugins import find
from .augmentation import Augmentation

TASKS = ("writer", "script", "cluster")  # the last: dgmp learn, without labels
MININGS = ("hard", "published", "all")

R = TypeVar("R")


@dataclass(frozen=True)
class Recipe:
    """A training from its data to its schedule."""

    task: str
    model: ModelSpec
    input: InputSpec
    augmentation: Augmentation
    epochs: int
    decay_from: int  # the epoch from which the learning rate falls
    learning_rate: float
    epoch_steps: int | None = None  # None: as many as show every patch once
    final_rate: float = 1e-3  # share of the learning rate that is left at the end
    warmup_steps: int = 0
    weight_decay: float = 1e-5  # not on the pooling's parameters
    pooling_rate: float = 1.0  # times the learning rate, for the pooling's parameters
    classes_per_batch: int = 14  # writers; other recipes draw at random
    batch: int = 56
    chunk: int | None = None  # patches held with their graph at a time; None: the whole batch
    margin: float = 0.1
    soft_margin: bool = False
    mining: str = "hard"
    temperature: float = 0.1  # of mining "all"
    order_weight: float | None = None  # of the distance between ordered classes, as centuries
    frozen_norm: bool = False  # keep the statistics of batch normalisation as the weights have them
    validation: float = 40  # writers or manuscripts held out: a number, or a share below one
    validate_every: int = 1  # epochs

    def __post_init__(self) -> None:
        for name, allowed in (("task", TASKS), ("mining", MININGS)):
            if getattr(self, name) not in allowed:
                raise DgmpError(
                    f"{name} must be {' or '.join(allowed)}, got {getattr(self, name)!r}"
                )
        for name in ("epochs", "batch", "classes_per_batch", "validate_every"):
            if getattr(self, name) < 1:
                raise DgmpError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("chunk", "epoch_steps"):
            if getattr(self, name) is not None and getattr(self, name) < 1:
                raise DgmpError(f"{name} must be at least 1 or None, got {getattr(self, name)}")
        for name in ("learning_rate", "pooling_rate", "temperature"):
            if not 0 < getattr(self, name) < math.inf:
                raise DgmpError(f"{name} must be positive, got {getattr(self, name)}")
        for name in ("margin", "validation", "decay_from", "warmup_steps", "weight_decay"):
            if not 0 <= getattr(self, name) < math.inf:
                raise DgmpError(f"{name} must not be negative, got {getattr(self, name)}")
        if self.order_weight is not None and (self.task != "script" or not self.order_weight > 0):
            raise DgmpError("order_weight must be positive, and is for scripts and centuries")
        if not 0 < self.final_rate <= 1:
            raise DgmpError(f"final_rate must be above 0 and at most 1, got {self.final_rate}")
        if (self.task == "cluster") != (self.input.view == "keypoints"):
            raise DgmpError("input.view keypoints is for dgmp learn, and for nothing else")
        if self.task == "writer" and self.batch % self.classes_per_batch:
            raise DgmpError(
                f"batch must be a multiple of classes_per_batch ({self.classes_per_batch}), "
                f"got {self.batch}"
            )


_WRITER_PAPER = Recipe(
    task="writer",
    model=ModelSpec("resnet50", "gmp", {"ridge": 1000.0}),
    input=InputSpec(preparation=Preparation(canonical=None)),
    augmentation=Augmentation(),
    epochs=300,
    decay_from=150,
    learning_rate=2e-4,
    chunk=14,  # fits into 8 GiB
)
_SCRIPT_PAPER = Recipe(
    task="script",
    model=ModelSpec("resnet50", "gmp", {"ridge": 5000.0}, last_stride=1),
    input=InputSpec(
        view="page", side=384, preparation=Preparation(canonical=None, binarization="none")
    ),
    augmentation=Augmentation(
        area=(0.08, 1.0), aspect=(0.75, 1.33), rotation=5.0, brightness=0.1, contrast=0.1
    ),
    epochs=120,
    decay_from=30,
    learning_rate=4e-4,
    batch=28,
    chunk=14,
    validation=0.1,  # where the set brings no validation pages of its own
)
_WRITER_SMALL = Recipe(
    task="writer",
    model=ModelSpec("resnet8", "gmp", {"relative": True, "center": True}),
    input=InputSpec(patch=256, stride=128, min_edges=800, side=128),
    # Slant and size tell writers apart: more of it halves the speed of learning.
    augmentation=Augmentation(crop=0.75, shift=32, zoom=0.04, rotation=1.0, shear=0.02),
    epochs=28,
    epoch_steps=25,
    decay_from=8,
    final_rate=0.02,  # with so few steps none is to be lost to a rate of nothing
    warmup_steps=50,
    learning_rate=3e-3,
    batch=64,
    classes_per_batch=16,
    mining="all",  # batch-hard triplets need several times as many steps
    validation=0.1,
    validate_every=14,
)
_SCRIPT_SMALL = replace(_WRITER_SMALL, task="script", epochs=72, decay_from=20, validate_every=24)

RECIPES: dict[str, Recipe] = {
    "writer-paper": _WRITER_PAPER,
    "script16-paper": _SCRIPT_PAPER,
    "script17-paper": replace(_SCRIPT_PAPER, epochs=65, decay_from=16),
    "script-zca": replace(
        _SCRIPT_PAPER,
        model=ModelSpec("resnet50", "avg", normalize=False),
        input=replace(_SCRIPT_PAPER.input, view="patches", zca=9),
    ),
    "writer-small": _WRITER_SMALL,
    "script-small": _SCRIPT_SMALL,
}


def find_recipe(name: str) -> Recipe:
    """A recipe by its name, that of a plug-in, or the ``RECIPE`` of a Python file."""
    if name.endswith(".py"):
        return _recipe_of_file(Path(name))
    found = find(name, RECIPES, "recipe")
    if not isinstance(found, Recipe):
        raise DgmpError(f"the recipe {name!r} is no dgmp.training.Recipe: {found!r}")
    return found


def with_pooling(recipe: Recipe, pooling: str | None) -> Recipe:
    """The recipe with another pooling; the options of the one it had are not the new one's."""
    if pooling is None or pooling == recipe.model.pooling:
        return recipe
    return replace(recipe, model=replace(recipe.model, pooling=pooling, pooling_options={}))


def override(recipe: R, changes: Sequence[str]) -> R:
    """The recipe with single values changed, each given as ``name=value``, ``model.name=value``."""
    tree: dict[str, Any] = {}  # all of them before any is checked against another
    for change in changes:
        name, equals, text = change.partition("=")
        if not equals:
            raise DgmpError(f"{change!r} changes nothing; write name=value, as epochs=10")
        _plan_change(tree, recipe, name.strip().split("."), text.strip(), name.strip())
    changed: R = _rebuilt(recipe, tree)
    return changed


def _recipe_of_file(path: Path) -> Recipe:
    if not path.is_file():
        raise DgmpError(f"{path}: there is no such recipe file")
    try:
        found = runpy.run_path(str(path)).get("RECIPE")
    except Exception as error:  # whatever the user's code raises
        raise DgmpError(f"{path}: {type(error).__name__}: {error}") from error
    if not isinstance(found, Recipe):
        raise DgmpError(f"{path}: must define RECIPE, a dgmp.training.Recipe")
    return found


def _plan_change(
    tree: dict[str, Any], record: Any, names: list[str], text: str, whole: str
) -> None:
    """Put the value of ``whole`` into the tree of changes, checked against the type it has."""
    first, *rest = names
    known = [entry.name for entry in fields(record)]
    if first not in known:
        raise UnknownName(f"a recipe has no value {whole!r}; {did_you_mean(first, known)}")
    old = getattr(record, first)
    if is_dataclass(old):
        if not rest:
            inside = ", ".join(f"{whole}.{entry.name}" for entry in fields(old))
            raise DgmpError(f"{whole} is changed part by part: {inside}")
        _plan_change(tree.setdefault(first, {}), old, rest, text, whole)
    elif isinstance(old, Mapping) and rest:
        tree.setdefault(first, dict(old))[".".join(rest)] = _literal(text)
    elif rest:
        raise UnknownName(f"{whole!r}: {first} has no parts")
    else:
        wanted = get_type_hints(type(record))[first]
        value = _literal(text)
        if isinstance(value, int) and not _fits(value, wanted) and _fits(float(value), wanted):
            value = float(value)
        if not _fits(value, wanted):
            shown = getattr(wanted, "__name__", str(wanted))
            raise DgmpError(f"{whole} must be {shown}, got {text!r}; it is {old!r} by default")
        tree[first] = value


def _rebuilt(record: Any, tree: Mapping[str, Any]) -> Any:
    changes = {
        name: _rebuilt(getattr(record, name), value)
        if is_dataclass(getattr(record, name))
        else value
        for name, value in tree.items()
    }
    try:
        return replace(record, **changes)
    except ValueError as error:
        raise DgmpError(f"{', '.join(changes)}: {error}") from error


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return {"true": True, "false": False, "none": None}.get(text.lower(), text)


def _fits(value: Any, wanted: Any) -> bool:
    origin = get_origin(wanted)
    if origin in (Union, types.UnionType):
        return any(_fits(value, part) for part in get_args(wanted))
    if origin is tuple:
        return isinstance(value, tuple) and len(value) == len(get_args(wanted))
    if wanted is type(None):
        return value is None
    if origin is not None:
        return isinstance(value, origin)
    if wanted in (int, float) and isinstance(value, bool):
        return False
    return isinstance(value, wanted)

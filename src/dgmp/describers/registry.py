"""Describers and classifiers by name, or by the folder they were saved in.

A name is that of the describer that comes with the package (``default``), of a classical kind
(``hinge``) or of a plug-in; anything else is a folder, and ``./hinge`` is one even if it is called
like a kind:

    RUN with model.json        kind "learned": a trained network, of writers or of scripts
    DIR with describer.json    the kind that stands in it: "keypoints" (beside model.json, by
                               ``dgmp learn``), "fused", "scripts", "script-types", or a classical
                               one
    RUN/calibration.json       what its cosines say about hands, if ``dgmp calibrate`` was run
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..classical import (
    CLASSICAL,
    HEAD,
    fit_classical,
    load_classical,
    load_script_classifier,
    read_head,
)
from ..errors import DgmpError, UnknownName
from ..names import did_you_mean, find_data, need_data
from ..pixels import PageImage, Preparation
from ..plugins import find, installed, is_plugin
from ..records import PageProgress
from .describer import Classifier, Describer
from .fused import load_fused
from .script_types import load_script_types

if TYPE_CHECKING:
    from ..models import TrainedModel

MODEL = "model.json"


SHIPPED = {"default": find_data(Path(__file__).with_name("default"))}


def load_describer(
    name_or_run: str | Path, *, device: str = "auto", aggregate: str | None = None
) -> Describer:
    """The describer of a folder, or the one of that name, ready for pages.

    ``device`` and ``aggregate`` are for trained networks. A classical describer that has to be
    fitted first has no folder yet: see :func:`fit_describer`.
    """
    found = load(name_or_run, device=device, aggregate=aggregate)
    if is_classifier(found):
        raise DgmpError(
            f"{name_or_run}: was trained to name scripts and gives probabilities, not descriptors; "
            "use it by dgmp classify or dgmp evaluate"
        )
    return cast(Describer, found)


def load_classifier(run: str | Path, *, device: str = "auto") -> Classifier:
    """The script classifier of a folder: a network by ``dgmp train``, or a classical one."""
    found = load(run, device=device)
    if not is_classifier(found):
        raise DgmpError(f"{run}: was made to tell writers apart; it has no script classes")
    return cast(Classifier, found)


def load(
    name_or_run: str | Path, *, device: str = "auto", aggregate: str | None = None
) -> Describer | Classifier:
    """Whatever a name or a folder stands for."""
    if is_kind(name_or_run):
        if needs_fitting(name_or_run):
            raise DgmpError(
                f"{name_or_run} has to be fitted on training pages first: dgmp evaluate does so, "
                "and from Python dgmp.classical.fit_classical and save_describer, whose folder can "
                "be given here"
            )
        _check_aggregate(aggregate)
        return fit_classical(str(name_or_run))
    if is_foreign(name_or_run):
        _check_aggregate(aggregate)
        return _foreign(str(name_or_run))
    folder = _folder(name_or_run)
    kind = _stored_kind(folder)
    if kind == "learned":
        return _load_learned(folder, device, aggregate)
    _check_aggregate(aggregate)
    if kind == "keypoints":
        return _torch("keypoints").load_keypoint_describer(folder, device=device)
    if kind == "fused":
        return load_fused(folder)
    if kind == "scripts":
        return load_script_classifier(folder)
    if kind == "script-types":
        return load_script_types(folder, load_fused(_folder("default")))
    return load_classical(folder)


def load_network(name_or_run: str | Path) -> TrainedModel:
    """The trained network of a folder, of writers or scripts; other describers are refused."""
    if not is_kind(name_or_run) and not is_foreign(name_or_run):
        folder = _folder(name_or_run)
        if _stored_kind(folder) == "learned":
            from ..models import load_model

            model = load_model(folder)
            if model.input.view == "keypoints":
                raise DgmpError(
                    f"{folder}: its learning is not finished; the same dgmp learn command goes on "
                    "there"
                )
            return model
    raise DgmpError(
        f"{name_or_run}: is a describer of another kind; this needs a network by dgmp train"
    )


def fit_describer(
    name: str,
    images: Iterable[PageImage],
    *,
    seed: int = 0,
    preparation: Preparation | None = None,
    progress: PageProgress | None = None,
) -> Describer:
    """A classical describer of that kind, fitted on prepared pages it is not judged by.

    ``preparation`` is how they were prepared.
    """
    if name not in CLASSICAL:
        raise _unknown(name)
    return fit_classical(name, images, seed=seed, preparation=preparation, progress=progress)


def is_kind(name_or_run: str | Path) -> bool:
    """Whether this is the name of a classical kind; a Path is always a folder."""
    return isinstance(name_or_run, str) and name_or_run in CLASSICAL


def is_foreign(name_or_run: str | Path) -> bool:
    """Whether this is the name of a describer of another package; a folder comes first."""
    return (
        isinstance(name_or_run, str)
        and name_or_run not in SHIPPED
        and not Path(name_or_run).is_dir()
        and is_plugin(name_or_run, "describer")
    )


def needs_fitting(name_or_run: str | Path) -> bool:
    """Whether this is a kind of classical describer that training pages make."""
    return is_kind(name_or_run) and CLASSICAL[str(name_or_run)].needs_fitting


def stored_name(name_or_run: str | Path) -> str:
    """By what a describer is found from anywhere: its name, or the whole path of its folder."""
    if is_kind(name_or_run) or is_foreign(name_or_run) or name_or_run in SHIPPED:
        return str(name_or_run)
    folder = Path(name_or_run)
    return str(folder.resolve()) if folder.is_dir() else str(name_or_run)


def is_classifier(found: Describer | Classifier) -> bool:
    """Whether it names classes rather than describing pages."""
    return hasattr(found, "classify_page")


def _foreign(name: str) -> Describer | Classifier:
    """The describer that a plug-in makes; called without arguments."""
    found = find(name, {}, "describer")()
    wanted = ("preparation", "dim", "spec", "calibration", "describe_page")
    if lacking := [part for part in wanted if not hasattr(found, part)]:
        raise DgmpError(f"the describer {name!r} is none: it has no {', '.join(lacking)}")
    return cast(Describer, found)


def _load_learned(folder: Path, device: str, aggregate: str | None) -> Describer | Classifier:
    learned = _torch("learned")
    model = load_network(folder)
    if model.classes is not None:
        _check_aggregate(aggregate)
        return cast(Classifier, learned.LearnedClassifier(model, device=device))
    describer = learned.LearnedDescriber(model, aggregate=aggregate or "mean", device=device)
    if describer.aggregate == "mean":  # a calibration is of the way pages are described by default
        from .calibration_files import load_calibration

        describer.calibration = load_calibration(describer, folder)
    return cast(Describer, describer)


def _torch(file: str) -> Any:
    """A file of this room that needs torch, imported only when it is needed."""
    return import_module(f".{file}", __package__)


def _check_aggregate(aggregate: str | None) -> None:
    if aggregate is not None:
        raise DgmpError("--aggregate is for networks trained on writers")


def _stored_kind(folder: Path) -> str:
    if not (folder / HEAD).is_file():
        return "learned"
    return str(read_head(folder).get("kind"))


def _folder(name_or_run: str | Path) -> Path:
    if isinstance(name_or_run, str) and name_or_run in SHIPPED:
        return need_data(SHIPPED[name_or_run], f"describer {name_or_run}")
    folder = Path(name_or_run)
    if folder.is_dir():
        return folder
    if folder.exists():
        raise DgmpError(f"{folder}: is a file; a describer is the folder of a run or a name")
    if folder.parent != Path() or isinstance(name_or_run, Path):
        raise DgmpError(f"{folder}: there is no such folder")
    raise _unknown(str(name_or_run))


def _unknown(name: str) -> UnknownName:
    known = [*SHIPPED, *CLASSICAL, *installed("describer")]
    beside = [path.name for path in Path().iterdir() if _is_describer(path)]
    return UnknownName(
        f"no describer and no folder called {name!r}; "
        f"{did_you_mean(name, [*known, *sorted(beside)])}, "
        "or give the folder of a training run or of a saved describer"
    )


def _is_describer(folder: Path) -> bool:
    return (folder / MODEL).is_file() or (folder / HEAD).is_file()

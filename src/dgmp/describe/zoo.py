"""Describers by name, or by the folder they were saved in.

RUN with model.json      a trained network, of a training run or saved by ``save_model``
RUN with both            a network for patches at keypoints, by ``dgmp learn``
RUN/calibration.json     what its cosines say about hands, if ``dgmp calibrate`` was run
DIR with describer.json  a fitted classical describer, by ``dgmp.classical``, or several as one
default                  the one that comes with the package
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..corpora import PageImage, Preparation
from ..errors import DgmpError, UnknownName
from .calibrating import load_calibration
from .describer import Describer

if TYPE_CHECKING:
    from ..models import TrainedModel

# Folders inside the package, each with a model.json or a describer.json.
SHIPPED = {"default": Path(__file__).with_name("default")}


def load_describer(
    name_or_run: str | Path, *, device: str = "auto", aggregate: str = "mean"
) -> Describer:
    """The describer of a folder, or the shipped one of that name, ready for pages.

    ``device`` and ``aggregate`` are for trained networks. A classical describer that has to be
    fitted first has no folder yet: see :func:`fit_describer`.
    """
    if is_kind(name_or_run) and not needs_fitting(name_or_run):
        return _classical().fit_classical(str(name_or_run))
    folder = _folder(name_or_run)
    if (folder / "describer.json").is_file():
        return _load_fitted(folder, device)
    from ..models import load_model  # torch waits until it is needed
    from .learned import LearnedDescriber

    model = load_model(folder)
    _check_finished(model, folder)
    if model.classes is not None:
        raise DgmpError(
            f"{folder}: was trained to name scripts and gives probabilities, not descriptors; "
            "use it by dgmp classify or dgmp evaluate"
        )
    describer = LearnedDescriber(model, aggregate=aggregate, device=device)
    if aggregate == "mean":  # a calibration is of the way pages are described by default
        describer.calibration = load_calibration(describer, folder)
    return describer


def load_network(name_or_run: str | Path) -> TrainedModel:
    """The trained network of a folder, of writers or scripts; other describers are refused."""
    folder = _folder(name_or_run)
    if (folder / "describer.json").is_file():
        raise DgmpError(
            f"{folder}: is a describer of another kind; this needs a network by dgmp train"
        )
    from ..models import load_model

    model = load_model(folder)
    _check_finished(model, folder)
    return model


def fit_describer(
    name: str,
    images: Iterable[PageImage],
    *,
    seed: int = 0,
    preparation: Preparation | None = None,
    progress: Callable[[int], None] | None = None,
) -> Describer:
    """A classical describer of that kind, fitted on prepared pages it is not judged by.

    ``preparation`` is how they were prepared; ``progress`` is called with the number of pages done.
    """
    if name not in classical_kinds():
        raise _unknown(name)
    return _classical().fit_classical(
        name, images, seed=seed, preparation=preparation, progress=progress
    )


def is_kind(name_or_run: str | Path) -> bool:
    """Whether this is a kind of classical describer rather than the folder of one."""
    name = str(name_or_run)
    here = name in SHIPPED or Path(name_or_run).exists()
    return not here and name in classical_kinds()


def needs_fitting(name_or_run: str | Path) -> bool:
    """Whether this is a kind of classical describer that training pages make."""
    return is_kind(name_or_run) and _classical().CLASSICAL[str(name_or_run)].needs_fitting


def is_network(name_or_run: str | Path) -> bool:
    """Whether this names a trained network; an unknown name is an error that offers the nearest."""
    if is_kind(name_or_run):
        return False
    return not (_folder(name_or_run) / "describer.json").is_file()


def classical_kinds() -> tuple[str, ...]:
    """The classical describers that go by name."""
    return tuple(_classical().CLASSICAL) if find_spec("dgmp.classical") else ()


def _load_fitted(folder: Path, device: str) -> Describer:
    """What a describer.json tells of: a describer of keypoints, several as one, or one alone."""
    from ..classical.files import read_head

    kind = read_head(folder).get("kind")
    if kind == "keypoints":
        from .keypoints import load_keypoint_describer

        describer = load_keypoint_describer(folder, device=device)
        describer.calibration = load_calibration(describer, folder)
        return describer
    if kind == "fused":
        from .fused import load_fused

        return load_fused(folder)
    return _classical().load_classical(folder)


def _check_finished(model: TrainedModel, folder: Path) -> None:
    if model.input.view == "keypoints":
        raise DgmpError(
            f"{folder}: its learning is not finished; the same dgmp learn command goes on there"
        )


def _classical() -> Any:
    """The room of classical describers, imported only when one is asked for."""
    return importlib.import_module("dgmp.classical")


def _folder(name_or_run: str | Path) -> Path:
    name = str(name_or_run)
    if name in SHIPPED and SHIPPED[name].is_dir():
        return SHIPPED[name]
    folder = Path(name_or_run)
    if folder.is_dir():
        return folder
    if folder.exists():
        raise DgmpError(f"{folder}: is a file; a describer is the folder of a run or a name")
    if folder.parent != Path():
        raise DgmpError(f"{folder}: there is no such folder")
    if needs_fitting(name):
        raise DgmpError(
            f"{name} has to be fitted on training pages first; give the folder of a fitted one"
        )
    raise _unknown(name)


def _unknown(name: str) -> UnknownName:
    known = [*(name for name, folder in SHIPPED.items() if folder.is_dir()), *classical_kinds()]
    beside = sorted(
        path.name for path in Path().iterdir() if any((path / f).is_file() for f in _MARKS)
    )
    near = difflib.get_close_matches(name, [*known, *beside], n=1)
    hint = f", did you mean {near[0]!r}?" if near else ";"
    names = f" choose from {', '.join(known)}, or" if known else ""
    return UnknownName(
        f"no describer and no folder called {name!r}{hint}{names} "
        "give the folder of a training run or of a saved describer"
    )


_MARKS = ("model.json", "describer.json")

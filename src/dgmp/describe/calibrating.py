"""What the cosines of a describer say about hands, learned from pages by known writers.

The default describer comes with its calibration. A trained network gets one by ``dgmp calibrate``,
from pages it has not learned from, and keeps it beside its weights: RUN/calibration.json.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..catalogue import Calibration, fit_calibration
from ..errors import CorpusError, DgmpError
from ..evaluation import bcubed
from ..files import replacing
from ..records import Page
from .describer import Describer, describe_pages, full_spec
from .judging import check_labels

FILE = "calibration.json"


def calibrate_describer(
    pages: Sequence[Page],
    describer: Describer,
    *,
    workers: int = 0,
    progress: Callable[[int], None] | None = None,
) -> tuple[Calibration, tuple[tuple[str, str], ...]]:
    """Learn what its cosines mean from pages by known writers; also ids and reasons of failures.

    The describer must not have learned from these pages: it would set them too far apart.
    """
    check_labels(pages, "writer")
    described = describe_pages(pages, describer, workers=workers, progress=progress)
    writers = [page.writer for page in described.pages]
    sheets = [page.sheet for page in described.pages]
    try:
        found = fit_calibration(described.descriptors, writers, sheets, measure=groups_and_number)
    except ValueError as error:
        raise CorpusError(
            f"{len(described.pages)} pages by {len(set(writers))} writers cannot calibrate a "
            f"describer: {error}"
        ) from error
    return found, described.failures


def groups_and_number(writers: NDArray[np.intp], groups: NDArray[np.intp]) -> float:
    """B-cubed F, less half the error of the number of groups: B-cubed alone leaves hands in two."""
    error = len(np.unique(groups)) / len(np.unique(writers)) - 1
    return float(bcubed(writers, groups).f - 0.5 * abs(error))


def save_calibration(calibration: Calibration, describer: Describer, folder: Path | str) -> Path:
    """Put a calibration beside the describer it is of."""
    path = Path(folder) / FILE
    stored = {"describer": _plain_spec(describer), "calibration": calibration.to_json()}
    with replacing(path) as beside:
        beside.write_text(json.dumps(stored, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def load_calibration(describer: Describer, folder: Path | str) -> Mapping[str, Any] | None:
    """That of the describer in a folder, ``Calibration.to_json()``; None where there is none.

    One that was made before the network learned on is none.
    """
    path = Path(folder) / FILE
    if not path.is_file():
        return None
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        spec, calibration = stored["describer"], stored["calibration"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DgmpError(
            f"{path}: is no calibration; delete it, and make it anew by dgmp calibrate"
        ) from error
    if spec != _plain_spec(describer):
        return None
    return Calibration.from_json(calibration).to_json()


def _plain_spec(describer: Describer) -> Any:
    return json.loads(json.dumps(full_spec(describer)))

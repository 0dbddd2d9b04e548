"""What the cosines of a describer say about hands, learned from pages by known writers.

The default describer comes with its calibration. A trained network gets one by ``dgmp calibrate``,
from pages it has not learned from, and keeps it beside its weights: RUN/calibration.json.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..catalogue import Calibration, fit_calibration
from ..catalogue.calibration import FORMAT, VERSION
from ..errors import CorpusError
from ..evaluation import bcubed
from ..files import read_head, replacing
from ..records import Descriptors, Page
from .describer import Described, Describer, describe_pages, full_spec
from .judging import check_labels

FILE = "calibration.json"


def calibrate_describer(
    pages: Sequence[Page],
    describer: Describer,
    *,
    workers: int = 0,
    progress: Callable[[int], None] | None = None,
) -> tuple[Calibration, Described]:
    """Learn what its cosines mean from pages by known writers; also gives what was described.

    The describer must not have learned from these pages: it would set them too far apart.
    """
    check_labels(pages, "writer")
    described = describe_pages(pages, describer, workers=workers, progress=progress)
    try:
        return calibrate(described.descriptors, described.pages), described
    except ValueError as error:
        writers = len({page.writer for page in described.pages})
        raise CorpusError(
            f"{len(described.pages)} pages by {writers} writers cannot calibrate a "
            f"describer: {error}"
        ) from error


def calibrate(
    descriptors: Descriptors, pages: Sequence[Page], folds: Sequence[Hashable] | None = None
) -> Calibration:
    """What cosines say about hands, from vectors of pages that their describer has not seen."""
    return fit_calibration(
        descriptors,
        [page.writer for page in pages],
        [page.sheet for page in pages],
        measure=groups_and_number,
        folds=folds,
    )


def groups_and_number(writers: NDArray[np.intp], groups: NDArray[np.intp]) -> float:
    """B-cubed F, less the error of the number of groups: B-cubed alone leaves hands in two."""
    error = len(np.unique(groups)) / len(np.unique(writers)) - 1
    return float(bcubed(writers, groups).f - abs(error))


def save_calibration(calibration: Calibration, describer: Describer, folder: Path | str) -> Path:
    """Put a calibration beside the describer it is of."""
    path = Path(folder) / FILE
    stored = {**calibration.to_json(), "describer": _plain_spec(describer)}
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
    stored = read_head(path, "calibration", FORMAT, VERSION)
    if stored.get("describer") != _plain_spec(describer):
        return None
    return Calibration.from_json(stored).to_json()


def _plain_spec(describer: Describer) -> Any:
    return json.loads(json.dumps(full_spec(describer)))

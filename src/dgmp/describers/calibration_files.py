"""The calibration of a trained network, beside its weights: RUN/calibration.json.

The default describer comes with its calibration. A network gets one by ``dgmp calibrate``, from
pages it has not learned from.
"""

from __future__ import annotations

from pathlib import Path

from ..catalogue import renamed_spec
from ..files import read_json, to_plain, write_json
from ..hands import CALIBRATION_FORMAT, Calibration
from .describer import Describer, full_spec

FILE = "calibration.json"


def save_calibration(calibration: Calibration, describer: Describer, folder: Path | str) -> Path:
    """Put a calibration beside the describer it is of."""
    path = Path(folder) / FILE
    stored = {**calibration.to_json(), "describer": to_plain(full_spec(describer))}
    write_json(path, CALIBRATION_FORMAT, stored)
    return path


def load_calibration(describer: Describer, folder: Path | str) -> Calibration | None:
    """That of the describer in a folder; None where there is none.

    One that was made before the network learned on, or by an earlier version of dgmp, is none.
    """
    path = Path(folder) / FILE
    if not path.is_file():
        return None
    stored = read_json(path, CALIBRATION_FORMAT)
    of = stored.pop("describer", {})
    if stored["version"] in CALIBRATION_FORMAT.older or renamed_spec(of) != to_plain(
        full_spec(describer)
    ):
        return None
    return Calibration.from_json(stored)

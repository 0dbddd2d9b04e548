"""What hands can be written as, by the ending of the file or the name of the folder.

A folder is known by its last name, ``iiif`` or ``st-gallen.iiif``. It has ``hands.json`` in it, by
which it is known as one that may be replaced; nothing else is ever written over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..errors import CatalogueError
from ..files import check_place, replacing, replacing_folder
from ..names import need
from .alto import write_alto
from .csv_table import write_csv
from .hand_json import write_hand_json
from .iiif import write_iiif
from .outgoing import Outgoing
from .spreadsheet import write_spreadsheet
from .tei import write_tei

MARK = "hands.json"


@dataclass(frozen=True)
class ExportFormat:
    """How hands are written."""

    write: Callable[[Outgoing, Path, Path], None]  # to a file or folder that then gets its place
    folder: bool = False  # else a file
    needs: str = ""  # a module of an extra


EXPORTS: dict[str, ExportFormat] = {
    ".csv": ExportFormat(write_csv),
    ".json": ExportFormat(write_hand_json),
    ".xlsx": ExportFormat(write_spreadsheet, needs="openpyxl"),
    ".tei.xml": ExportFormat(write_tei),
    "iiif": ExportFormat(write_iiif, folder=True),
    "alto": ExportFormat(write_alto, folder=True),
}


def check_export(out: Path) -> None:
    """Refuse, before long work, what hands cannot be written to."""
    format = _format(out)
    if format.needs:
        need(format.needs)
    if not format.folder:
        check_place(out)
    elif out.is_dir() and any(out.iterdir()) and not (out / MARK).is_file():
        raise CatalogueError(
            f"{out}: holds something else than hands; give a new or an empty folder"
        )
    else:
        check_place(out / MARK)


def write_hands(going: Outgoing, out: Path | str) -> Path:
    """Write hands in the format that the name asks for, whole or not at all."""
    out = Path(out)
    check_export(out)
    format = _format(out)
    if format.folder:
        with replacing_folder(out) as beside:
            format.write(going, beside, out)
            write_hand_json(going, beside / MARK, out)
    else:
        with replacing(out) as beside:
            format.write(going, beside, out)
    return out


def _format(out: Path) -> ExportFormat:
    for ending, format in EXPORTS.items():
        name = out.name.lower()
        if name == ending if format.folder else name.endswith(ending):
            return format
        if format.folder and name.endswith(f".{ending}"):
            return format
    shown = (f"{end}/" if format.folder else end for end, format in EXPORTS.items())
    raise CatalogueError(f"{out}: hands are written as {', '.join(shown)}")

"""The folder of a table: where its runs lie, and what it was made of.

OUT/table.json              what all rows share: data, recipe, weights
OUT/pages/                  the prepared pages, training and test
OUT/runs/ROW-SEED/          a run folder, and what its model scored on the test pages
OUT/TABLE.md, .csv, .png    the table
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import DgmpError
from ..files import Format, first_difference, read_json, write_json
from .rows import Row

FORMAT = Format("dgmp-table", 1, "table")
PATCH = 256  # pixels: with little text poolings can be told apart
# What is shown of a test page: all of it (None), or the patch in its middle. The patch is called
# "square" in the names of stored files, by which tables of any age are recognised as finished.
VIEWS: dict[str, dict[str, int | None]] = {
    "writer": {"page": None, "square": PATCH},
    "script": {"page": None},
}


def is_table(folder: Path) -> bool:
    """Whether a folder is that of a table."""
    return (folder / "table.json").is_file()


def claim_table(out: Path, about: Mapping[str, Any]) -> None:
    """Make the folder that of a table made of these things, or refuse one made of others."""
    path = out / "table.json"
    if path.exists():
        found = read_json(path, FORMAT)
        if shown := first_difference({key: found.get(key) for key in about}, about):
            raise DgmpError(
                f"{out}: holds a table made of other things ({shown}); choose another folder by "
                "--out"
            )
        return
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise DgmpError(f"{out}: is not empty and no table; choose another folder by --out")
    write_json(path, FORMAT, about)


def run_folder(out: Path, row: Row, seed: int) -> Path:
    """Where the run of a row with a seed lies."""
    return out / "runs" / f"{row.name}-{seed}"


def score_file(out: Path, row: Row, seed: int, view: str) -> Path:
    """What a run scored on one view of the test pages."""
    return run_folder(out, row, seed) / f"scores-{view}.json"


def finished_seeds(out: Path, row: Row, view: str) -> list[int]:
    """The seeds with which a row has been trained and tested."""
    found = []
    for path in (out / "runs").glob(f"{row.name}-*/scores-{view}.json"):
        seed = path.parent.name.removeprefix(f"{row.name}-")
        if seed.isdigit():  # else it is of a row whose name begins alike
            found.append(int(seed))
    return sorted(found)

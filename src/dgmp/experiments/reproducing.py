"""The tables and the figure of the paper by name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..names import choose
from ..training import Run, Watchers, error_curve
from .curves import CURVES_TABLE, write_curves
from .margins import MARGINS
from .outcomes import outcomes
from .poolings import POOLINGS_TABLE
from .reports import write_report
from .rows import PaperTable
from .scripts import SCRIPTS_TABLE
from .settings import Setting
from .table_folder import VIEWS, finished_seeds, run_folder
from .tables import run_table

TABLES: dict[str, PaperTable] = {
    table.name: table for table in (MARGINS, POOLINGS_TABLE, SCRIPTS_TABLE, CURVES_TABLE)
}


def find_table(name: str) -> PaperTable:
    """A table by its name."""
    return choose(name, TABLES, "table")


def reproduce(
    table: PaperTable,
    setting: Setting,
    out: Path | str,
    *,
    seeds: int | None = None,
    rows: Sequence[str] | None = None,
    watchers: Watchers | None = None,
) -> list[Path]:
    """Run what of a table is missing, write the table after every run, return its files."""
    out = Path(out)
    for _ in run_table(table, setting, out, seeds=seeds, rows=rows, watchers=watchers):
        write_table(table, setting, out)
    return write_table(table, setting, out)


def write_table(table: PaperTable, setting: Setting, out: Path) -> list[Path]:
    """Write the table of all runs that are finished."""
    if table is CURVES_TABLE:
        return _write_curves(table, setting, out)
    views = {view: outcomes(table, out, view, setting.test.pages) for view in VIEWS[table.task]}
    return write_report(table, setting, views, out)


def _write_curves(table: PaperTable, setting: Setting, out: Path) -> list[Path]:
    curves = []
    for row in table.rows:
        seeds = finished_seeds(out, row, "page")
        if seeds:
            runs = [Run(run_folder(out, row, seed)) for seed in seeds]
            curves.append(error_curve(row.title, runs))
    return write_curves(curves, out, setting.data, "1 − accuracy")

"""Tables of earlier versions are brought to the columns of now, in steps that survive a kill.

Version 1 has ``bytes`` and ``modified`` instead of ``stamp``, and ``sheet`` instead of ``scan``.
Versions up to 3 have no ``place``, which is filled in when pages are next compared. Versions 1 and
2 hold vectors as float32. These are rounded into a column beside, some rows at a time; when all
rows are done, the two columns change their names in one step and the old one goes. Versions up to
4 have no checksums, which are made last. Whatever a kill left half done is finished the next time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..names import need
from .checksums import CHECK, COLUMNS, checksums
from .rounding import rounded
from .rows import halves_of, list_column, stored_rows

BESIDE, BEFORE = "rounded_vector", "float_vector"
_AT_ONCE = 2_000  # rows that are rounded in one step


def renew_columns(table: Any, dim: int) -> None:
    """Bring a table to the columns of now."""
    pa = need("pyarrow")
    names = set(table.schema.names)
    if "stamp" not in names:
        stamp = "concat(cast(bytes as string), ' ', cast(modified as string))"
        table.add_columns({"stamp": stamp})
    if "sheet" in names:
        table.alter_columns({"path": "sheet", "rename": "scan"})
    for name in ("step", "halves", "line_distance"):
        if name not in names:
            table.add_columns(pa.schema([pa.field(name, pa.float32())]))
    if "place" not in names:
        table.add_columns(pa.schema([pa.field("place", pa.string())]))
    if table.schema.field("vector").type.value_type != pa.int8():
        if BESIDE not in names:
            table.add_columns(pa.schema([pa.field(BESIDE, pa.list_(pa.int8(), dim))]))
        _round(table)
        for index in table.list_indices():
            if "vector" in index.columns:
                table.drop_index(index.name)
        table.alter_columns(
            {"path": "vector", "rename": BEFORE}, {"path": BESIDE, "rename": "vector"}
        )
    old = {"bytes", "modified", BEFORE} & set(table.schema.names)
    if old:
        table.drop_columns(sorted(old))
    if CHECK not in names:
        table.add_columns(pa.schema([pa.field(CHECK, pa.int64())]))
    _add_checksums(table)


def _add_checksums(table: Any) -> None:
    pa = need("pyarrow")
    while True:
        query = table.search().where(f"{CHECK} IS NULL").select(list(COLUMNS))
        rows = query.limit(_AT_ONCE).to_arrow()
        if not len(rows):
            return
        steps = np.asarray(rows["step"].to_numpy(), np.float32)
        made = checksums(rows["page_id"].to_pylist(), stored_rows(rows), steps, halves_of(rows))
        done = pa.table({"page_id": rows["page_id"], CHECK: pa.array(made)})
        table.merge_insert("page_id").when_matched_update_all().execute(done)


def _round(table: Any) -> None:
    pa = need("pyarrow")
    query = ("page_id", "vector")
    while True:
        rows = table.search().where("step IS NULL").select(list(query)).limit(_AT_ONCE).to_arrow()
        if not len(rows):
            return
        numbers, steps = rounded(stored_rows(rows))
        done = {"page_id": rows["page_id"], BESIDE: list_column(numbers), "step": pa.array(steps)}
        table.merge_insert("page_id").when_matched_update_all().execute(pa.table(done))

"""Label files: tables with a header, CLaMM's official tables, and lists of ``name.tif id``.

A table is separated by comma, semicolon or tab and its header names a column of files, then any of
writer, script, manuscript, page, split, century and date; further columns are passed over. What a
table says of a file wins over folder and file names.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import CorpusError
from ..files import readable
from ..pixels import SUFFIXES
from ..storage import AnyPath

LABELS = ("writer", "script", "manuscript", "scan", "split", "century")
COLUMNS = {  # as written in headers, in small letters with _ for spaces
    "file": "file", "filename": "file", "file_name": "file", "path": "file", "image": "file",
    "writer": "writer", "writer_id": "writer", "hand": "writer",
    "script": "script", "script_type": "script", "script_type_icdar2017": "script",
    "manuscript": "manuscript", "shelfmark": "manuscript",
    "page": "scan", "scan": "scan", "split": "split",
    "century": "century", "date": "date", "year": "date",
}  # fmt: skip
# In the order of their numbers: from 0 in CLaMM 2016, from 1 in CLaMM 2017.
CLAMM_SCRIPTS = (
    "Caroline", "Cursiva", "Half-Uncial", "Humanistic", "Humanistic Cursive", "Hybrida",
    "Praegothica", "Semihybrida", "Semitextualis", "Southern Textualis", "Textualis", "Uncial",
)  # fmt: skip
HANDS_HEADER = ["page", "hand"]  # how a table that dgmp hands wrote begins
TABLE_SUFFIXES = (".csv", ".tsv", ".txt", ".lst")
SPLITS = {
    "train": "train", "training": "train", "experimental": "train",
    "val": "val", "valid": "val", "validation": "val",
    "test": "test", "testing": "test", "benchmark": "test", "benchmarking": "test",
    "task1": "test", "task2": "test", "task3": "test", "task4": "test",
}  # fmt: skip


@dataclass(frozen=True)
class LabelFile:
    """What a label file says: one dictionary per row, of ``file`` and the labels that are known."""

    path: AnyPath
    rows: tuple[dict[str, str], ...]
    numbered: bool = False  # scripts are CLaMM's numbers, still to be named
    official: bool = False  # CLaMM's own form, not a table of ours
    notes: tuple[tuple[str, str], ...] = field(default=())

    @property
    def labels(self) -> frozenset[str]:
        """The labels that any row has."""
        return frozenset(key for row in self.rows for key in row if key != "file")


def plain_name(name: str) -> str:
    """Names that differ in case, spaces, hyphens or underscores are the same script."""
    return re.sub(r"[\s_-]+", "", name).lower()


_BY_PLAIN_NAME = {plain_name(name): name for name in CLAMM_SCRIPTS}


def clamm_script(name: str) -> str | None:
    """CLaMM's own spelling of a script's name, or None for a name it does not have."""
    return _BY_PLAIN_NAME.get(plain_name(name))


def century_of(date: str | None, century: str | None = None) -> str | None:
    """Two digits: those of a century as ``12``, or of a year as ``1143``; of two years the middle.

    None where there is none from 1 to 21.
    """
    if century is not None:
        number = int(century) if century.isdecimal() else 0
    else:
        years = [int(year) for year in re.findall(r"(?<!\d)\d{3,4}(?!\d)", date or "")]
        number = int(sum(years) / len(years) - 1) // 100 + 1 if years else 0
    return f"{number:02d}" if 1 <= number <= 21 else None


def split_in(name: str) -> str | None:
    """The split that a folder's or label file's name speaks of, if it is just one."""
    words = re.split(r"[^a-z0-9]+", name.lower())
    found = {SPLITS[word] for word in words if word in SPLITS}
    return found.pop() if len(found) == 1 else None


def read_table(path: AnyPath) -> LabelFile | None:
    """Read a label file; None for a text file that lists no files at all."""
    text, notes = _decoded(path)
    try:
        return _read(path, text.replace("\r\n", "\n").replace("\r", "\n"), notes)
    except csv.Error as error:
        raise CorpusError(f"{path}: cannot be read as a table ({error})") from error


def _read(path: AnyPath, text: str, notes: list[tuple[str, str]]) -> LabelFile | None:
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return None
    delimiter = max(",;\t", key=lines[0].count)
    if lines[0].count(delimiter) or lines[0].strip().lower() in COLUMNS:
        header = [re.sub(r"\s+", "_", cell.strip().lower()) for cell in _cells(lines[0], delimiter)]
        if header[: len(HANDS_HEADER)] == HANDS_HEADER:
            return None  # what dgmp hands wrote: its groups are no labels
        names = [COLUMNS.get(cell) for cell in header]
        if "file" in names:
            return _with_header(path, text, delimiter, header, names, notes)
        if _is_picture(header[0]):
            return _clamm_names(path, lines, delimiter, notes)
        if len(lines) > 1 and _is_picture(_cells(lines[1], delimiter)[0]):
            return _clamm_names(path, lines[1:], delimiter, notes)
    return _pairs(path, lines, notes)


def _decoded(path: AnyPath) -> tuple[str, list[tuple[str, str]]]:
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise CorpusError(f"{path}: is no ordinary file")
        content = path.read_bytes()
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read ({error.strerror})") from error
    if b"\0" in content:
        if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
            text = content.decode("utf-16", "replace")
            if "\0" not in text:
                return text, []
        raise CorpusError(f"{path}: is no text, though its name ends in {path.suffix}")
    try:
        return content.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace"), [(path.name, "not UTF-8, read as Windows-1252")]


def _cells(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter))


def _is_picture(name: str) -> bool:
    return Path(name.strip()).suffix.lower() in SUFFIXES


def _with_header(
    path: AnyPath,
    text: str,
    delimiter: str,
    header: list[str],
    names: list[str | None],
    notes: list[tuple[str, str]],
) -> LabelFile:
    for name in set(names) - {None}:
        if names.count(name) > 1:
            columns = ", ".join(h for h, n in zip(header, names, strict=True) if n == name)
            raise CorpusError(f"{path}: several columns for the {name}: {columns}; keep one")
    rows = []
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    next(reader)
    for cells in reader:
        if not any(cell.strip() for cell in cells):
            continue
        row = {
            name: cell.strip() if name == "file" else readable(cell.strip())
            for name, cell in zip(names, cells, strict=False)
            if name and cell.strip()
        }
        if len(cells) < len(names):
            short = f"line {reader.line_num} has {len(cells)} cells, the header {len(names)}"
            notes.append((path.name, short))
        if "file" not in row:
            notes.append((path.name, f"line {reader.line_num} names no file"))
            continue
        given = row.pop("date", None), row.pop("century", None)
        if given != (None, None):
            century = century_of(*given)
            if century is None:
                shown = next(text for text in reversed(given) if text)
                notes.append((path.name, f"line {reader.line_num}: {shown!r} says no century"))
            else:
                row["century"] = century
        rows.append(row)
    official = any(name.startswith("script_type") for name in header)
    scripts = [row["script"] for row in rows if "script" in row]
    numbered = official and bool(scripts) and all(script.isdecimal() for script in scripts)
    return LabelFile(path, tuple(rows), numbered, official, tuple(notes))


def _clamm_names(
    path: AnyPath, lines: list[str], delimiter: str, notes: list[tuple[str, str]]
) -> LabelFile | None:
    """CLaMM 2016: ``name.tif;CAROLINE``; a page in two scripts lists both and gets no label."""
    rows = []
    for line in lines:
        name, *scripts = (cell.strip() for cell in _cells(line, delimiter))
        scripts = [script for script in scripts if script]
        if all(script.isdecimal() for script in scripts):
            rows.append({"file": name, "script": scripts[0]} if scripts else {"file": name})
            continue
        named = [clamm_script(script) for script in scripts]
        if None in named:
            return None
        row = {"file": name}
        if len(set(named)) == 1:
            row["script"] = str(named[0])
        elif named:
            notes.append((name, f"has several scripts ({', '.join(map(str, named))}), no label"))
        rows.append(row)
    numbered = any(row.get("script", "").isdecimal() for row in rows)
    return LabelFile(path, tuple(rows), numbered, official=True, notes=tuple(notes))


def _pairs(path: AnyPath, lines: list[str], notes: list[tuple[str, str]]) -> LabelFile | None:
    """``name.tif id`` on every line; names may hold spaces, the number comes last."""
    rows = []
    for number, line in enumerate(lines, 1):
        found = re.fullmatch(r"\s*(.+?)[\s,;]+(\d+)\s*", line)
        if found and _is_picture(found[1]):
            rows.append({"file": found[1], "script": found[2]})
        elif rows:
            notes.append((path.name, f"line {number} is not of the form 'name.tif id'"))
        elif number > 1:
            return None
    return (
        LabelFile(path, tuple(rows), numbered=True, official=True, notes=tuple(notes))
        if rows
        else None
    )

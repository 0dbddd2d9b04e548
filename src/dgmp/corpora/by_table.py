"""Labels from tables that list files: any CSV, and CLaMM's official ones."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Any

from ..errors import CorpusError
from ..files import as_named
from ..storage import AnyPath, relative
from .corpus_format import CorpusFormat, Found, Listed
from .label_files import CLAMM_SCRIPTS, SPLITS, LabelFile, clamm_script, split_in


def format_of_tables(root: AnyPath, tables: Sequence[LabelFile]) -> str:
    """The format of a folder with label files, or a CorpusError that asks."""
    seen: dict[str, LabelFile] = {}
    for table in tables:
        for row in table.rows:
            other = seen.setdefault(row["file"], table)
            same_place = other.path.parent == table.path.parent
            if other is not table and same_place:
                raise CorpusError(
                    f"{root}: {other.path.name} and {table.path.name} both list {row['file']!r}; "
                    "say which counts by labels= (--labels)"
                )
    if len({table.labels & {"writer", "script"} for table in tables}) > 1:
        names = ", ".join(relative(table.path, root).as_posix() for table in tables)
        raise CorpusError(
            f"{root}: label files of different sorts ({names}); open the folder of one of them, "
            "or say which counts by labels= (--labels)"
        )
    if not any(table.official for table in tables):
        return "csv"
    numbers = {
        int(row["script"]) for t in tables if t.numbered for row in t.rows if "script" in row
    }
    if not numbers:
        return "clamm16"  # scripts by name: no count to start at 0 or 1
    if 0 in numbers and len(CLAMM_SCRIPTS) in numbers:
        raise CorpusError(f"{root}: script numbers from 0 to 12, CLaMM has twelve")
    if max(numbers) > len(CLAMM_SCRIPTS):
        raise CorpusError(f"{root}: script number {max(numbers)}, CLaMM has twelve")
    if 0 in numbers:
        return "clamm16"
    if len(CLAMM_SCRIPTS) in numbers:
        return "clamm17"
    spoken = " ".join(
        [root.name, *(t.path.name for t in tables), *(t.path.parent.name for t in tables)]
    )
    years = {year for year in ("16", "17") if re.search(rf"(20|clamm){year}", spoken.lower())}
    if len(years) == 1:
        return f"clamm{years.pop()}"
    raise CorpusError(
        f"{root}: script numbers {min(numbers)} to {max(numbers)} are counted from 0 in CLaMM 2016 "
        "and from 1 in CLaMM 2017; say kind='clamm16' or kind='clamm17' (--kind)"
    )


def _list(found: Found, kind: str) -> Listed:
    root, pictures, tables = found.root, found.pictures, found.tables
    if not tables:
        raise CorpusError(f"{root}: kind {kind!r} needs a label file, and there is none")
    listed = Listed()
    present = {picture.resolve(): picture for picture in pictures}
    by_name: dict[str, list[AnyPath]] = defaultdict(list)
    for picture in pictures:
        by_name[picture.name].append(picture)
    rows: dict[AnyPath, dict[str, str]] = {}
    conflicts: dict[AnyPath, str] = {}
    for table in tables:
        listed.notes += table.notes
        table_name = table.path.name
        told = split_in(table.path.stem) or (
            split_in(table.path.parent.name) if len(tables) > 1 else None
        )
        for row in table.rows:
            name = as_named(row["file"]).replace("\\", "/")
            file = _find(name, table.path.parent, root, present, by_name)
            if isinstance(file, str):
                listed.left_out.append((name, f"listed in {table_name}, {file}"))
                continue
            labels = {key: value for key, value in row.items() if key != "file"}
            if "split" in labels:
                labels["split"] = SPLITS.get(labels["split"].lower(), labels["split"])
            elif (told and kind != "csv") or (told and len(tables) > 1):
                labels["split"] = told
            if table.numbered and "script" in labels:
                number = int(labels["script"]) - (kind == "clamm17")
                if not 0 <= number < len(CLAMM_SCRIPTS):
                    why = f"script number {labels['script']} is not one of {kind}"
                    listed.left_out.append((name, why))
                    continue
                labels["script"] = CLAMM_SCRIPTS[number]
            elif table.official and "script" in labels:
                labels["script"] = clamm_script(labels["script"]) or labels["script"]
            if file in rows:
                shown = relative(file, root).as_posix()
                if rows[file] == labels:
                    listed.notes.append((shown, f"listed twice in {table_name}, alike"))
                else:
                    differing = sorted(
                        key
                        for key in rows[file].keys() | labels.keys()
                        if rows[file].get(key) != labels.get(key)
                    )
                    first = differing[0]
                    conflicts[file] = (
                        f"listed twice with different {first}: "
                        f"{rows[file].get(first)!r} and {labels.get(first)!r}"
                    )
                continue
            rows[file] = labels
    names = ", ".join(table.path.name for table in tables)
    for picture in pictures:
        if picture not in rows:
            listed.left_out.append((relative(picture, root).as_posix(), f"not listed in {names}"))
    for picture, why in conflicts.items():
        del rows[picture]
        listed.left_out.append((relative(picture, root).as_posix(), why))
    listed.files += rows.items()
    return listed


def _find(
    name: str,
    folder: AnyPath,
    root: AnyPath,
    present: dict[AnyPath, AnyPath],
    by_name: dict[str, list[AnyPath]],
) -> AnyPath | str:
    """The file a row of a table in a folder means, or why there is none."""
    wanted = folder / name
    try:
        if wanted.resolve() not in present and not wanted.exists() and (root / name).is_file():
            wanted = root / name  # a label file that lies elsewhere may mean the corpus
    except OSError as error:  # a name that no file can have
        return f"but there is no such file: {error.strerror}"
    resolved = wanted.resolve()
    if resolved in present:
        return present[resolved]
    if resolved.is_file():
        top: Any = root.resolve()
        if not resolved.is_relative_to(top):
            return "but lies outside the corpus"
        return root / relative(resolved, top).as_posix()
    if resolved.is_dir():
        return "but is a folder"
    namesakes = by_name.get(wanted.name, [])
    if len(namesakes) == 1:
        return namesakes[0]  # label files often give bare names of pictures in a folder below
    if namesakes:
        places = ", ".join(relative(name, root).as_posix() for name in namesakes[:3])
        return f"but found in several places: {places}"
    return "but there is no such file"


CSV = CorpusFormat("a table that lists files", partial(_list, kind="csv"), from_tables=True)
CLAMM16 = CorpusFormat("CLaMM 2016", partial(_list, kind="clamm16"), from_tables=True)
CLAMM17 = CorpusFormat("CLaMM 2017", partial(_list, kind="clamm17"), from_tables=True)

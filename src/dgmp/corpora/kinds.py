"""The kinds of collections that are recognised, and what each says of its files."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import CorpusError
from .labels import CLAMM_SCRIPTS, SPLITS, Table, clamm_script, split_in

# Training pages are called writer-sheet-IMG_MAX_number, test pages writer-IMG_MAX_number.
HISTORICAL_WI = re.compile(r"(\d+)-(?:(\d+)-)?IMG_MAX_(\d+)", re.IGNORECASE)
ICDAR13 = re.compile(r"(\d{3,4})_(\d{1,2})")


@dataclass
class Listed:
    """The files of a corpus with their labels, and remarks on those that do not count."""

    files: list[tuple[Path, dict[str, str]]] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


def choose_kind(root: Path, pictures: Sequence[Path]) -> str:
    """The kind of a folder without a label file, or a CorpusError that asks."""
    names = [picture.stem for picture in pictures]
    fits = {
        kind: sum(1 for name in names if pattern.fullmatch(name))
        for kind, pattern in (("historical-wi", HISTORICAL_WI), ("icdar13", ICDAR13))
    }
    folders = [_folders(root, picture) for picture in pictures]
    inside = [bool(parts) for parts in folders]
    for kind, count in fits.items():
        if count == len(names):
            other = kind == "icdar13" and any(inside) and not _same_writers(pictures, folders)
            if not other:
                return kind
            _ask(root, "file names look like ICDAR 2013 and folders like writers", kind, "writers")
        if count:
            _ask(root, f"{count} of {len(names)} file names are of this kind", kind, "plain")
    if not any(inside):
        return "plain"
    if not all(inside):
        top = len(inside) - sum(inside)
        _ask(root, f"{top} pictures lie beside folders of pictures", "writers", "scripts", "plain")
    tops = {parts[0] for parts in folders}
    if len(tops) == 1:
        _ask(root, f"all pictures lie in {tops.pop()!r}", "writers", "scripts", "plain")
    known = {name for name in tops if clamm_script(name)}
    if known == tops:
        return "scripts"
    if known:
        some = f"{sorted(known)[0]!r} is a script and {sorted(tops - known)[0]!r} is not"
        _ask(root, some, "writers", "scripts", "plain")
    return "writers"


def kind_of_tables(root: Path, tables: Sequence[Table]) -> str:
    """The kind of a folder with label files, or a CorpusError that asks."""
    seen: dict[str, Table] = {}
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
        names = ", ".join(table.path.relative_to(root).as_posix() for table in tables)
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


def list_files(
    kind: str, root: Path, pictures: Sequence[Path], tables: Sequence[Table], variant: str | None
) -> Listed:
    """Files and labels of a corpus whose kind is known."""
    if KINDS[kind].from_tables:
        if not tables:
            raise CorpusError(f"{root}: kind {kind!r} needs a label file, and there is none")
        return _from_tables(kind, root, pictures, tables)
    if kind == "historical-wi":
        pictures = _one_variant(root, pictures, variant)
    listed = Listed()
    three_parts = {bool(m[2]) for p in pictures if (m := HISTORICAL_WI.fullmatch(p.stem))}
    for picture in pictures:
        labels = KINDS[kind].labels(root, picture)
        if labels is None:
            why = f"its name is not one of {KINDS[kind].name}"
            listed.left_out.append((picture.relative_to(root).as_posix(), why))
            continue
        if kind == "historical-wi" and len(three_parts) == 2 and "split" not in labels:
            match = HISTORICAL_WI.fullmatch(picture.stem)
            labels["split"] = "train" if match and match[2] else "test"
        listed.files.append((picture, labels))
    return listed


def _ask(root: Path, seen: str, *kinds: str) -> None:
    ways = " or ".join(f"kind={kind!r} ({KINDS[kind].name})" for kind in kinds)
    raise CorpusError(f"{root}: {seen}, so it can be read in several ways; say {ways} (--kind)")


def _folders(root: Path, picture: Path) -> tuple[str, ...]:
    """The folders above a picture that are not mere sides of a split."""
    parts = picture.relative_to(root).parts[:-1]
    return tuple(part for part in parts if part.lower() not in SPLITS)


def _split(root: Path, picture: Path) -> dict[str, str]:
    parts = (root.name, *picture.relative_to(root).parts[:-1])
    for part in reversed(parts):
        if side := split_in(part):
            return {"split": side}
    return {}


def _same_writers(pictures: Sequence[Path], folders: Sequence[tuple[str, ...]]) -> bool:
    """Whether file names and folder names tell the same writers apart, or folders tell nothing."""
    by_folder: dict[str, set[str]] = defaultdict(set)
    for picture, parts in zip(pictures, folders, strict=True):
        by_folder["/".join(parts)].add(picture.stem.partition("_")[0])
    clash = Counter(writer for writers in by_folder.values() for writer in writers)
    several = all(len(writers) > 1 for writers in by_folder.values())
    return max(clash.values()) == 1 and (
        several or all({name} == writers for name, writers in by_folder.items())
    )


def _historical_wi(root: Path, picture: Path) -> dict[str, str] | None:
    match = HISTORICAL_WI.fullmatch(picture.stem)
    if not match:
        return None
    return {"writer": match[1], "sheet": match[3], **_split(root, picture)}


def _icdar13(root: Path, picture: Path) -> dict[str, str] | None:
    match = ICDAR13.fullmatch(picture.stem)
    return {"writer": match[1], "sheet": match[2], **_split(root, picture)} if match else None


def _by_folder(label: str) -> Callable[[Path, Path], dict[str, str] | None]:
    def labels(root: Path, picture: Path) -> dict[str, str] | None:
        parts = picture.relative_to(root).parts[:-1]
        sides = [part for part in parts if part.lower() in SPLITS]
        names = [part for part in parts if part.lower() not in SPLITS]
        split = {"split": SPLITS[sides[0].lower()]} if sides else {}
        return {label: names[0], **split} if names else split

    return labels


def _plain(root: Path, picture: Path) -> dict[str, str] | None:
    sides = [p for p in picture.relative_to(root).parts[:-1] if p.lower() in SPLITS]
    return {"split": SPLITS[sides[0].lower()]} if sides else {}


def _no_table(root: Path, picture: Path) -> dict[str, str] | None:
    raise AssertionError("labels come from tables")


def _one_variant(root: Path, pictures: Sequence[Path], variant: str | None) -> list[Path]:
    """Historical-WI comes in colour (JPEG) and binarised (PNG): the same pages twice."""
    chosen: dict[str, list[Path]] = defaultdict(list)
    for picture in pictures:
        said = picture.relative_to(root).as_posix().lower()
        if re.search(r"binar", said):
            chosen["binarised"].append(picture)
        elif re.search(r"colou?r", said):
            chosen["colour"].append(picture)
        else:
            jpeg = picture.suffix.lower() in (".jpg", ".jpeg")
            chosen["colour" if jpeg else "binarised"].append(picture)
    if variant is not None:
        if variant not in chosen:
            raise CorpusError(f"{root}: has no {variant} pages, only {', '.join(chosen)}")
        return chosen[variant]
    stems = [{picture.stem for picture in group} for group in chosen.values()]
    if len(stems) == 2 and stems[0] & stems[1]:
        raise CorpusError(
            f"{root}: the same pages in colour and binarised; say variant='colour' or "
            "variant='binarised' (--variant), or open the folder of one of them"
        )
    return list(pictures)


def _from_tables(
    kind: str, root: Path, pictures: Sequence[Path], tables: Sequence[Table]
) -> Listed:
    listed = Listed()
    present = {picture.resolve(): picture for picture in pictures}
    by_name: dict[str, list[Path]] = defaultdict(list)
    for picture in pictures:
        by_name[picture.name].append(picture)
    rows: dict[Path, dict[str, str]] = {}
    conflicts: dict[Path, str] = {}
    for table in tables:
        listed.notes += table.notes
        table_name = table.path.name
        told = split_in(table.path.stem) or (
            split_in(table.path.parent.name) if len(tables) > 1 else None
        )
        for row in table.rows:
            name = row["file"].replace("\\", "/")
            wanted = table.path.parent / name
            if not wanted.exists() and (root / name).is_file():
                wanted = root / name  # a label file that lies elsewhere may mean the corpus
            found = _find(wanted, root, present, by_name)
            if isinstance(found, str):
                listed.left_out.append((name, f"listed in {table_name}, {found}"))
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
            if found in rows:
                shown = found.relative_to(root).as_posix()
                if rows[found] == labels:
                    listed.notes.append((shown, f"listed twice in {table_name}, alike"))
                else:
                    differing = sorted(
                        key
                        for key in rows[found].keys() | labels.keys()
                        if rows[found].get(key) != labels.get(key)
                    )
                    first = differing[0]
                    conflicts[found] = (
                        f"listed twice with different {first}: "
                        f"{rows[found].get(first)!r} and {labels.get(first)!r}"
                    )
                continue
            rows[found] = labels
    names = ", ".join(table.path.name for table in tables)
    for picture in pictures:
        if picture not in rows:
            listed.left_out.append((picture.relative_to(root).as_posix(), f"not listed in {names}"))
    for picture, why in conflicts.items():
        del rows[picture]
        listed.left_out.append((picture.relative_to(root).as_posix(), why))
    listed.files += rows.items()
    return listed


def _find(
    wanted: Path, root: Path, present: dict[Path, Path], by_name: dict[str, list[Path]]
) -> Path | str:
    """The file a row means, or why there is none."""
    resolved = wanted.resolve()
    if resolved in present:
        return present[resolved]
    if resolved.is_file():
        if not resolved.is_relative_to(root.resolve()):
            return "but lies outside the corpus"
        return root / resolved.relative_to(root.resolve())
    if resolved.is_dir():
        return "but is a folder"
    namesakes = by_name.get(wanted.name, [])
    if len(namesakes) == 1:
        return namesakes[0]  # label files often give bare names of pictures in a folder below
    if namesakes:
        places = ", ".join(name.relative_to(root).as_posix() for name in namesakes[:3])
        return f"but found in several places: {places}"
    return "but there is no such file"


@dataclass(frozen=True)
class Kind:
    """How a kind is called in messages, and where its labels come from."""

    name: str
    labels: Callable[[Path, Path], dict[str, str] | None] = _no_table
    from_tables: bool = False


KINDS = {
    "csv": Kind("a table that lists files", from_tables=True),
    "writers": Kind("one folder per writer", _by_folder("writer")),
    "scripts": Kind("one folder per script", _by_folder("script")),
    "historical-wi": Kind("Historical-WI, ICDAR 2017", _historical_wi),
    "icdar13": Kind("ICDAR 2013", _icdar13),
    "clamm16": Kind("CLaMM 2016", from_tables=True),
    "clamm17": Kind("CLaMM 2017", from_tables=True),
    "plain": Kind("pictures without labels", _plain),
}

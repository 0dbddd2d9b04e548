"""The corpus formats by name, and which of them a folder is in."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from ..errors import CorpusError
from .by_file_name import HISTORICAL_WI, ICDAR13
from .by_folder import PLAIN, SCRIPTS, WRITERS
from .by_table import CLAMM16, CLAMM17, CSV
from .corpus_format import CorpusFormat, folders_above
from .label_files import clamm_script

FORMATS: dict[str, CorpusFormat] = {
    "csv": CSV,
    "writers": WRITERS,
    "scripts": SCRIPTS,
    "historical-wi": HISTORICAL_WI,
    "icdar13": ICDAR13,
    "clamm16": CLAMM16,
    "clamm17": CLAMM17,
    "plain": PLAIN,
}


def choose_format(root: Path, pictures: Sequence[Path]) -> str:
    """The format of a folder without a label file, or a CorpusError that asks."""
    names = [picture.stem for picture in pictures]
    fits = {
        kind: sum(1 for name in names if format.pattern.fullmatch(name))
        for kind, format in FORMATS.items()
        if format.pattern is not None
    }
    folders = [folders_above(root, picture)[0] for picture in pictures]
    inside = [bool(parts) for parts in folders]
    for kind, count in fits.items():
        if count == len(names):
            other = kind == "icdar13" and any(inside) and not _same_writers(pictures, folders)
            if not other:
                return kind
            _ask(root, "file names look like ICDAR 2013, folders like writers", kind, "writers")
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


def _ask(root: Path, seen: str, *kinds: str) -> None:
    ways = " or ".join(f"kind={kind!r} ({FORMATS[kind].name})" for kind in kinds)
    raise CorpusError(f"{root}: {seen}, so it can be read in several ways; say {ways} (--kind)")


def _same_writers(pictures: Sequence[Path], folders: Sequence[tuple[str, ...]]) -> bool:
    """Whether file names and folder names name the same writers, or folders name none."""
    by_folder: dict[str, set[str]] = defaultdict(set)
    for picture, parts in zip(pictures, folders, strict=True):
        by_folder["/".join(parts)].add(picture.stem.partition("_")[0])
    clash = Counter(writer for writers in by_folder.values() for writer in writers)
    several = all(len(writers) > 1 for writers in by_folder.values())
    return max(clash.values()) == 1 and (
        several or all({name} == writers for name, writers in by_folder.items())
    )

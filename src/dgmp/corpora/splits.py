"""Splits by writer or manuscript, decided by a seed, written down, and checked.

Groups are put in the order of a hash of seed and name: the same on every machine and version,
and adding a writer moves no other writer but at the edge. Where pages have scripts and groups are
manuscripts, each script is divided on its own, so that every split has it.

A split file is a CSV with the columns ``id``, ``split`` and ``content`` (the SHA-256 of the file,
by which a page is known wherever it lies) under a first line that says how it was made.
"""

from __future__ import annotations

import csv
import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..errors import CorpusError, ImageError
from ..files import replacing
from ..records import Page

VERSION = 1


def split_pages(
    pages: Sequence[Page],
    sizes: Mapping[str, float],
    *,
    by: str = "writer",
    seed: int = 0,
    rest: str = "train",
) -> tuple[Page, ...]:
    """Put every page into a split: whole writers (or manuscripts) into each.

    ``sizes`` says how many groups each split gets, as a number (40) or a share below one (0.2);
    what remains goes to ``rest``. Forty writers held out for validation: ``{"val": 40}``.
    """
    groups: dict[str, dict[str, None]] = defaultdict(dict)  # by stratum, in order
    for page in pages:
        group = getattr(page, by)
        if group is None:
            raise CorpusError(f"page {page.id!r} has no {by}, so it cannot be put into a split")
        groups[(page.script or "") if by == "manuscript" else ""][group] = None
    whole = sum(len(names) for names in groups.values())
    splits: dict[str, str] = {}
    for names in groups.values():
        free = [name for name in sorted(names, key=lambda n: _draw(seed, n)) if name not in splits]
        for split, size in sizes.items():
            if size < 0 or (size >= 1 and size != int(size)):
                raise ValueError(f"sizes[{split!r}] must be a whole number or a share, got {size}")
            share = size if size < 1 else size / whole
            number = round(share * len(names))
            if len(groups) > 1:
                number = min(number, len(free))  # a manuscript in two scripts was drawn before
            if number > len(free):
                raise CorpusError(
                    f"{number} {by}s wanted for {split!r}, {len(free)} are left of {whole}"
                )
            splits.update(dict.fromkeys(free[:number], split))
            free = free[number:]
        splits.update(dict.fromkeys(free, rest))
    return tuple(replace(page, split=splits[getattr(page, by)]) for page in pages)


def check_split(pages: Sequence[Page], *, by: str = "writer") -> None:
    """Raise a CorpusError that names the first writer (or manuscript) found in two splits."""
    splits: dict[str, dict[str, str]] = defaultdict(dict)
    for page in pages:
        group = getattr(page, by)
        if group is not None and page.split is not None:
            splits[group].setdefault(page.split, page.id)
    torn = [group for group, found in splits.items() if len(found) > 1]
    if torn:
        (one, first), (other, second), *_ = splits[torn[0]].items()
        more = f" (and {len(torn) - 1} more)" if len(torn) > 1 else ""
        raise CorpusError(
            f"{by} {torn[0]!r}{more} is in two splits: {first!r} in {one}, "
            f"{second!r} in {other}; correct the split, or make one by split_pages"
        )


def write_split(pages: Sequence[Page], path: Path, *, made: str = "") -> None:
    """Write the splits down; ``made`` says how (by what, with which seed)."""
    check_split(pages, by="writer")
    check_split(pages, by="manuscript")
    with replacing(Path(path)) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        file.write(f"# dgmp split {VERSION} {' '.join(made.split())}".rstrip() + "\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("id", "split", "content"))
        writer.writerows((page.id, page.split or "", content_of(page)) for page in pages)


def content_of(page: Page) -> str:
    """The SHA-256 of the file of a page; nothing where it cannot be had now."""
    try:
        return page.source.content_hash
    except (ImageError, OSError):
        return ""


def apply_split(path: Path, pages: Sequence[Page]) -> tuple[Page, ...]:
    """The pages with the splits that were written down; pages that are not in the file get none."""
    splits = read_split_file(path)
    strange = splits.keys() - {page.id for page in pages}
    if strange:
        raise CorpusError(
            f"{path}: {len(strange)} pages are not in this corpus, as {min(strange)!r}"
        )
    split = tuple(replace(page, split=splits.get(page.id)) for page in pages)
    for name in ("writer", "manuscript"):
        check_split(split, by=name)
    return split


def read_split_file(path: Path) -> dict[str, str | None]:
    """The split of every page by its id, as it was written down."""
    return {row["id"]: row["split"] or None for row in _rows(Path(path))}


def contents_of_split(path: Path, split: str) -> frozenset[str]:
    """The SHA-256 of the files of a split; none in a file of an earlier version of dgmp."""
    rows = _rows(Path(path))
    return frozenset(row.get("content") or "" for row in rows if row["split"] == split) - {""}


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise CorpusError(f"{path}: is no ordinary file")
        first, *lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise CorpusError(f"{path}: cannot be read as a split file") from error
    words = first.split()
    if words[:3] != ["#", "dgmp", "split"] or len(words) < 4:
        raise CorpusError(f"{path}: is no split file; those begin with '# dgmp split {VERSION}'")
    if words[3] != str(VERSION):
        raise CorpusError(f"{path}: is of version {words[3]}, this dgmp reads version {VERSION}")
    try:
        rows = list(csv.DictReader(lines))
    except csv.Error as error:
        raise CorpusError(f"{path}: cannot be read as a split file ({error})") from error
    if any(not row.get("id") or row.get("split") is None for row in rows):
        raise CorpusError(f"{path}: every line must have an id and a split")
    return rows


def _draw(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed} {name}".encode()).digest()

"""Scans become a corpus: pages with what is known of them, and what was left out.

Labels come from a table that lists files, from the file names of an official set, or from the
names of folders where ``kind`` says so; see ``docs/corpora.md``.
Opening reads the headers of pictures only. Files that cannot be used never stop it: each is in
``left_out`` with its reason, and what was used with a reservation is in ``notes``.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from ..errors import CorpusError, ImageError, MissingLabels
from ..files import readable
from ..names import check_name
from ..pixels import FOREIGN, SUFFIXES, Picture, pictures_in
from ..records import Page, Source
from ..sources import (
    SOURCES,
    is_address,
    is_manifest_file,
    list_address,
    list_all,
    read_address_list,
    sources_at,
)
from ..storage import AnyPath, ObjectPath, as_path, reachable_path, relative
from .by_table import format_of_tables
from .corpus_format import Found
from .formats import FORMATS, choose_format
from .label_files import TABLE_SUFFIXES, LabelFile, read_table
from .layout_files import layout_file, read_layout
from .parts import region_pages
from .splits import apply_split, check_split

CLASSES = ("script", "century")  # what a classifier may learn
_PASSED_OVER = ("__MACOSX", "__pycache__")
_SPREADSHEETS = (".csv", ".tsv")  # meant as labels; a .txt may be anything


class Remark(NamedTuple):
    """Something about a file that its owner should know."""

    file: str
    reason: str


@dataclass(frozen=True)
class Corpus:
    """Pages in the order of their ids."""

    root: AnyPath | str  # a folder, or the address that was given
    kind: str
    pages: tuple[Page, ...]
    left_out: tuple[Remark, ...] = ()
    notes: tuple[Remark, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.pages)

    def __iter__(self) -> Iterator[Page]:
        return iter(self.pages)

    @property
    def place(self) -> str:
        """The absolute path of the folder, or the address."""
        return self.root if isinstance(self.root, str) else readable(str(self.root.resolve()))

    def check_usable(self) -> None:
        """Refuse a corpus without a single page that can be used."""
        if not self.pages:
            why = ": ".join(self.left_out[0]) if self.left_out else "there are none"
            raise CorpusError(f"{self.root}: none of its files can be used ({why})")

    def in_split(self, split: str) -> tuple[Page, ...]:
        """The pages of one split, such as ``"train"``."""
        found = tuple(page for page in self.pages if page.split == split)
        if not found:
            known = ", ".join(sorted({page.split for page in self.pages if page.split}))
            there = f"there is {known}" if known else "the corpus has no splits"
            raise CorpusError(f"{self.root}: no page in split {split!r}; {there}")
        return found

    def classed_by(self, label: str) -> Corpus:
        """The corpus with another label, ``century``, in the place of the script."""
        check_name(label, CLASSES, "label")
        if label == "script":
            return self
        if all(page.century is None for page in self.pages):
            raise CorpusError(
                f"{self.root}: no page has a century; a column century or date of a label file "
                "gives it"
            )
        pages = tuple(replace(page, script=page.century) for page in self.pages)
        return replace(self, pages=pages)

    def labels(self, name: str) -> tuple[str, ...]:
        """The writer, script, manuscript or scan of every page; all must be known."""
        values = [getattr(page, name) for page in self.pages]
        missing = [page.id for page, value in zip(self.pages, values, strict=True) if value is None]
        if missing:
            raise MissingLabels(name, missing, len(values), self.root)
        return tuple(values)


def open_corpus(
    path: str | AnyPath,
    *,
    kind: str | None = None,
    labels: str | AnyPath | None = None,
    variant: str | None = None,
    split_file: str | Path | None = None,
    each_region: bool = False,
) -> Corpus:
    """Open a folder of scans, a label file, a single picture or PDF, or a IIIF manifest.

    Folders and files may be in object storage, ``s3://bucket/folder``. A manifest or collection is
    given by its address, ``https://…``, or as a file, many of them by a list, .txt. ``kind`` is one
    of ``FORMATS``: ``"writers"`` and ``"scripts"`` take the names of folders for labels, which
    nothing else does; ``labels`` is the label file to go by where there are several; ``variant``
    chooses ``"colour"`` or ``"binarised"`` where Historical-WI lies there in both; ``split_file``
    holds splits that dgmp wrote, in place of those of the corpus; ``each_region`` makes every text
    region of an ALTO or PAGE file a page of its own.
    """
    if kind is not None:
        check_name(kind, FORMATS, "kind of corpus")
    if not is_address(path):
        path = reachable_path(path)
    addresses = None if isinstance(path, str) else read_address_list(path)
    if isinstance(path, str) or is_manifest_file(path) or addresses is not None:
        assert not isinstance(path, ObjectPath)  # is no manifest, and no list
        if kind not in (None, "plain") or labels is not None or variant is not None:
            raise CorpusError(f"{path}: kind, labels and variant are for folders, not for IIIF")
        return _open_addresses(path, addresses, split_file)
    if variant not in (None, "colour", "binarised"):
        raise CorpusError(f"variant must be colour or binarised, got {variant!r}")
    if not path.exists():
        raise CorpusError(f"{path}: there is no such folder or file")
    single = None
    if path.is_file():
        tables_count = kind is None or FORMATS[kind].from_tables
        if path.suffix.lower() in TABLE_SUFFIXES and tables_count:
            labels = path if labels is None else labels
        else:
            single = path
            kind = kind or "plain"
        path = path.parent

    left_out: list[Remark] = []
    files = [single] if single else sorted(_walk(path, left_out), key=lambda f: _relative(f, path))
    given = None if labels is None else as_path(labels)
    if given is not None and not given.exists():
        raise CorpusError(f"{labels}: there is no such label file")
    notes: list[Remark] = []
    tables = _tables(path, files, given, kind, notes)
    endings = SUFFIXES | {ending for ending in SOURCES if ending.startswith(".")}
    pictures = [file for file in files if file.suffix.lower() in endings or file == single]
    if not pictures and not tables:
        raise CorpusError(f"{path}: holds no pictures ({', '.join(sorted(endings))})")

    if kind is None:
        kind = format_of_tables(path, tables) if tables else choose_format(pictures)
    listed = FORMATS[kind].list_files(Found(path, pictures, tables, variant))
    left_out += [
        Remark(_relative(file, path), f"not read here: {file.suffix.lower()} is no image format")
        for file in files
        if file.suffix.lower() in FOREIGN - SOURCES.keys()
    ]
    left_out += [Remark(*remark) for remark in listed.left_out]
    notes += [Remark(*remark) for remark in listed.notes]
    known = None if single else frozenset(files)  # None: layout files are looked for on the disk
    pages: list[Page] = []
    for file, known_labels in listed.files:
        pages += _pages(file, known_labels, path, known, each_region, left_out, notes)
    pages.sort(key=lambda page: page.id)
    _note_missing(pages, notes)
    if split_file is not None:
        pages = list(apply_split(Path(split_file), pages))
    for name in ("writer", "manuscript"):
        check_split(pages, by=name)
    return Corpus(path, kind, tuple(pages), tuple(sorted(left_out)), tuple(notes))


def _open_addresses(
    path: str | Path, listed: Sequence[str] | None, split_file: str | Path | None
) -> Corpus:
    """The pages of a manifest or collection, by its address or as a file, or of a list of them."""
    address = path if isinstance(path, str) else path.resolve().as_uri()
    try:
        listing = list_address(address) if listed is None else list_all(listed)
    except ImageError as error:
        raise CorpusError(f"{path}: {error.reason}") from error
    pages = tuple(sorted(listing.pages, key=lambda page: page.id))
    if split_file is not None:
        pages = apply_split(Path(split_file), pages)
    left_out = tuple(sorted(Remark(*remark) for remark in listing.left_out))
    return Corpus(path, "iiif", pages, left_out, tuple(Remark(*note) for note in listing.notes))


def _walk(root: AnyPath, left_out: list[Remark]) -> Iterator[AnyPath]:
    """All files below a folder; what is not gone into is left out with its reason."""
    if isinstance(root, ObjectPath):
        for found in root.walk():
            *above, last = found.relative_to(root).parts
            hidden = any(part.startswith(".") for part in (*above, last))
            if not hidden and not {*above} & {*_PASSED_OVER}:
                yield found
        return

    def note(path: str | Path, reason: str) -> None:
        left_out.append(Remark(_relative(Path(path), root), reason))

    for folder, folders, names in os.walk(
        root, onerror=lambda error: note(error.filename, f"cannot be read: {error.strerror}")
    ):
        below = sorted(n for n in folders if not n.startswith(".") and n not in _PASSED_OVER)
        folders[:] = [name for name in below if not (Path(folder) / name).is_symlink()]
        for name in set(below) - set(folders):
            note(Path(folder) / name, "a link to a folder, which is not followed; give that folder")
        for file in (Path(folder) / name for name in names if not name.startswith(".")):
            if file.is_file():
                yield file
            elif file.is_symlink():
                note(file, "missing: a link to nothing")
            else:
                note(file, "no ordinary file")


def _relative(file: AnyPath, root: AnyPath) -> str:
    return readable(relative(file, root).as_posix())


def _tables(
    root: AnyPath,
    files: Sequence[AnyPath],
    labels: AnyPath | None,
    kind: str | None,
    notes: list[Remark],
) -> list[LabelFile]:
    """The label files that count: the given one, those at the top, or those one folder down."""
    if labels is not None:
        table = read_table(labels)
        if table is None:
            raise CorpusError(f"{labels}: lists no files; its header must name a column 'file'")
        return [table]
    if kind is not None and not FORMATS[kind].from_tables:
        return []
    for depth in (1, 2):
        found = []
        for file in files:
            if len(relative(file, root).parts) != depth:
                continue
            if file.suffix.lower() in TABLE_SUFFIXES:
                if table := _table(file):
                    found.append(table)
                elif file.suffix.lower() in _SPREADSHEETS:
                    notes.append(Remark(_relative(file, root), "passed over: no column 'file'"))
        if found:
            return found
    return []


def _table(file: AnyPath) -> LabelFile | None:
    try:
        return read_table(file)
    except CorpusError:
        if file.suffix.lower() in _SPREADSHEETS:
            raise  # meant as labels: to go on without them would be a guess
        return None


def _pages(
    file: AnyPath,
    labels: dict[str, str],
    root: AnyPath,
    known: frozenset[AnyPath] | None,
    each_region: bool,
    left_out: list[Remark],
    notes: list[Remark],
) -> Iterable[Page]:
    name = _relative(file, root)
    pictures = []
    try:
        sources = sources_at(file)
    except ImageError as error:
        left_out.append(Remark(name, error.reason))
        return
    for source in sources:
        try:
            pictures += [(source, each) for each in _several(pictures_in(source), source)]
        except ImageError as error:  # a page of a PDF; the others go on
            left_out.append(Remark(name + source.part, error.reason))
    for source, (part, frame, size, dpi) in pictures:
        page = Page(
            name + part,
            source,
            writer=labels.get("writer"),
            script=labels.get("script"),
            manuscript=labels.get("manuscript"),
            scan=labels.get("scan"),
            split=labels.get("split"),
            century=labels.get("century"),
            frame=frame,
            size=size,
            dpi=dpi,
        )
        layout_path = layout_file(file, known) if len(pictures) == 1 else None
        if layout_path is not None:
            try:
                layout = read_layout(layout_path, size)
            except CorpusError as error:
                reason = str(error).removeprefix(f"{layout_path}: ")
                shown = _relative(layout_path, root)
                notes.append(Remark(name, f"used whole, layout file {shown}: {reason}"))
            else:
                if not layout.regions:
                    left_out.append(Remark(name, "no text: its layout file has no text region"))
                    continue
                page = replace(page, regions=layout.regions, line_distance=layout.line_distance)
        yield from region_pages(page) if each_region else (page,)


def _several(
    pictures: Sequence[Picture], source: Source
) -> Iterator[tuple[str, int, tuple[int, int], float | None]]:
    """What the id of each picture has after the name of its file, its frame, size and dpi."""
    for picture in pictures:
        frame = f"#frame={picture.frame}" if len(pictures) > 1 else ""
        yield source.part + frame, picture.frame, picture.size, picture.dpi


def _note_missing(pages: Sequence[Page], notes: list[Remark]) -> None:
    """A label that most pages have and some have not was probably forgotten there."""
    for name in ("writer", "script", "manuscript", "split"):
        counts = Counter(getattr(page, name) is None for page in pages)
        if counts[True] and counts[False]:
            notes += [Remark(p.id, f"has no {name}") for p in pages if getattr(p, name) is None]

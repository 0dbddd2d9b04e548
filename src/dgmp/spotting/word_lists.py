"""Words with their boxes and their text, out of tables or layout files.

A table has the columns ``file,x,y,w,h,text`` in pixels of the picture, files by their path from the
table; that is the form of the George Washington pages and of ``dgmp synth --words``. A folder is
read by such a table in it, or else by the ALTO or PAGE file beside each picture. A word whose box
is broken or lies outside its page, whose text is empty or has letters that the alphabet has not,
is left out, and named with its reason.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..corpora import Remark, layout_file, read_layout_words
from ..errors import CorpusError, DgmpError
from ..pixels import SUFFIXES, pictures_in
from ..records import Page
from ..sources import sources_at
from .embeddings import Embedding

Box = tuple[int, int, int, int]  # left, top, right, bottom
COLUMNS = ("file", "x", "y", "w", "h", "text")
SMALLEST = 4  # pixels, of a side: less is dirt


@dataclass(frozen=True)
class Word:
    """A word on a page; the page is known by its name in the list."""

    page: str
    box: Box
    text: str  # as the alphabet spells it


@dataclass(frozen=True)
class WordList:
    """Words in the order of their pages and of the file, and what was left out of it."""

    place: str  # the table or folder
    pages: dict[str, Page]
    words: tuple[Word, ...]
    left_out: tuple[Remark, ...] = ()

    def on(self, pages: Sequence[str]) -> tuple[Word, ...]:
        """The words of some pages."""
        wanted = set(pages)
        return tuple(word for word in self.words if word.page in wanted)


def open_words(path: Path | str, embedding: Embedding | None = None) -> WordList:
    """The words of a table, or of a folder with a table or with layout files."""
    path = Path(path)
    embedding = embedding or Embedding()
    if not path.exists():
        raise CorpusError(f"{path}: there is no such folder or file")
    table = path if path.is_file() else _table_in(path)
    found = _of_table(table) if table is not None else _of_layouts(path)
    words: list[Word] = []
    left_out: list[Remark] = []
    pages: dict[str, Page] = {}
    for name, page, box, text, where in found:
        try:
            if isinstance(page, str):
                raise DgmpError(page)
            if box is None:
                raise DgmpError("it has no place")
            spelled = embedding.spell(text) if text.strip() else ""
            checked = _checked(box, page, spelled)
        except DgmpError as error:
            left_out.append(Remark(where, str(error)))
            continue
        pages[name] = page
        words.append(Word(name, checked, spelled))
    if not words:
        why = ": ".join(left_out[0]) if left_out else "there are none"
        raise CorpusError(f"{path}: holds no word that can be used ({why})")
    return WordList(str(table or path), pages, tuple(words), tuple(left_out))


_Row = tuple[
    str, Page | str, Sequence[str | float] | None, str, str
]  # a page, or why there is none


def _table_in(folder: Path) -> Path | None:
    for file in sorted(folder.glob("*.csv")):
        with file.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
            if set(COLUMNS) <= set(next(csv.reader(lines), [])):
                return file
    return None


def _of_table(path: Path) -> Iterator[_Row]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path}: cannot be read as a table in UTF-8") from error
    rows = csv.DictReader(io.StringIO(text))
    missing = [name for name in COLUMNS if name not in (rows.fieldnames or ())]
    if missing:
        raise CorpusError(
            f"{path}: has no column {', '.join(missing)}; a table of words has {','.join(COLUMNS)}"
        )
    known: dict[str, Page | str] = {}
    for number, row in enumerate(rows, start=2):
        name = (row["file"] or "").strip()
        if name not in known:
            known[name] = _page_at(path.parent / name, name)
        box = [row[key] or "" for key in ("x", "y", "w", "h")]
        yield name, known[name], box, row["text"] or "", f"{path.name}:{number}"


def _page_at(file: Path, name: str) -> Page | str:
    try:
        if not file.is_file():
            return f"there is no picture {name!r}"
        (source,) = sources_at(file)
        return Page(name, source, size=pictures_in(source)[0].size)
    except (DgmpError, ValueError) as error:
        return str(error)


def _of_layouts(folder: Path) -> Iterator[_Row]:
    seen = False
    files = sorted(file for file in folder.rglob("*") if file.suffix.lower() in SUFFIXES)
    for file in files:
        path = layout_file(file)
        if path is None:
            continue
        seen = True
        name = file.relative_to(folder).as_posix()
        page = _page_at(file, name)
        if isinstance(page, str) or page.size is None:
            yield name, str(page), None, "-", name
            continue
        for number, found in enumerate(read_layout_words(path, page.size), start=1):
            where = f"{path.name}, word {number}"
            if found is None:
                yield name, page, None, "-", where
                continue
            (left, top, right, bottom), text = found
            yield name, page, (left, top, right - left, bottom - top), text, where
    if not seen:
        raise CorpusError(
            f"{folder}: has neither a table with the columns {','.join(COLUMNS)} nor an ALTO or "
            "PAGE file beside a picture"
        )


def _checked(box: Sequence[str | float], page: Page, text: str) -> Box:
    """The box in whole pixels, or an error that says what is wrong with it."""
    if not text:
        raise DgmpError("its text is empty")
    try:
        left, top, width, height = (round(float(value)) for value in box)
    except (ValueError, OverflowError) as error:
        shown = ",".join(map(str, box))
        raise DgmpError(f"{text!r}: its box x,y,w,h is {shown!r}, not four numbers") from error
    if width < SMALLEST or height < SMALLEST:
        raise DgmpError(f"{text!r}: its box is {width}×{height} pixels")
    assert page.size is not None
    if left < 0 or top < 0 or left + width > page.size[0] or top + height > page.size[1]:
        raise DgmpError(
            f"{text!r}: its box {left},{top},{width},{height} reaches beyond the page of "
            f"{page.size[0]}×{page.size[1]}"
        )
    return left, top, left + width, top + height

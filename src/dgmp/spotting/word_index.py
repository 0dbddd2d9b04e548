"""The candidates of many pages on disk, and those most like a word.

FOLDER/words.json      the model, the pages, and which rows are theirs
FOLDER/boxes.bin       left, top, right, bottom of every candidate, 32-bit
FOLDER/vectors.bin     their vectors, a byte for each entry; for PHOC roots of probabilities
FOLDER/shorts.bin      the same along their 64 main directions, 32-bit
FOLDER/directions.npy  these directions, found from the first pages

Rows are only ever added; words.json is replaced by a whole one after them, so a kill leaves rows
that nobody lists. No file gets shorter: another process may look at it meanwhile. A page that
changed gets new rows. A search reads the short vectors of all candidates and the whole ones of the
best: those that fit a string are the likeliest, those like an example have the greatest cosine. Of
candidates of one page that overlap the best alone is a hit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..catalogue import locked
from ..classical import unit_rows
from ..errors import DgmpError
from ..files import Format, from_plain, read_json, replacing, to_plain, write_json
from ..records import Matrix, Rectangles
from ..storage import stamp
from .embeddings import Embedding

FORMAT = Format("dgmp-word-index", 2, "index of words")
SHORT = 64  # directions
BEST = 4000  # candidates whose whole vectors are looked at
OVERLAP = 0.3  # of two candidates, in intersection over union: more, and they are one word
_BLOCK = 1 << 18  # rows that are multiplied at a time


@dataclass(frozen=True)
class IndexedPage:
    """A page of the index, and which rows are its candidates."""

    id: str
    address: str
    stamp: str  # of its picture: another one, and the page is described again
    first: int
    count: int
    frame: int = 0
    turn: int = 0


@dataclass(frozen=True)
class IndexHead:
    """What words.json holds besides its format."""

    model: str  # digest of the weights
    embedding: Embedding
    pages: tuple[IndexedPage, ...] = ()
    model_folder: str = ""  # where it lay when pages were last looked at; empty: not known


@dataclass(frozen=True)
class WordHit:
    """A place on a page that looks like the word that was asked for."""

    page_id: str
    address: str
    box: tuple[int, int, int, int]  # left, top, right, bottom
    likeness: float  # at most 1; of a string as Embedding.likeness, of an example the cosine


@dataclass
class WordIndex:
    """An open index; within :meth:`writing` pages can be added."""

    folder: Path
    head: IndexHead
    directions: Matrix | None = None  # (short, entries)
    read: str = ""  # stamp of words.json just before it was read
    _pages: dict[str, IndexedPage] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path | str) -> WordIndex:
        """Open the index in a folder."""
        folder = Path(folder)
        path = folder / "words.json"
        before = stamp(path)
        found = read_json(path, FORMAT)
        plain = {key: value for key, value in found.items() if key not in ("format", "version")}
        head = from_plain(plain, IndexHead, path)
        directions = folder / "directions.npy"
        index = cls(folder, head, np.load(directions) if directions.exists() else None, before)
        index._pages = {page.id: page for page in head.pages}
        return index

    @classmethod
    def at(cls, folder: Path | str, model: str, embedding: Embedding) -> WordIndex:
        """Open the index of a model, or begin one; refuse that of another model."""
        folder = Path(folder)
        if not (folder / "words.json").exists():
            write_json(folder / "words.json", FORMAT, to_plain(IndexHead(model, embedding)))
        index = cls.open(folder)
        if index.head.model != model:
            raise DgmpError(
                f"{folder}: was made with another word model; choose another folder by --index, or "
                "delete it"
            )
        return index

    @property
    def pages(self) -> Mapping[str, IndexedPage]:
        """The pages by their ids."""
        return self._pages

    @property
    def rows(self) -> int:
        """The rows of all files that are listed, or were until their page changed."""
        return max((page.first + page.count for page in self._pages.values()), default=0)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock of the folder."""
        with locked(self.folder):
            fresh = WordIndex.open(self.folder)
            self.head, self._pages, self.directions = fresh.head, fresh._pages, fresh.directions
            yield

    def add(self, pages: Sequence[tuple[IndexedPage, Rectangles, Matrix]]) -> None:
        """Add pages with their candidates, or put them in the place of what they had."""
        first = self._end()
        for page, boxes, vectors in pages:
            if self.directions is None and len(vectors):
                self._find_directions(vectors)
            self._append("boxes.bin", boxes.astype("<i4"))
            self._append("vectors.bin", np.rint(self._steps * vectors).astype(self._byte))
            if self.directions is not None:
                self._append("shorts.bin", (unit_rows(vectors) @ self.directions.T).astype("<f4"))
            plain = to_plain(page) | {"first": first, "count": len(boxes)}
            self._pages[page.id] = IndexedPage(**plain)
            first += len(boxes)
        self._store()

    def remember(self, model_folder: str) -> None:
        """Keep where the model lies, so that it is found by who has the index only."""
        if model_folder != self.head.model_folder:
            self.head = replace(self.head, model_folder=model_folder)
            self._store()

    def drop(self, page_ids: Sequence[str]) -> None:
        """Forget pages; their rows stay where they are, and nobody lists them."""
        for page_id in page_ids:
            del self._pages[page_id]
        self._store()

    def search(self, asked: str | Matrix, number: int = 20) -> tuple[WordHit, ...]:
        """The places most like a string or the vector of a word, best first.

        Of places that overlap the best alone is given.
        """
        order, likeness = self.rank(asked)
        if not len(order):
            return ()
        owners, pages = self._owners()
        boxes = self._read("boxes.bin", "<i4", 4)
        found: list[WordHit] = []
        taken: dict[int, list[NDArray[Any]]] = {}
        for row, value in zip(order.tolist(), likeness.tolist(), strict=True):
            page, box = int(owners[row]), np.asarray(boxes[row])
            others = taken.setdefault(page, [])
            if others and overlaps(box[None], np.stack(others)).max() > OVERLAP:
                continue
            others.append(box)
            left, top, right, bottom = box.tolist()
            about = pages[page]
            found.append(WordHit(about.id, about.address, (left, top, right, bottom), value))
            if len(found) == number:
                break
        return tuple(found)

    def vector_at(self, page_id: str, box: tuple[int, int, int, int]) -> Matrix | None:
        """The vector of a candidate as it is stored; None where a page has no such candidate."""
        page = self._pages.get(page_id)
        if page is None or not page.count:
            return None
        own = slice(page.first, page.first + page.count)
        same = np.all(self._read("boxes.bin", "<i4", 4)[own] == box, axis=1)
        if not same.any():
            return None
        return self._whole(np.array([page.first + int(np.argmax(same))]))[0]

    def rank(self, asked: str | Matrix, best: int = BEST) -> tuple[NDArray[np.intp], Matrix]:
        """The rows most like a string or the vector of a word, best first, and how like it."""
        embedding = self.head.embedding
        vector = unit_rows(embedding.of([asked]) if isinstance(asked, str) else asked[None])[0]
        if self.directions is None or not self.rows:
            return np.zeros(0, np.intp), np.zeros(0, np.float32)
        shorts = self._read("shorts.bin", "<f4", len(self.directions))
        short = (self.directions @ vector).astype(np.float32)
        near = np.empty(len(shorts), np.float32)
        for start in range(0, len(shorts), _BLOCK):
            near[start : start + _BLOCK] = shorts[start : start + _BLOCK] @ short
        near[self._owners()[0] < 0] = -np.inf
        best = min(best, len(near))
        rows = np.argpartition(-near, best - 1)[:best]
        rows = rows[np.isfinite(near[rows])]
        rows = np.sort(rows)
        whole = self._whole(rows)
        if isinstance(asked, str):
            likeness = embedding.likeness([asked], whole)[0]
        else:
            likeness = unit_rows(whole) @ vector
        order = np.argsort(-likeness, kind="stable")
        return rows[order], likeness[order]

    def _whole(self, rows: NDArray[np.intp]) -> Matrix:  # (rows, entries)
        """The vectors of some rows."""
        stored = self._read("vectors.bin", self._byte, self.head.embedding.size)[rows]
        return stored.astype(np.float32) / np.float32(self._steps)

    @property
    def _byte(self) -> type[np.integer[Any]]:
        return np.uint8 if self.head.embedding.binary else np.int8

    @property
    def _steps(self) -> int:
        """The byte of an entry of 1."""
        return int(np.iinfo(self._byte).max)

    def _owners(self) -> tuple[NDArray[np.int32], list[IndexedPage]]:
        """The page of each row by its place in a list; −1: no longer of any."""
        pages = list(self._pages.values())
        owners = np.full(self.rows, -1, np.int32)
        for number, page in enumerate(pages):
            owners[page.first : page.first + page.count] = number
        return owners, pages

    def _find_directions(self, vectors: Matrix) -> None:
        """The directions along which vectors are long: products along them are most of products."""
        _, _, rows = np.linalg.svd(unit_rows(vectors), full_matrices=True)
        self.directions = rows[:SHORT].astype(np.float32)
        with replacing(self.folder / "directions.npy") as beside, beside.open("wb") as file:
            np.save(file, self.directions)

    def _files(self) -> dict[str, int]:
        """The files of rows and the bytes of a row of each."""
        entries = self.head.embedding.size
        return {"boxes.bin": 16, "vectors.bin": entries, "shorts.bin": 4 * min(SHORT, entries)}

    def _end(self) -> int:
        """The row after all that are in any file; shorter files are filled up to it."""
        files = {self.folder / name: size for name, size in self._files().items()}
        sizes = {path: path.stat().st_size if path.exists() else 0 for path in files}
        end = max(-(-sizes[path] // size) for path, size in files.items())
        for path, size in files.items():
            if sizes[path] < end * size:
                with path.open("ab") as file:
                    file.truncate(end * size)
        return end

    def _append(self, name: str, rows: NDArray[Any]) -> None:
        try:
            with (self.folder / name).open("ab") as file:
                file.write(np.ascontiguousarray(rows).tobytes())
        except OSError as error:
            raise DgmpError(f"{self.folder / name}: cannot be written: {error.strerror}") from error

    def _read(self, name: str, kind: Any, columns: int) -> NDArray[Any]:
        path, rows = self.folder / name, self.rows
        if path.stat().st_size < rows * columns * np.dtype(kind).itemsize:
            raise DgmpError(f"{path}: has fewer rows than words.json lists; delete the index")
        return np.memmap(path, kind, "r", shape=(rows, columns))

    def _store(self) -> None:
        self.head = replace(self.head, pages=tuple(self._pages.values()))
        write_json(self.folder / "words.json", FORMAT, to_plain(self.head))


def overlaps(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.float64]:  # (n, 4), (m, 4)
    """Intersection over union of boxes (left, top, right, bottom): (n, m)."""
    low = np.maximum(first[:, None, :2], second[None, :, :2])
    high = np.minimum(first[:, None, 2:], second[None, :, 2:])
    shared = np.clip(high - low, 0, None).prod(axis=2).astype(float)
    areas = [(boxes[:, 2:] - boxes[:, :2]).prod(axis=1).astype(float) for boxes in (first, second)]
    return shared / np.maximum(areas[0][:, None] + areas[1][None] - shared, 1)

"""Prepared pages in one file, so that training cuts patches without decoding anything.

    FOLDER/pages.bin   the pixels of all pages, one after another
    FOLDER/pages.json  where each begins, how it was prepared, and what was left out

The file is mapped into memory: every process reads the same copy, and only what it cuts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..engines import Engine, map_pages
from ..errors import CorpusError, ImageError
from ..files import Format, replacing, write_text
from ..records import Grey, Page, PageProgress
from .preparation import PageImage, Preparation, prepare_page

FORMAT = Format("dgmp-pages", 1, "store of prepared pages")


class PageStore:
    """The prepared pages of a folder, by their place in ``pages``."""

    def __init__(self, folder: Path, pages: Sequence[Page], index: dict[str, Any]) -> None:
        by_id = {page.id: page for page in pages}
        self.folder = folder
        self.pages = tuple(by_id[entry["id"]] for entry in index["pages"])
        self.failures = tuple((name, reason) for name, reason in index["failures"])
        self._numbers = {page.id: number for number, page in enumerate(self.pages)}
        self._places = [
            (entry["start"], entry["height"], entry["width"]) for entry in index["pages"]
        ]
        self._pixels: np.memmap[Any, np.dtype[np.uint8]] | None = None

    def __len__(self) -> int:
        return len(self.pages)

    def __getitem__(self, number: int) -> Grey:
        if self._pixels is None:  # opened by each process for itself
            self._pixels = np.memmap(self.folder / "pages.bin", np.uint8, mode="r")
        start, height, width = self._places[number]
        return self._pixels[start : start + height * width].reshape(height, width)

    def image(self, number: int) -> PageImage:
        """The page as ``prepare_page`` gave it; where it lies on the scan is not kept."""
        return PageImage(self.pages[number], self[number])

    def read(self, page: Page) -> PageImage:
        """The prepared pixels of a page of this store, in place of ``prepare_page``."""
        return self.image(self._numbers[page.id])

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pixels": None}


def open_store(
    folder: Path | str,
    pages: Sequence[Page],
    preparation: Preparation | None = None,
    *,
    engine: Engine | None = None,
    progress: PageProgress | None = None,
) -> PageStore:
    """Prepare pages into ``folder``, or take what is there if it is of the same files."""
    folder = Path(folder)
    preparation = preparation or Preparation()
    made = FORMAT.stamp(
        {
            "preparation": vars(preparation),
            "sources": {page.id: page.content_hash for page in pages},
        }
    )
    index = _read_index(folder / "pages.json")
    if index is None or any(index.get(key) != value for key, value in made.items()):
        # Without an index first: a kill between the two files must not leave new pixels under the
        # description of old ones.
        (folder / "pages.json").unlink(missing_ok=True)
        index = made | _write(folder, pages, preparation, engine, progress)
        write_text(folder / "pages.json", json.dumps(index, ensure_ascii=False))
    if not index["pages"]:
        name, reason = index["failures"][0] if index["failures"] else ("", "there are none")
        raise CorpusError(f"none of {len(pages)} pages can be used: {name} {reason}".rstrip())
    return PageStore(folder, pages, index)


def _read_index(path: Path) -> dict[str, Any] | None:
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
        size = path.with_name("pages.bin").stat().st_size
    except (OSError, ValueError):
        return None  # absent, or half written by a process that was killed
    return index if isinstance(index, dict) and index.get("size") == size else None


def _write(
    folder: Path,
    pages: Sequence[Page],
    preparation: Preparation,
    engine: Engine | None,
    progress: PageProgress | None,
) -> dict[str, Any]:
    entries: list[dict[str, Any]] = []
    failures: list[tuple[str, str]] = []
    start = 0
    prepare = partial(prepare_page, preparation=preparation)
    with replacing(folder / "pages.bin") as beside, beside.open("wb") as file:
        for page, image in map_pages(pages, prepare, engine):
            if isinstance(image, ImageError):
                failures.append((page.id, image.reason))
            else:
                height, width = image.pixels.shape
                file.write(np.ascontiguousarray(image.pixels).data)
                entries.append({"id": page.id, "start": start, "height": height, "width": width})
                start += height * width
            if progress is not None:
                progress(1)
    return {"pages": entries, "failures": failures, "size": start}

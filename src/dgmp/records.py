"""The nouns that cross the borders of rooms: small, frozen, without behaviour of their own."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

Polygon = tuple[tuple[float, float], ...]  # (x, y) corners in pixels of the scan, as displayed


@dataclass(frozen=True)
class Page:
    """One written page of a corpus: where its picture lies, and what is known of it.

    ``id`` is the path relative to the corpus with forward slashes, then ``#frame=2`` for a further
    picture of one file and ``#region=1`` where regions are pages of their own; both count from 0.
    Sizes and regions are in pixels of the picture as displayed, that is after EXIF rotation.
    """

    id: str
    path: Path
    writer: str | None = None
    script: str | None = None
    manuscript: str | None = None
    sheet: str | None = (
        None  # the scan it was cut from: same writer and sheet, neither hit nor miss
    )
    split: str | None = None
    frame: int = 0
    size: tuple[int, int] | None = None  # width, height
    regions: tuple[Polygon, ...] | None = None  # where the text is; None: use the whole page
    line_distance: float | None = None  # pixels between baselines, if a layout file tells

    @property
    def content_hash(self) -> str:
        """SHA-256 of the file, mixed with frame and regions where these choose a part of it.

        Read when first asked for and kept until the file changes, so that opening stays quick.
        """
        status = self.path.stat()
        digest = _file_hash(self.path, status.st_mtime_ns, status.st_size)
        if self.frame == 0 and self.regions is None:
            return digest
        return hashlib.sha256(f"{digest} {self.frame} {self.regions}".encode()).hexdigest()


@lru_cache(maxsize=65536)
def _file_hash(path: Path, changed: int, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""A file of rows of one width to which rows are appended: its length says how far work has come."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class RowFile:
    """Rows on disk, read by mapping the file into memory."""

    path: Path
    kind: type[np.generic]
    width: int

    def __len__(self) -> int:
        """Rows that are whole."""
        return self.path.stat().st_size // self._row if self.path.exists() else 0

    def cut(self, rows: int) -> None:
        """Keep the first rows only."""
        with self.path.open("ab") as file:
            file.truncate(rows * self._row)

    def append(self, rows: NDArray[Any]) -> None:  # (rows, width)
        """Write rows after the last."""
        with self.path.open("ab") as file:
            file.write(np.ascontiguousarray(rows, self.kind).tobytes())

    def read(self) -> NDArray[Any]:  # (rows, width)
        """All rows, mapped: only what is looked at is read."""
        return np.memmap(self.path, self.kind, "r", shape=(len(self), self.width))

    @property
    def _row(self) -> int:
        return np.dtype(self.kind).itemsize * self.width

"""Short vectors out of long ones: the projection of a large catalogue, learned from its own pages.

The short vector of a page is Pᵀx, x being its descriptor and the columns of P the leading
directions of the catalogue's vectors (uncentred PCA): of all linear maps to so few entries this one
keeps the products xᵀy of its pages best. P comes from a seeded sample of pages by subspace
iteration (Halko, Martinsson and Tropp 2011): a random start, products with the sample in blocks,
and one small eigenvalue problem. Vectors that are short enough stay as they are.

``short.npz`` holds P with a digest: a file that is cut off or of another width is made anew.
"""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..files import replacing
from ..storage import AnyPath
from .rounding import scales

SHORT = 512  # entries of a short vector; see benchmarks/results/catalogue.md
SAMPLED = 8_000  # pages a projection is learned from
FILE = "short.npz"
VERSION = 2  # of the projection and of what is made by it
_MORE = 32  # directions that are followed beyond those that are kept
_ROUNDS = 2
_AT_ONCE = 500  # rows that are widened to float32 at once


@dataclass(frozen=True, eq=False)
class Projection:
    """A map from long to short vectors; none where the vectors are short already."""

    matrix: NDArray[np.float32] | None  # (dim, SHORT)

    def __call__(self, rows: NDArray[np.int8] | NDArray[np.float32]) -> NDArray[np.float32]:
        """The short vectors (pages, SHORT) of rows (pages, dim), rounded or not."""
        parts = []
        for start in range(0, len(rows), _AT_ONCE):
            part = _unit(rows[start : start + _AT_ONCE])
            parts.append(part if self.matrix is None else part @ self.matrix)
        width = rows.shape[1] if self.matrix is None else self.matrix.shape[1]
        return np.concatenate(parts) if parts else np.zeros((0, width), np.float32)


def fit_projection(sample: NDArray[np.int8]) -> Projection:  # (pages, dim)
    """Learn the leading directions of a sample of rounded vectors."""
    dim = sample.shape[1]
    if dim <= SHORT:
        return Projection(None)
    width = min(SHORT + _MORE, dim)
    directions = np.random.default_rng(0).standard_normal((dim, width), dtype=np.float32)
    for _ in range(_ROUNDS):
        turned = np.zeros_like(directions)
        for start in range(0, len(sample), _AT_ONCE):
            part = _unit(sample[start : start + _AT_ONCE])
            turned += part.T @ (part @ directions)
        directions, _ = np.linalg.qr(turned)
    moments = np.zeros((width, width))
    for start in range(0, len(sample), _AT_ONCE):
        short = _unit(sample[start : start + _AT_ONCE]) @ directions
        moments += short.T @ short
    _, turn = np.linalg.eigh(moments)  # the largest eigenvalues last
    return Projection(directions @ turn[:, ::-1][:, :SHORT].astype(np.float32))


def few_coordinates(rows: NDArray[np.int8] | NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors (pages, pages) with the products of few long ones (pages, dim), exactly."""
    unit = _unit(rows)
    values, turn = np.linalg.eigh((unit @ unit.T).astype(np.float64))
    return np.asarray(turn * np.sqrt(values.clip(0)), np.float32)


def save_projection(projection: Projection, folder: AnyPath) -> None:
    """Write ``short.npz``, whole or not at all."""
    matrix = np.zeros((0, 0), np.float32) if projection.matrix is None else projection.matrix
    matrix = np.ascontiguousarray(matrix)
    digest = np.frombuffer(_digest(matrix), np.uint8)
    with replacing(folder / FILE) as beside, beside.open("wb") as file:
        np.savez(file, version=np.array(VERSION), digest=digest, matrix=matrix)


def load_projection(folder: AnyPath, dim: int) -> Projection | None:
    """What :func:`save_projection` wrote; None where there is nothing that can be used."""
    try:
        with (folder / FILE).open("rb") as file, np.load(file) as stored:
            version, matrix = int(stored["version"]), stored["matrix"]
            digest = stored["digest"].tobytes()
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
        return None
    if version != VERSION or digest != _digest(matrix):
        return None
    if not matrix.size:
        return Projection(None)
    return Projection(matrix) if len(matrix) == dim else None


def _unit(rows: NDArray[np.int8] | NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(rows, np.float32) * scales(rows)[:, None]


def _digest(matrix: NDArray[np.float32]) -> bytes:
    return hashlib.sha256(np.ascontiguousarray(matrix).tobytes()).digest()

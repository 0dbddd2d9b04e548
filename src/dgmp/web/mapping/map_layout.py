"""The map: every page of a catalogue in two dimensions, kept beside the catalogue.

Pages are laid out by their short vectors, seen from the middle of the collection (see
:mod:`.embedding`). Of a catalogue of more than ``LAID`` pages that many are laid out, and the
others put among those they are nearest to. ``map.npz`` follows from the table and may be deleted;
it goes with the vectors by a digest, and one that no longer does is shown until it is made anew.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...catalogue import Catalogue, short_vectors, vectors_digest
from ...files import replacing
from ...records import Matrix, Stage
from ...storage import AnyPath
from .embedding import embed, neighbours

FILE, VERSION = "map.npz", 1
LAID = 20_000
AMONG = 5  # pages that say where another is put


@dataclass(frozen=True, eq=False)
class PageMap:
    """Where pages lie, in the order of their ids."""

    page_ids: tuple[str, ...]
    positions: NDArray[np.float32]  # (pages, 2), from 0 to 1
    current: bool = True  # False: the pages of the catalogue have changed since


def stored_map(catalogue: Catalogue) -> PageMap | None:
    """The map as it was last made, if it was."""
    try:
        with (catalogue.folder / FILE).open("rb") as file, np.load(file) as stored:
            version, digest = int(stored["version"]), stored["digest"].tobytes().decode()
            ids = tuple(json.loads(stored["page_ids"].tobytes()))
            positions = stored["positions"]
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
        return None
    if version != VERSION or positions.shape != (len(ids), 2):
        return None
    return PageMap(ids, positions, digest == vectors_digest(catalogue))


def make_map(catalogue: Catalogue, stage: Stage | None = None, *, keep: bool = True) -> PageMap:
    """Lay the pages out, and keep the map beside the catalogue."""
    digest = vectors_digest(catalogue)
    ids, vectors = short_vectors(catalogue)
    positions = _in_square(lay_out(vectors, stage))
    if keep:
        _save(catalogue.folder / FILE, digest, ids, positions)
    return PageMap(ids, positions)


def lay_out(vectors: Matrix, stage: Stage | None = None) -> Matrix:  # (pages, dim) -> (pages, 2)
    """Positions for vectors of any length."""
    centred = vectors - vectors.mean(axis=0) if len(vectors) else vectors
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    unit = np.asarray(centred / np.maximum(lengths, 1e-12), np.float32)
    if len(unit) <= LAID:
        return embed(unit, stage)
    laid = np.linspace(0, len(unit) - 1, LAID).round().astype(int)
    rest = np.setdiff1d(np.arange(len(unit)), laid)
    positions = np.empty((len(unit), 2), np.float32)
    positions[laid] = embed(unit[laid], stage)
    places, cosines = neighbours(unit[rest], unit[laid], AMONG, stage)
    weights = np.exp(10 * (cosines - cosines.max(axis=1, keepdims=True)))  # mostly the nearest
    weights /= weights.sum(axis=1, keepdims=True)
    positions[rest] = np.einsum("pn,pnd->pd", weights, positions[laid][places])
    return positions


def _in_square(points: Matrix) -> Matrix:
    if not len(points):
        return points
    points = points - points.min(axis=0)
    return np.asarray(points / max(float(points.max()), 1e-9), np.float32)


def _save(path: AnyPath, digest: str, ids: tuple[str, ...], positions: Matrix) -> None:
    names = np.frombuffer(json.dumps(ids, ensure_ascii=False).encode(), np.uint8)
    with replacing(path) as beside, beside.open("wb") as file:
        np.savez(
            file,
            version=np.array(VERSION),
            digest=np.frombuffer(digest.encode(), np.uint8),
            page_ids=names,
            positions=positions,
        )

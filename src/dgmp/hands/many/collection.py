"""Evidence between the pages of a collection that is too large for memory.

Three stages, each leaving files in a folder beside the table of the catalogue: pages are placed
(:mod:`.placing`), their short vectors are put into cells (:mod:`.cells`), and the neighbours of
each page are found (:mod:`.nearest`). Stages with blocks append to their files as blocks are done,
so a run that was killed goes on after the last whole one. All of it follows from the pages and the
calibration, not from decisions: grouping again after decisions finds everything there. A digest
tells whether it is still of these pages; else it is made anew. The folder may be deleted.

In memory are the ids, the neighbours and some numbers of each page (about 1 KB), and the block at
work. On disk the folder takes as much as the vectors of the catalogue, and 1.3 KB per page.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...catalogue import (
    SAMPLED,
    SHORT,
    Catalogue,
    locked,
    pages_in_order,
    sample_rows,
)
from ...engines import Engine, Here
from ...errors import DgmpError
from ...files import Format, read_json, write_json
from ...records import PageProgress, Stage
from ..background import Background, Placed
from ..calibration import Calibration
from ..evidence import Evidence
from ..neighbours import Neighbours
from .cells import Cells, find_cells
from .nearest import BLOCK, KEPT, Finding
from .placing import Block, Placing, block_size, blocks_of, described
from .row_file import RowFile

FOLDER = "grouping"
FORMAT = Format("dgmp-grouping", 1, "folder of a grouping")
_HEAD, _LOCK = "grouping.json", ".grouping.lock"


@contextmanager
def evidence_of_many(
    catalogue: Catalogue,
    calibration: Calibration,
    *,
    engine: Engine | None = None,
    stage: Stage | None = None,
) -> Iterator[tuple[Evidence, tuple[str, ...]]]:
    """The evidence between all pages of a catalogue, in the order of their ids, and the ids.

    The evidence reads from files, which are there within the context.
    """
    with _work_folder(catalogue) as folder:
        ids, places, digest = pages_in_order(catalogue)
        _begin(folder, digest, catalogue.head.dim, calibration)
        work = _Work(folder, catalogue, ids, places, engine or Here(), stage)
        yield work.evidence(calibration), ids


class _Work:
    """The stages, each of which goes on where it was left."""

    def __init__(
        self,
        folder: Path,
        catalogue: Catalogue,
        ids: tuple[str, ...],
        places: NDArray[np.intp],
        engine: Engine,
        stage: Stage | None,
    ) -> None:
        self.folder, self.catalogue, self.engine, self.stage = folder, catalogue, engine, stage
        self.ids, self.places = ids, places
        self.vectors = RowFile(folder / "vectors", np.int8, catalogue.head.dim)
        self.numbers = RowFile(folder / "numbers", np.float32, 3)
        self.found = RowFile(folder / "neighbours", np.int32, KEPT)
        self.found_evidence = RowFile(folder / "evidence", np.float32, KEPT)
        self.cells = folder / "cells.npz"

    def evidence(self, calibration: Calibration) -> Evidence:
        chosen = sample_rows(len(self.ids))
        sample = described(self.catalogue, self._block(chosen))
        background = Background.of(sample, len(self.ids), calibration)
        self._place(background)
        self._find(background)
        numbers = np.array(self.numbers.read())
        order = Cells.load(self.cells).order
        found = np.empty((len(order), KEPT), np.int32)
        evidence = np.empty((len(order), KEPT), np.float32)
        found[order], evidence[order] = self.found.read(), self.found_evidence.read()
        return Evidence(
            calibration,
            Placed(self.vectors.read(), numbers[:, 1], numbers[:, 2], numbers[:, 0]),
            background.spread,
            background.weighed_prior,
            neighbours=Neighbours(found, evidence, self._shorts().read()),
        )

    def _place(self, background: Background) -> None:
        progress = self._begun("placing pages")
        blocks = blocks_of(self.ids, self.places, self.catalogue.head.dim)
        size = block_size(self.catalogue.head.dim)
        files = (self.vectors, self._shorts(), self.numbers)
        pages = _whole(files, size, len(self.ids))
        progress(pages)
        if pages == len(self.ids):
            return
        generator = np.random.default_rng(0)
        learned = generator.choice(len(self.ids), min(SAMPLED, len(self.ids)), replace=False)
        block = self._block(np.sort(learned))
        placing = Placing.fit(self.catalogue, background, block, self.folder)
        for block, placed in self.engine.map(placing, blocks[pages // size :]):
            self.vectors.append(placed.vectors)
            self._shorts().append(placed.shorts)
            self.numbers.append(placed.numbers)
            progress(len(block.page_ids))

    def _find(self, background: Background) -> None:
        shorts = self._shorts()
        if not self.cells.exists():
            find_cells(shorts.read(), self._begun("sorting pages")).save(self.cells)
        progress = self._begun("finding neighbours")
        done = _whole((self.found, self.found_evidence), BLOCK, len(self.ids))
        progress(done)
        spans = [
            (start, min(start + BLOCK, len(self.ids)))
            for start in range(done, len(self.ids), BLOCK)
        ]
        finding = Finding(
            self.cells, shorts, self.vectors, self.numbers,
            background.calibration, background.spread,
        )  # fmt: skip
        if spans:
            for span, (found, evidence) in self.engine.map(finding, spans):
                self.found.append(found)
                self.found_evidence.append(evidence)
                progress(span[1] - span[0])

    def _block(self, chosen: NDArray[np.intp]) -> Block:
        return Block(tuple(self.ids[i] for i in chosen), self.places[chosen])

    def _shorts(self) -> RowFile:
        return RowFile(self.folder / "shorts", np.float16, min(SHORT, self.catalogue.head.dim))

    def _begun(self, name: str) -> PageProgress:
        return (lambda _: None) if self.stage is None else self.stage(name, len(self.ids))


def _whole(files: Sequence[RowFile], size: int, pages: int) -> int:
    """The pages whose blocks of a size are in all files; what goes beyond is cut off."""
    done = min(len(file) for file in files)
    done = pages if done >= pages else done // size * size
    for file in files:
        file.cut(done)
    return done


@contextmanager
def _work_folder(catalogue: Catalogue) -> Iterator[Path]:
    """In the folder of the catalogue; where that is only read, or no folder, one for this run."""
    if isinstance(catalogue.folder, Path) and os.access(catalogue.folder, os.W_OK):
        folder = catalogue.folder / FOLDER
        folder.mkdir(exist_ok=True)
        with locked(catalogue.folder, _LOCK, wait=True):
            yield folder
        return
    with TemporaryDirectory(prefix="dgmp-") as folder_name:
        yield Path(folder_name)


def _begin(folder: Path, pages: str, dim: int, calibration: Calibration) -> None:
    """Leave in the folder only what was made of the pages with that digest."""
    made_of = [pages, calibration.to_json(), dim]
    digest = hashlib.sha256(json.dumps(made_of).encode()).hexdigest()
    if _digest(folder) != digest:
        shutil.rmtree(folder)
        folder.mkdir()
        write_json(folder / _HEAD, FORMAT, {"made_of": digest})


def _digest(folder: Path) -> Any:
    try:
        return read_json(folder / _HEAD, FORMAT).get("made_of")
    except DgmpError:
        return None

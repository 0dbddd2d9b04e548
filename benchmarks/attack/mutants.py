"""Files that are nearly right: bits flipped, cut off, doubled, filled with strange words.

Whatever reads them must give a result or raise a ``DgmpError``, in a process that lives on.
"""

from __future__ import annotations

import io
import json
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from forking import SLOW
from ground import Outcome, peak
from PIL import Image

from dgmp.catalogue import Catalogue, read_areas, read_decisions, read_hands
from dgmp.corpora import open_corpus, read_split_file
from dgmp.describers import load
from dgmp.errors import DgmpError
from dgmp.pixels import find_writing, prepare_page
from dgmp.records import Page
from dgmp.sources import FileSource
from dgmp.training import Run

STRANGE = (b"", b"\0", b"\xff\xfe", b"\r", b"\n\n", b'"', b"NaN", b"1e999", b"-1", b"9" * 40,
           b"[" * 3000, b"{}", b"null", b"\xef\xbb\xbf", b"../../etc/passwd", b"x" * 140_000,
           b"\x1b[31m", b"\\xff", "ρ\u202e".encode(), b"True", b"-0.0", b"4294967296", b",,,,",
           b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]>", b";", b"\t")  # fmt: skip
FORMATS = {"png": "PNG", "jpg": "JPEG", "tif": "TIFF", "bmp": "BMP", "gif": "GIF", "webp": "WEBP",
           "jp2": "JPEG2000", "pgm": "PPM", "pdf": "PDF"}  # fmt: skip


def mutate(content: bytes, generator: np.random.Generator) -> bytes:
    """One of six kinds of damage, or several."""
    data = bytearray(content)
    for _ in range(int(generator.choice([1, 1, 1, 2, 5]))):
        place, end = sorted(int(n) for n in generator.integers(0, len(data) + 1, 2))
        kind = generator.integers(6)
        if kind == 0 and data:
            data[min(place, len(data) - 1)] ^= 1 << int(generator.integers(8))
        elif kind == 1:
            del data[place:]
        elif kind == 2:
            data[place:place] = STRANGE[int(generator.integers(len(STRANGE)))]
        elif kind == 3:
            data[place : min(end, place + 64)] = b""
        elif kind == 4:
            data[place:place] = data[place : min(end, place + 256)]
        else:
            data[place : place + 8] = generator.bytes(8)
    return bytes(data)


def mutate_json(content: bytes, generator: np.random.Generator) -> bytes:
    """Half the time one value of the tree becomes another, which stays JSON."""
    if generator.random() < 0.4:
        return mutate(content, generator)
    tree = json.loads(content)
    node: Any = tree
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        key = keys[int(generator.integers(len(keys)))]
        if not (isinstance(node[key], (dict, list)) and node[key] and generator.random() < 0.7):
            break
        node = node[key]
    strange = [
        None,
        True,
        -1,
        0,
        1e308,
        "",
        "x" * 300,
        [],
        {},
        [[]],
        {"a": {}},
        2**70,
        "\0",
        "../..",
    ]
    if generator.random() < 0.2:
        del node[key]
    else:
        node[key] = strange[int(generator.integers(len(strange)))]
    return json.dumps(tree).encode()


def _pictures(ground: Path, folder: Path) -> Iterator[tuple[Path, Callable[[], object]]]:
    image = Image.open(ground / "scans" / "0-1.png")
    for suffix, kind in FORMATS.items():
        for mode in ("L", "RGB", "1"):
            out = io.BytesIO()
            try:
                image.convert(mode).save(out, kind)
            except (OSError, ValueError):
                continue
            path = folder / f"page.{suffix}"
            path.write_bytes(out.getvalue())
            yield path, lambda path=path: _read(path)


def _read(path: Path) -> None:
    for page in open_corpus(path, kind="plain"):
        prepare_page(page)
    find_writing(Page("a", FileSource(path)))


def _tables(ground: Path, folder: Path) -> Iterator[tuple[Path, Callable[[], object]]]:
    shutil.copytree(ground / "scans", folder / "scans")
    for name in ("labels.csv", "0-0.xml"):
        yield folder / "scans" / name, lambda: open_corpus(folder / "scans")
    split = folder / "split.csv"
    shutil.copy(ground / "run" / "split.csv", split)
    yield split, lambda: read_split_file(split)


def _catalogues(ground: Path, folder: Path) -> Iterator[tuple[Path, Callable[[], object]]]:
    shutil.copytree(ground / "catalogue", folder / "catalogue")

    def read() -> None:
        opened = Catalogue.open(folder / "catalogue")
        found = opened.descriptors()
        opened.pages(found.page_ids[:2])
        read_areas(opened.folder)
        read_hands(opened.folder)
        read_decisions(opened.folder)

    for path in sorted((folder / "catalogue").rglob("*")):
        if path.is_file() and path.stat().st_size:
            yield path, read


def _models(ground: Path, folder: Path) -> Iterator[tuple[Path, Callable[[], object]]]:
    shutil.copytree(ground / "run", folder / "run")

    def read() -> None:
        load(folder / "run")
        run = Run(folder / "run")
        run.load_state()
        run.metrics()
        _ = run.recipe

    for name in ("model.json", "model.safetensors", "run.json", "checkpoint.pt", "metrics.jsonl"):
        yield folder / "run" / name, read


KINDS = {"pictures": _pictures, "tables": _tables, "catalogues": _catalogues, "models": _models}


def vectors(ground: Path) -> dict[str, bytes]:
    found = Catalogue.open(ground / "catalogue").descriptors()
    return {id: row.tobytes() for id, row in zip(found.page_ids, found.vectors, strict=True)}


def _chunk(kind: str, ground: Path, seed: int, number: int, pipe: Any) -> None:
    warnings.simplefilter("ignore")
    generator = np.random.default_rng([sorted(KINDS).index(kind), seed])
    wrong, right = [], vectors(ground) if kind == "catalogues" else {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        targets = [(path, path.read_bytes(), read) for path, read in KINDS[kind](ground, folder)]
        for turn in range(number):
            path, content, read = targets[int(generator.integers(len(targets)))]
            how = mutate_json if path.suffix == ".json" else mutate
            pipe.send(f"{path.name}, seed {seed}, turn {turn}")
            path.write_bytes(how(content, generator))
            try:
                read()
                if kind == "catalogues":
                    found = Catalogue.open(folder / "catalogue").descriptors()
                    for id, row in zip(found.page_ids, found.vectors, strict=True):
                        if id in right and row.tobytes() != right[id]:
                            wrong.append(f"{path.name}: a vector changed in silence")
            except DgmpError:
                pass
            except Exception as error:
                wrong.append(f"{path.name}: {type(error).__name__}: {str(error)[:200]}")
            path.write_bytes(content)
    pipe.send((wrong, peak()))


def attack(kind: str, ground: Path, number: int, seed: int = 0) -> Outcome:
    """So many mutants of one kind in a process of their own; one that dies or hangs is named."""
    outcome = Outcome(f"mutated {kind}", tried=number)
    forks = get_context("forkserver")  # of a process without threads that has imported what is slow
    forks.set_forkserver_preload(list(SLOW))
    mine, theirs = forks.Pipe()
    process = forks.Process(target=_chunk, args=(kind, ground, seed, number, theirs))
    process.start()
    theirs.close()
    last: Any = "the beginning"
    try:
        while isinstance(last, str):
            if not mine.poll(300):
                outcome.wrong.append(f"hangs at {last}")
                process.kill()
            last = mine.recv()
        outcome.wrong, outcome.peak = last
    except EOFError:
        process.join()
        outcome.wrong.append(f"the process died ({process.exitcode}) at {last}")
    process.join()
    return outcome

"""Hands on collections of every kind: one table, one run.

    python benchmarks/hands.py HANDS [--arabic ARABIC] [--left-out DESCRIBER] [--keep FOLDER]

HANDS is a corpus with splits; its test pages are grouped whole, as patches of 256 px, at other
sizes, one page of each writer, and mixed with another alphabet. ARABIC is a corpus in another
alphabet. DESCRIBER was made by ``make_default.py --without`` the five sources that are listed
there, and is tested on all pages of these. Writers of HANDS are those of ``hand_labels.py``; rows
"as published" go by the labels of the sources. mAP is that of searches, by likeness in the
collection, and beside it that of plain cosines; for known persons, the queries of one source, it
is printed. --keep holds descriptors between runs.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import cv2
import numpy as np
from hand_labels import open_hands
from make_default import LEFT_OUT

from dgmp.corpora import open_corpus
from dgmp.describers import (
    Describer,
    describe_pages,
    load_describer,
    load_descriptors,
    save_descriptors,
)
from dgmp.engines import Processes, cores
from dgmp.evaluation import adjusted_rand_index, bcubed
from dgmp.hands import group_pages
from dgmp.pixels import read_image
from dgmp.pixels.scale import CANONICAL
from dgmp.records import Descriptors, Page
from dgmp.sources import FileSource
from dgmp.synthetic import synthesize
from dgmp.tasks import score_search
from dgmp.tasks.readying import KnownScale, scale_pages

RESULTS = Path(__file__).parent / "results" / "hands.md"
SEED = 0
MEASURES = ("map", "map_by_cosine")


@dataclass(frozen=True, eq=False)
class Collection:
    """Described pages, their writers and scans."""

    name: str
    pages: tuple[Page, ...]
    descriptors: Descriptors
    describer: Describer

    def part(self, name: str, chosen: Sequence[int]) -> Collection:
        found = self.descriptors
        assert found.halves is not None
        ids = tuple(found.page_ids[i] for i in chosen)
        rows = np.array(chosen)
        part = Descriptors(ids, found.vectors[rows], found.spec, halves=found.halves[rows])
        return Collection(name, tuple(self.pages[i] for i in chosen), part, self.describer)

    def as_published(self, hands: Path) -> Collection:
        """The same pages with the writers that their sources name."""
        published = {page.id: page for page in open_corpus(hands)}
        pages = tuple(published[page.id] for page in self.pages)
        return replace(self, name=f"{self.name}, writers as published", pages=pages)

    def singles(self, name: str, number: int) -> Collection:
        """One page of each of some writers."""
        first = {page.writer: i for i, page in reversed(list(enumerate(self.pages)))}
        return self.part(name, sorted(first.values())[:number])


class Describing:
    """Describes collections once and keeps what it made."""

    def __init__(self, keep: Path) -> None:
        self.keep = keep

    def __call__(
        self,
        name: str,
        pages: Sequence[Page],
        describer: Describer,
        crop: int | None = None,
        of_scan: bool = False,
    ) -> Collection:
        """``crop`` is in pixels of prepared pages, or of the scans."""
        path = self.keep / f"{name.replace(' ', '-')}.npz"
        engine = Processes(cores())
        if not path.exists():
            scaled = scale_pages(
                pages, describer.preparation, KnownScale(), describer=describer, engine=engine
            )
            if crop is not None and of_scan:
                crop = round(crop * CANONICAL / median(scaled.distances.values()))
            made = describe_pages(
                scaled.pages,
                describer,
                crop=crop,
                distances=scaled.distances,
                halves=True,
                engine=engine,
            )
            save_descriptors(made.descriptors, path)
        found = load_descriptors(path)
        by_id = {page.id: page for page in pages}
        return Collection(name, tuple(by_id[id] for id in found.page_ids), found, describer)


def row(collection: Collection) -> str:
    calibration = collection.describer.calibration
    assert calibration is not None
    hands = group_pages(collection.descriptors, calibration)
    number = {id: hand.number for hand in hands for id in hand.page_ids}
    groups = [number[id] for id in collection.descriptors.page_ids]
    writers = [str(page.writer) for page in collection.pages]
    several = len(set(writers)) not in (1, len(writers))
    rand = f"{adjusted_rand_index(writers, groups):.3f}" if several else "–"
    scores = bcubed(writers, groups)
    found = "– | –"
    if several:
        judged = score_search(collection.pages, collection.descriptors, calibration)
        found = f"{judged.map:.3f} | {judged['map_by_cosine']:.3f}"
    line = (
        f"| {collection.name} | {len(writers)} | {len(set(writers))} | {found} | {len(hands)} "
        f"| {rand} | {scores.precision:.3f} / {scores.recall:.3f} |"
    )
    print(line, flush=True)
    return line


def persons(hands: Path, *collections: Collection) -> None:
    """Print the mAP of queries by known persons."""
    sources = sources_of(hands)
    for each in collections:
        calibration = each.describer.calibration
        scores = score_search(each.pages, each.descriptors, calibration)
        known = [sources[id] == "HTR-United/cremma-wikipedia" for id in scores.item_ids]
        found = (np.array(scores.item_values[name])[known].mean() for name in MEASURES)
        text = ", by cosine ".join(f"{value:.3f}" for value in found)
        intervals = (
            f"{name} {low:.3f}–{high:.3f}"
            for name, (low, high) in scores.intervals.items()
            if name in MEASURES
        )
        print(f"{each.name}: known persons {text}; {', '.join(intervals)}", flush=True)


def sources_of(hands: Path) -> dict[str, str]:
    """The source of every page."""
    with (hands / "writers.csv").open(encoding="utf-8") as file:
        return {row["file"]: row["source_repo"] for row in csv.DictReader(file)}


def resized(pages: Sequence[Page], factors: Sequence[float], folder: Path) -> list[Page]:
    """The pages as pictures of other sizes."""
    made = []
    for page, factor in zip(pages, factors, strict=True):
        path = folder / page.id
        path.parent.mkdir(parents=True, exist_ok=True)
        way = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
        picture = cv2.resize(read_image(page.source), None, fx=factor, fy=factor, interpolation=way)
        cv2.imwrite(str(path), picture)
        height, width = picture.shape
        made.append(replace(page, source=FileSource(path), size=(width, height)))
    return made


def of_test(hands: Path, describing: Describing) -> tuple[list[str], Collection]:
    default = load_describer("default")
    pages = open_hands(hands).in_split("test")
    whole = describing("hands test", pages, default)
    patches = describing("hands test 256 px", pages, default, 256)
    lines = [row(each) for each in (whole, patches)]
    lines += [row(each.as_published(hands)) for each in (whole, patches)]
    persons(hands, whole, patches)
    generator = np.random.default_rng(SEED)
    halves = np.where(generator.permutation(len(pages)) % 2, 0.7, 1.4)
    for name, factors in (
        ("0.7 of the size", np.full(len(pages), 0.7)),
        ("1.4 of the size", np.full(len(pages), 1.4)),
        ("half at 0.7, half at 1.4", halves),
    ):
        with TemporaryDirectory() as folder:
            made = resized(pages, factors.tolist(), Path(folder))
            lines.append(row(describing(f"hands test, {name}", made, default)))
    return lines, whole


def of_arabic(arabic: Path, test: Collection, describing: Describing) -> list[str]:
    default = test.describer
    pages = open_corpus(arabic).pages
    whole = describing("arabic", pages, default)
    patches = describing("arabic 256 px", pages, default, 256)
    larger = describing("arabic, 256 px of the scans", pages, default, 256, of_scan=True)
    lines = [row(each) for each in (whole, patches, larger)]
    lines.append(row(whole.singles("arabic, a page of each of 60 writers", 60)))
    # Together, so that one look at the collection gives the scales.
    latin = _by_writers(test.pages, 20, 3)
    other = _by_writers(pages, 10, 3)
    mixed = describing("20 writers of hands test and 10 of arabic", [*latin, *other], default)
    lines.append(row(mixed))
    calibration = default.calibration
    assert calibration is not None
    alphabets = {page.id: page in other for page in mixed.pages}
    both = sum(
        len({alphabets[id] for id in hand.page_ids}) > 1
        for hand in group_pages(mixed.descriptors, calibration)
    )
    print(f"groups of the mixed collection that hold both alphabets: {both}")
    return lines


def _by_writers(pages: Sequence[Page], writers: int, most: int) -> list[Page]:
    chosen: dict[str, list[Page]] = {}
    for page in pages:
        chosen.setdefault(str(page.writer), []).append(page)
    return [page for some in list(chosen.values())[:writers] for page in some[:most]]


def of_left_out(hands: Path, folder: Path, describing: Describing) -> list[str]:
    describer = load_describer(folder)
    sources = sources_of(hands)
    pages = [page for page in open_hands(hands) if sources[page.id] in LEFT_OUT]
    whole = describing("left-out sources", pages, describer)
    patches = describing("left-out sources 256 px", pages, describer, 256)
    persons(hands, whole, patches)
    return [
        *(row(each) for each in (whole, patches)),
        *(row(each.as_published(hands)) for each in (whole, patches)),
        row(whole.singles("left-out sources, a page of each writer", 60)),
    ]


def of_synthetic(describing: Describing) -> list[str]:
    default = load_describer("default")
    lines = []
    for name, plan in (
        ("synthetic, 19 writers", {"writers": 19, "pages": 5, "seed": 1}),
        ("synthetic, one writer", {"writers": 1, "pages": 40, "seed": 3}),
        ("synthetic, 60 writers", {"writers": 60, "pages": 1, "seed": 5}),
    ):
        with TemporaryDirectory() as folder:
            synthesize(folder, **plan, engine=Processes(cores()))
            lines.append(row(describing(name, open_corpus(folder).pages, default)))
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hands", type=Path)
    parser.add_argument("--arabic", type=Path)
    parser.add_argument("--left-out", type=Path, metavar="DESCRIBER")
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        keep = arguments.keep or Path(folder)
        keep.mkdir(parents=True, exist_ok=True)
        describing = Describing(keep)
        head = (
            "| collection | pages | writers | mAP | by cosine | hands | adjusted Rand "
            "| B-cubed P / R |"
        )
        print(head)
        lines, test = of_test(arguments.hands, describing)
        lines += of_synthetic(describing)
        if arguments.arabic is not None:
            lines += of_arabic(arguments.arabic, test, describing)
        if arguments.left_out is not None:
            lines += of_left_out(arguments.hands, arguments.left_out, describing)
    title = "# Hands on collections of every kind\n\n"
    RESULTS.write_text(
        title + "\n".join([head, "|---|---|---|---|---|---|---|---|", *lines]) + "\n"
    )


if __name__ == "__main__":
    main()

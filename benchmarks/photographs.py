"""Photographs of pages against clean crops of the same pages: what does the table cost?

    python benchmarks/photographs.py --data HANDS [--first 0] [--seed 1] [--sheet FILE] [--out FILE]

From the training pages of HANDS twelve writers with four crops are taken, every other one of those
from the ``first`` on. Of each writer two crops make an opening and two a page each, which are 36
photographs; four more show a ruler, a colour card, a table and an empty page. The photographs and
the crops are described into catalogues by ``default``, which was fitted on these pages: only the
difference counts. Both pages of an opening are neither hit nor miss for each other, and so are
their crops.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from photograph_making import PROPS, TABLES, Plan, photograph
from PIL import Image

from dgmp.catalogue import Catalogue
from dgmp.corpora import Corpus, open_corpus, page_of_side
from dgmp.evaluation import score_writers
from dgmp.records import Page
from dgmp.tasks import describe, survey

RESULTS = Path(__file__).parent / "results" / "photographs.md"
WRITERS = 12
TURNS = (0, 0, 1, 0, 3, 0, 0, 2, 0, 1, 0, 0, 3)  # quarter turns counter-clockwise, in turn
EXIF = {1: 6, 2: 3, 3: 8}  # what sets a picture upright that lies turned by that many
EMPTY = (("cloth", "ruler"), ("wood", "ruler and card"), ("grey", "card"), ("black", "nothing"))


@dataclass(frozen=True)
class Shot:
    """A photograph and what is on it."""

    name: str
    plan: Plan
    crops: tuple[Page, ...]


def plan_shots(corpus: Corpus, first: int, seed: int) -> list[Shot]:
    crops: dict[str, list[Page]] = {}
    for page in corpus.in_split("train"):
        crops.setdefault(str(page.writer), []).append(page)
    writers = sorted(writer for writer, some in crops.items() if len(some) == 4)[first::2][:WRITERS]
    shots: list[Shot] = []
    for writer in writers:
        a, b, c, d = crops[writer]
        for group in ((a, b), (c,), (d,)):
            number = len(shots)
            turn = TURNS[number % len(TURNS)]
            tagged = turn != 0 and number % 2 == 0
            table, props = TABLES[number % len(TABLES)], PROPS[number // 2 % len(PROPS)]
            plan = Plan(table, props, turn, tagged, 1000 * seed + number)
            shots.append(Shot(f"{number:02}.jpg", plan, group))
    for number, (table, props) in enumerate(EMPTY):
        plan = Plan(table, props, 0, False, 1000 * seed + 900 + number)
        shots.append(Shot(f"empty-{number}.jpg", plan, ()))
    return shots


def take(shot: Shot, folder: Path) -> None:
    crops = [cv2.imread(page.source.address, cv2.IMREAD_GRAYSCALE) for page in shot.crops]
    if not crops and shot.plan.props == "nothing":
        crops = [np.full((840, 1104), 225, np.uint8)]
    picture = np.rot90(photograph(crops, shot.plan), shot.plan.turn)
    image = Image.fromarray(np.ascontiguousarray(picture))
    exif = image.getexif()
    if shot.plan.tagged:
        exif[0x0112] = EXIF[shot.plan.turn]
    image.save(folder / shot.name, quality=88, exif=exif)


def mean_average_precision(catalogue: Catalogue, truth: dict[str, tuple[str, str]]) -> float:
    """``truth`` has the writer and the photograph of every page."""
    found = catalogue.descriptors()
    pages = [
        replace(page, writer=truth[page_of_side(page.id)][0], scan=truth[page_of_side(page.id)][1])
        for page in catalogue.pages(found.page_ids)
    ]
    return score_writers(pages, found.vectors, resamples=1).map


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--first", type=int, default=0, choices=(0, 1))
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--sheet", type=Path, help="a picture of what was found")
    options.add_argument("--keep", type=Path, help="a folder for the photographs")
    options.add_argument("--out", type=Path, default=RESULTS)
    chosen = options.parse_args()
    cv2.setNumThreads(1)
    shots = plan_shots(open_corpus(chosen.data), chosen.first, chosen.seed)
    work = Path(tempfile.mkdtemp())
    photographs, clean = chosen.keep or work / "photographs", work / "clean"
    photographs.mkdir(exist_ok=True)
    clean.mkdir()
    of_crop: dict[str, tuple[str, str]] = {}
    for shot in shots:
        take(shot, photographs)
        for page in shot.crops:
            name = page.id.replace("/", "-")
            shutil.copy(page.source.address, clean / name)
            of_crop[name] = (str(page.writer), shot.name)
    if chosen.sheet is not None:
        survey(open_corpus(photographs, kind="plain"), decode=False, regions=chosen.sheet)
    made = describe(open_corpus(photographs, kind="plain"), work / "photographs.catalogue")
    ideal = describe(open_corpus(clean, kind="plain"), work / "clean.catalogue")
    pages = made.catalogue.pages(made.catalogue.descriptors().page_ids)
    lines = report(shots, pages, made.left_out)
    writers = {shot.name: str(shot.crops[0].writer) for shot in shots if shot.crops}
    of_photograph = {name: (writer, name) for name, writer in writers.items()}
    photographed = mean_average_precision(made.catalogue, of_photograph)
    cropped = mean_average_precision(ideal.catalogue, of_crop)
    lines += [
        "",
        f"mAP {100 * photographed:.1f} on {len(pages)} pages of photographs, "
        f"{100 * cropped:.1f} on {len(of_crop)} clean crops.",
        "",
    ]
    print("\n".join(lines))
    with chosen.out.open("a", encoding="utf-8") as file:
        file.write("\n".join([f"## Writers from {chosen.first}, seed {chosen.seed}", "", *lines]))
    shutil.rmtree(work)


def report(
    shots: list[Shot], pages: tuple[Page, ...], left_out: tuple[tuple[str, str], ...]
) -> list[str]:
    """How many turns and openings were found, and what was left out."""
    found: dict[str, list[Page]] = {}
    for page in pages:
        found.setdefault(page_of_side(page.id), []).append(page)
    written = [shot for shot in shots if shot.crops]
    rows = ["| | right | of |", "|---|---|---|"]
    for title, some in {
        "upright or tagged": [s for s in written if s.plan.tagged or not s.plan.turn],
        "on their side, no tag": [s for s in written if not s.plan.tagged and s.plan.turn % 2],
        "upside down, no tag": [s for s in written if not s.plan.tagged and s.plan.turn == 2],
    }.items():
        right = [s for s in some if s.name in found and found[s.name][0].turn == expected_turn(s)]
        rows.append(f"| {title} | {len(right)} | {len(some)} |")
    for title, number in (("single pages", 1), ("openings", 2)):
        some = [s for s in written if len(s.crops) == number]
        right = [s for s in some if len(found.get(s.name, ())) == number]
        rows.append(f"| {title} | {len(right)} | {len(some)} |")
    cut = [s for s in written if all(page.regions for page in found.get(s.name, [None]) if page)]
    rows.append(f"| cut to the writing | {len(cut)} | {len(written)} |")
    empty = [s.name for s in shots if not s.crops]
    named = [name for name in empty if name in dict(left_out)]
    rows.append(f"| without writing, named | {len(named)} | {len(empty)} |")
    return [*rows, "", "Left out:", "", *(f"- {file}: {reason}" for file, reason in left_out)]


def expected_turn(shot: Shot) -> int:
    return 0 if shot.plan.tagged else shot.plan.turn


if __name__ == "__main__":
    main()

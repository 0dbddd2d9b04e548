"""Make the default describer anew from the training pages of a corpus with known writers.

    python benchmarks/make_default.py HANDS [--out FOLDER] [--without SOURCE …]

HANDS is a corpus with a writers.csv that gives split, writer, source_repo and licence of each page;
all pages must be under CC-BY. Without --out it goes into the package. --without leaves out
the pages of sources, to test on kinds of writing that it has not seen. It is calibrated on three
groups of sources, each described without having been fitted on. Ten minutes on one core, 12 GB of
memory.
"""

import argparse
import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import torch
from hand_labels import open_hands

from dgmp.cli.progress import page_bar
from dgmp.describers import FusedRecipe, See, Seen, gather, make_default, save_fused
from dgmp.describers.registry import SHIPPED
from dgmp.pixels import OnPixels, Preparation, page_reader
from dgmp.pixels.scale import CANONICAL
from dgmp.records import Page

LEFT_OUT = (  # the sources that are left out to test on kinds of writing that were not seen
    "HTR-United/cremma-wikipedia",
    "Gallicorpora/HTR-MSS-15e-Siecle",
    "HTRomance-Project/middle-ages-in-spain",
    "HTR-United/CREMMA-MSS-18",
    "HTR-United/CREMMA-MSS-19",
)
MODERN = ("banq-dcn/Copiste-d-un-jour",)
LATIN = ("HTRomance-Project/medieval-latin", "HTR-United/cremma-medieval")


def fold_of(source: str) -> str:
    """Three folds of about as many pages: sources of one are never fitted on to calibrate it."""
    if source in LEFT_OUT:
        return "mixed"
    return "modern" if source in MODERN else "other"


def fold_without(source: str) -> str:
    """Three folds where ``LEFT_OUT`` is left out: calibrations of two differ too much."""
    if source in MODERN:
        return "modern"
    return "latin" if source in LATIN else "romance"


def look_at_pages(
    pages: Sequence[Page], distances: Mapping[str, float], recipe: FusedRecipe, title: str
) -> list[Seen]:
    work = OnPixels(See(recipe), page_reader(Preparation(), distances))
    with page_bar(title, len(pages)) as advance:
        _, seen, failures = gather(pages, work, None, advance, "looked at")
    for name, reason in failures:
        print(f"left out {name}: {reason}")
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hands", type=Path)
    parser.add_argument("--out", type=Path, default=SHIPPED["default"])
    parser.add_argument("--without", nargs="*", default=[], metavar="SOURCE")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    with (arguments.hands / "writers.csv").open(encoding="utf-8") as file:
        rows = {row["file"]: row for row in csv.DictReader(file)}
    pages = [
        page
        for page in open_hands(arguments.hands).in_split("train")
        if rows[page.id]["source_repo"] not in arguments.without
    ]
    closed = [page.id for page in pages if not rows[page.id]["licence"].startswith("CC-BY")]
    if closed:
        raise SystemExit(f"{len(closed)} pages are not under CC-BY, the first is {closed[0]}")
    recipe = FusedRecipe()
    at_scale = {page.id: CANONICAL for page in pages}  # as the set was made
    seen = look_at_pages(pages, at_scale, recipe, "looking at pages")
    fold = fold_without if arguments.without else fold_of
    print("fitting, once on all pages and once without each fold", flush=True)
    describer = make_default(
        seen,
        recipe,
        folds=[fold(rows[page.page.id]["source_repo"]) for page in seen],
    )
    save_fused(describer, arguments.out)
    print(f"{arguments.out}: {describer.dim} entries, made from {len(seen)} pages")


if __name__ == "__main__":
    main()

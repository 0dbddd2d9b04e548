"""Make the default describer anew from the training pages of a corpus with known writers.

    python benchmarks/make_default.py HANDS [--out FOLDER] [--without SOURCE …]

HANDS is a corpus with a writers.csv that gives split, writer, source_repo and licence of each page;
all pages must be under CC-BY. Without --out it goes into the package. --without leaves out
the pages of sources, to test on kinds of writing that it has not seen. It is calibrated on five
folds of sources, each described without having been fitted on. Twenty minutes on one core, 12 GB of
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

FOLDS = {  # sources that are alike; those of one fold are never fitted on to calibrate it
    "modern": ("banq-dcn/Copiste-d-un-jour",),
    "latin": ("HTRomance-Project/medieval-latin", "HTR-United/cremma-medieval"),
    "romance": (
        "HTRomance-Project/modern-roman-languages",
        "HTRomance-Project/medieval-italian",
        "HTR-United/CREMMA-MSS-17",
    ),
    "persons": ("HTR-United/cremma-wikipedia",),
    "mixed": (
        "Gallicorpora/HTR-MSS-15e-Siecle",
        "HTRomance-Project/middle-ages-in-spain",
        "HTR-United/CREMMA-MSS-18",
        "HTR-United/CREMMA-MSS-19",
    ),
}
# The sources that are left out to test on kinds of writing that were not seen.
LEFT_OUT = FOLDS["persons"] + FOLDS["mixed"]


def fold_of(source: str) -> str:
    """The fold of the pages of a source."""
    return next(name for name, sources in FOLDS.items() if source in sources)


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
    print("fitting, once on all pages and once without each fold", flush=True)
    describer = make_default(
        seen,
        recipe,
        folds=[fold_of(rows[page.page.id]["source_repo"]) for page in seen],
    )
    save_fused(describer, arguments.out)
    print(f"{arguments.out}: {describer.dim} entries, made from {len(seen)} pages")


if __name__ == "__main__":
    main()

"""Make the default describer anew from the training pages of a corpus with known writers.

    python benchmarks/make_default.py HANDS [--out FOLDER] [--without SOURCE …]

HANDS is a corpus with a writers.csv that gives split, writer, source_repo and licence of each page;
all pages must be under CC-BY. Without --out it goes into the package. --without leaves out
the pages of sources, to test on kinds of writing that it has not seen. Twenty minutes
on one core, 11 GB of memory.
"""

import argparse
import csv
from pathlib import Path

import cv2
import torch

from dgmp.cli.progress import page_bar
from dgmp.corpora import open_corpus
from dgmp.describers import FusedRecipe, See, gather, make_default, save_fused
from dgmp.describers.registry import SHIPPED
from dgmp.pixels import OnPixels, prepare_page


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
        for page in open_corpus(arguments.hands).in_split("train")
        if rows[page.id]["source_repo"] not in arguments.without
    ]
    closed = [page.id for page in pages if not rows[page.id]["licence"].startswith("CC-BY")]
    if closed:
        raise SystemExit(f"{len(closed)} pages are not under CC-BY, the first is {closed[0]}")
    recipe = FusedRecipe()
    work = OnPixels(See(recipe), prepare_page)
    with page_bar("looking at pages", len(pages)) as advance:
        _, seen, failures = gather(pages, work, None, advance, "looked at")
    for name, reason in failures:
        print(f"left out {name}: {reason}")
    print("fitting, once without each half of the writers and once on all", flush=True)
    describer = make_default(seen, recipe)
    save_fused(describer, arguments.out)
    print(f"{arguments.out}: {describer.dim} entries, made from {len(seen)} pages")


if __name__ == "__main__":
    main()

"""Make a script classifier from the training pages of a corpus of scripts, with `default`.

    python benchmarks/script_types.py SCRIPTS --out FOLDER [--test]

SCRIPTS is a corpus whose label file gives script, manuscript and split of each page, at 76 pixels
between lines. Every training page is described twice: at this scale, and at the one estimated from
it. Prints how often classifiers are right on manuscripts that were left out of their fit; with
--test also how often the one that is written is right on the test pages, which are prepared as
``dgmp classify`` prepares them. Four minutes on one core.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np
import torch

from dgmp.cli.progress import page_bar
from dgmp.corpora import open_corpus
from dgmp.describers import (
    describe_pages,
    fit_script_types,
    left_out_probabilities,
    load_classifier,
    load_describer,
    save_script_types,
    with_third_part,
)
from dgmp.describers.script_types import LEAST
from dgmp.evaluation import class_table, score_scripts
from dgmp.pixels.scale import CANONICAL
from dgmp.records import Floats, Page
from dgmp.tasks.classifying import by_group


def report(title: str, pages: Sequence[Page], shares: Floats, classes: Sequence[str]) -> None:
    """Scores of single pages, of pages that share those of their manuscript, and how sure."""
    voted = by_group([str(page.manuscript) for page in pages], shares)
    for name, found in (("single pages", shares), ("pages by manuscript", voted)):
        scores = score_scripts(pages, found, classes)
        print(f"\n## {title}: {name}\n\n{scores}\n\n{class_table(scores)}\n")
        print(np.array(scores.confusion))
        right = np.array(scores.item_values["accuracy"])
        for least in (0.0, LEAST, 0.7):
            said = found.max(axis=1) >= least
            print(
                f"stated at {least} or more: {said.sum()} of {len(said)} pages, mean probability "
                f"{found.max(axis=1)[said].mean():.3f}, right {right[said].mean():.3f}"
            )


def described(pages: Sequence[Page], describer, distances: Mapping[str, float] | None):  # type: ignore[no-untyped-def]
    with page_bar("describing pages", len(pages)) as advance:
        found = describe_pages(pages, describer, distances=distances, progress=advance)
    assert len(found.pages) == len(pages), found.failures
    return found.descriptors.vectors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scripts", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--test", action="store_true")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    corpus = open_corpus(arguments.scripts)
    pages = corpus.in_split("train")
    describer = with_third_part(load_describer("default"))  # type: ignore[arg-type]
    known = described(pages, describer, {page.id: CANONICAL for page in pages})
    estimated = described(pages, describer, None)
    vectors, twice = np.concatenate([estimated, known]), (*pages, *pages)
    made = fit_script_types(describer, vectors, twice)
    save_script_types(made, arguments.out)
    print(f"{arguments.out}: {len(made.classes)} classes, made from {len(pages)} pages")
    shares = left_out_probabilities(vectors, twice)[: len(pages)]
    report("left-out manuscripts", pages, shares, made.classes)
    if arguments.test:
        test = corpus.in_split("test")
        classifier = load_classifier(arguments.out)
        found = described(test, describer, None)
        report("test pages", test, classifier.classify_vectors(found), classifier.classes)  # type: ignore[attr-defined]
        found = described(test, describer, {page.id: CANONICAL for page in test})
        shares = classifier.classify_vectors(found)  # type: ignore[attr-defined]
        report("test pages at their known scale", test, shares, classifier.classes)


if __name__ == "__main__":
    main()

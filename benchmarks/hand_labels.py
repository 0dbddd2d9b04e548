"""The set `hands` with the labels of persons put right where their source contradicts itself.

The table of CREMMA Wikipedia gives every volunteer an id. In its batch 5 ids of earlier batches
stand for other people: see "Labels" in ``data/README.md``. ``data/relabelled.csv`` gives these
pages a writer of their own.
"""

import csv
from dataclasses import replace
from pathlib import Path

from dgmp.corpora import Corpus, open_corpus

RELABELLED = Path(__file__).parent / "data" / "relabelled.csv"


def open_hands(folder: Path) -> Corpus:
    """The set, its writers told apart as far as is known."""
    with RELABELLED.open(encoding="utf-8") as file:
        writers = {row["file"]: row["writer"] for row in csv.DictReader(file)}
    corpus = open_corpus(folder)
    pages = (replace(page, writer=writers.get(page.id, page.writer)) for page in corpus)
    return replace(corpus, pages=tuple(pages))

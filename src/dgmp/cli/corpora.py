"""The corpus a command was given."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from ..corpora import Corpus, open_corpus, read_sides, read_split
from ..errors import CorpusError
from ..records import Page
from .options import say


def open_data(
    path: Path,
    *,
    kind: str | None = None,
    labels: Path | None = None,
    variant: str | None = None,
    split_file: Path | None = None,
) -> Corpus:
    """Open a corpus, say what of it is left out, and put its pages on their sides."""
    corpus = open_corpus(path, kind=kind, labels=labels, variant=variant)
    tell_left_out(corpus.left_out)
    if not corpus.pages:
        raise CorpusError(f"{path}: none of its files can be used")
    if split_file is not None:
        corpus = replace(corpus, pages=read_split(split_file, corpus.pages))
    return corpus


def loose_pages(paths: Sequence[Path]) -> list[Page]:
    """The pages of pictures and of folders, named as they were given; what is none is told."""
    pages = []
    for path in paths:
        try:
            corpus = open_corpus(path, kind="plain")
        except CorpusError as error:
            say(f"left out: {error}")
            continue
        for remark in corpus.left_out:
            say(f"left out: {corpus.root / remark.file}: {remark.reason}")
        pages += [replace(page, id=str(corpus.root / page.id)) for page in corpus]
    return pages


def one_page(path: Path) -> Page:
    """The page of a picture; of several in one file the first."""
    if path.is_dir():
        raise CorpusError(f"{path}: is a folder; give the picture of one page")
    corpus = open_corpus(path, kind="plain")
    if not corpus.pages:
        raise CorpusError(f"{path}: {corpus.left_out[0].reason}")
    if len(corpus) > 1:
        say(f"{path}: holds {len(corpus)} pages, this is the first")
    return replace(corpus.pages[0], id=str(path))


def tell_left_out(remarks: Iterable[tuple[str, str]], most: int = 10) -> None:
    """The files that were not used and why, the first few of them."""
    listed = list(remarks)
    for file, reason in listed[:most]:
        say(f"left out: {file}: {reason}")
    if len(listed) > most:
        say(f"left out: {len(listed) - most} more; `dgmp corpus` lists all")


def trained_on(run: Path, corpus: Corpus) -> set[str]:
    """Ids of the pages of a corpus that a run learned from; it says so in its split.csv."""
    try:
        about = json.loads((run / "run.json").read_text(encoding="utf-8"))
        learned_from = Path(about["data"]["path"])
    except (OSError, ValueError, KeyError, TypeError):
        return set()  # a saved model that is no run
    if learned_from.resolve() != corpus.root.resolve():
        return set()
    return {id for id, side in read_sides(run / "split.csv").items() if side == "train"}

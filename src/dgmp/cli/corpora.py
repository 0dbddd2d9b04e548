"""The corpus a command was given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..corpora import Corpus, open_corpus, read_split
from ..errors import CorpusError
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


def tell_left_out(remarks: object, most: int = 10) -> None:
    """The files that were not used and why, the first few of them."""
    listed = list(remarks)  # type: ignore[call-overload]
    for file, reason in listed[:most]:
        say(f"left out: {file}: {reason}")
    if len(listed) > most:
        say(f"left out: {len(listed) - most} more; `dgmp corpus` lists all")

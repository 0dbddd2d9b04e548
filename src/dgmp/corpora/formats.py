"""The corpus formats by name, and which of them a folder is in.

A folder is a folder: its name becomes a writer or a script only where somebody says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..storage import AnyPath
from .by_file_name import HISTORICAL_WI, ICDAR13
from .by_folder import PLAIN, SCRIPTS, WRITERS
from .by_table import CLAMM16, CLAMM17, CSV
from .corpus_format import CorpusFormat

FORMATS: dict[str, CorpusFormat] = {
    "csv": CSV,
    "writers": WRITERS,
    "scripts": SCRIPTS,
    "historical-wi": HISTORICAL_WI,
    "icdar13": ICDAR13,
    "clamm16": CLAMM16,
    "clamm17": CLAMM17,
    "plain": PLAIN,
}


def choose_format(pictures: Sequence[AnyPath]) -> str:
    """The format of a folder without a label file: an official set by its file names, or plain."""
    for kind, format in FORMATS.items():
        pattern = format.pattern
        if pattern is not None and all(pattern.fullmatch(picture.stem) for picture in pictures):
            return kind
    return "plain"

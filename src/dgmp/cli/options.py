"""Options that mean the same in every command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from typer import Option

Kind = Annotated[
    str | None, Option(help="How to read the corpus, where that is not plain: csv, writers, …")
]
Labels = Annotated[Path | None, Option(help="The label file to go by, where there are several.")]
Variant = Annotated[
    str | None, Option(help="colour or binarised, where Historical-WI is there in both.")
]
SplitFile = Annotated[Path | None, Option("--split-file", help="Sides written by dgmp earlier.")]
NameOrRun = Annotated[
    str, Option("--describer", help="The folder of a run or of a saved describer, or a name.")
]
Crop = Annotated[
    int | None, Option(min=16, help="Only the square of that many pixels in the middle of a page.")
]
Binarize = Annotated[
    str | None,
    Option(help="auto, sauvola, otsu or none, in place of what was learned with."),
]
Device = Annotated[str, Option(help="auto, cpu or cuda.")]
Workers = Annotated[int, Option(min=0, help="Further processes.")]
AsJson = Annotated[bool, Option("--json", help="One JSON object per line.")]


def say(text: str) -> None:
    """A word to the person, not to the program that reads the results."""
    print(text, file=sys.stderr)

"""Options that mean the same in every command."""

from __future__ import annotations

import inspect
import json
import math
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from typer import Argument, BadParameter, Option

from ..files import readable

if TYPE_CHECKING:
    from ..corpora import Corpus

Scans = Annotated[
    str,
    Argument(
        metavar="SCANS",
        help="A folder of scans, a label file, a picture or a PDF, here or in object storage "
        "(s3://bucket/folder), a IIIF manifest by its address or file, or a list of these, .txt.",
    ),
]
CataloguePlace = Annotated[
    str,
    Argument(
        metavar="CATALOGUE",
        help="What dgmp describe --catalogue made: a folder, or an address as s3://bucket/folder.",
    ),
]
NameOrRun = Annotated[
    str, Option("--describer", help="The folder of a run or of a saved describer, or a name.")
]
Split = Annotated[str | None, Option(help="Only the pages of this split, such as train or test.")]
Crop = Annotated[
    int | None,
    Option(min=16, max=10_000, help="Only the patch of that many pixels in the middle of a page."),
]
Binarize = Annotated[
    str | None,
    Option(help="auto, sauvola, otsu or none, in place of the describer's own binarisation."),
]
Dpi = Annotated[
    float | None, Option(min=1, help="The resolution of all scans, whatever their tags say.")
]
LineDistance = Annotated[
    float | None, Option(min=1, metavar="PX", help="The pixels between the lines of all scans.")
]
Sizes = Annotated[
    str,
    Option(
        metavar="S,S,...",
        help="Image sizes at which a classifier looks at pages, 1 being its own, as 0.8,1,1.25; "
        "their probabilities are averaged.",
    ),
]
Label = Annotated[
    str,
    Option(help="What a classifier learns or is judged by: the script of pages, or their century."),
]
Device = Annotated[str, Option(help="auto, cpu or cuda.")]
Workers = Annotated[int, Option(min=0, help="Further processes.")]
EngineName = Annotated[
    str,
    Option(
        "--engine",
        metavar="NAME",
        help="Where the work is done: processes of this machine, ray (a cluster that is started "
        "here and ends with the command), or ray:ADDRESS (one that is there).",
    ),
]
AsJson = Annotated[bool, Option("--json", help="One JSON object.")]
AsJsonLines = Annotated[bool, Option("--json", help="One JSON object per line.")]


def parse_sizes(text: str) -> tuple[float, ...]:
    """The numbers of ``--sizes``."""
    try:
        return tuple(float(size) for size in text.split(","))
    except ValueError as error:
        raise BadParameter(f"--sizes takes numbers as 0.8,1,1.25, got {text!r}") from error


@dataclass(frozen=True)
class CorpusOptions:
    """How a corpus is opened; every command that takes one takes all of these."""

    kind: Annotated[
        str | None,
        Option(
            help="Where labels come from: writers or scripts (the names of folders), csv, "
            "historical-wi, icdar13, clamm16, clamm17, or plain (nowhere). By default label files."
        ),
    ] = None
    labels: Annotated[
        str | None,
        Option(metavar="FILE", help="The label file to go by, where there are several."),
    ] = None
    variant: Annotated[
        str | None, Option(help="colour or binarised, if Historical-WI lies there in both.")
    ] = None
    split_file: Annotated[
        Path | None, Option("--split-file", help="Splits that dgmp wrote, as a run's split.csv.")
    ] = None

    def open(self, path: Path | str) -> Corpus:
        """The corpus at a path or address."""
        from ..corpora import open_corpus

        return open_corpus(
            path,
            kind=self.kind,
            labels=self.labels,
            variant=self.variant,
            split_file=self.split_file,
        )

    def open_and_say(self, path: Path | str) -> Corpus:
        """The same, with a word on the files that are left out."""
        corpus = self.open(path)
        say_left_out(corpus.left_out)
        corpus.check_usable()
        return corpus


def takes_corpus(command: Callable[..., None]) -> Callable[..., None]:
    """A command with an argument ``options: CorpusOptions`` as one with each of these options."""
    hints = get_type_hints(CorpusOptions, include_extras=True)
    added = [
        inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=each.default,
            annotation=hints[each.name],
        )
        for each in fields(CorpusOptions)
    ]
    own = inspect.signature(command, eval_str=True)
    others = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in own.parameters.items()
        if name != "options"
    ]
    required = [each for each in others if each.default is inspect.Parameter.empty]
    optional = [each for each in others if each.default is not inspect.Parameter.empty]

    @wraps(command)
    def with_options(**given: Any) -> None:
        options = CorpusOptions(**{each.name: given.pop(each.name) for each in added})
        command(options=options, **given)

    signature = own.replace(parameters=[*required, *optional, *added])
    with_options.__signature__ = signature  # type: ignore[attr-defined]
    with_options.__annotations__ = {
        name: parameter.annotation for name, parameter in signature.parameters.items()
    }
    return with_options


def say(text: str) -> None:
    """A word to the person, not to the program that reads the results."""
    print(readable(text), file=sys.stderr)


def print_json(values: Any) -> None:
    """A line of JSON; what is no number is null there, as JSON has no word for it."""
    print(json.dumps(_finite(values), ensure_ascii=False, allow_nan=False))


def _finite(values: Any) -> Any:
    if isinstance(values, Mapping):
        return {key: _finite(value) for key, value in values.items()}
    if isinstance(values, (list, tuple)):
        return [_finite(value) for value in values]
    return None if isinstance(values, float) and not math.isfinite(values) else values


def say_left_out(remarks: Iterable[tuple[str, str]], most: int = 10) -> None:
    """The files that were not used and why, the first few of them."""
    listed = list(remarks)
    for file, reason in listed[:most]:
        say(f"left out: {file}: {reason}")
    if len(listed) > most:
        say(f"left out: {len(listed) - most} more; `dgmp corpus` lists all")

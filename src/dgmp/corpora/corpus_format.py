"""What a corpus format is: how the files of a folder are found and labelled.

A format is one file of this room with a :class:`CorpusFormat` in it, and one line in ``FORMATS``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..files import readable
from ..storage import AnyPath, relative
from .label_files import SPLITS, LabelFile, split_in


@dataclass(frozen=True)
class Found:
    """What lies in a folder: its pictures, and the label files that count."""

    root: AnyPath
    pictures: Sequence[AnyPath]
    tables: Sequence[LabelFile] = ()
    variant: str | None = None  # "colour" or "binarised", where the same pages lie there in both

    def relative(self, picture: AnyPath) -> str:
        """The path of a picture from the root, with forward slashes."""
        return readable(relative(picture, self.root).as_posix())


@dataclass
class Listed:
    """The files of a corpus with their labels, and remarks on those that do not count."""

    files: list[tuple[AnyPath, dict[str, str]]] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class CorpusFormat:
    """How a corpus is read, and by what it is recognised."""

    name: str  # in messages
    list_files: Callable[[Found], Listed]
    pattern: re.Pattern[str] | None = None  # of names without ending that no other folder has
    from_tables: bool = False  # labels come from label files, which must be there


Labels = Callable[
    [AnyPath, AnyPath], dict[str, str] | None
]  # root, picture -> labels; None: left out


def label_each(found: Found, labels: Labels, name: str) -> Listed:
    """Every picture with the labels that its path gives; ``name`` is that of the format."""
    listed = Listed()
    for picture in found.pictures:
        known = labels(found.root, picture)
        if known is None:
            listed.left_out.append((found.relative(picture), f"its name is not one of {name}"))
        else:
            listed.files.append((picture, known))
    return listed


def split_above(root: AnyPath, picture: AnyPath) -> dict[str, str]:
    """The split that the nearest folder above a picture names, if any does."""
    parts = (root.name, *relative(picture, root).parts[:-1])
    for part in reversed(parts):
        if split := split_in(part):
            return {"split": split}
    return {}


def folders_above(root: AnyPath, picture: AnyPath) -> tuple[tuple[str, ...], dict[str, str]]:
    """The folders between root and picture that are no splits, and the split of those that are."""
    parts = relative(picture, root).parts[:-1]
    splits = [SPLITS[part.lower()] for part in parts if part.lower() in SPLITS]
    names = tuple(readable(part) for part in parts if part.lower() not in SPLITS)
    return names, {"split": splits[0]} if splits else {}

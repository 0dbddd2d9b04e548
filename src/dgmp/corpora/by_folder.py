"""Labels from the names of folders, or none at all."""

from __future__ import annotations

from functools import partial

from ..storage import AnyPath
from .corpus_format import CorpusFormat, Found, Listed, folders_above, label_each


def _labels(root: AnyPath, picture: AnyPath, label: str | None) -> dict[str, str]:
    names, split = folders_above(root, picture)
    return {label: names[0], **split} if label and names else split


def _list(found: Found, label: str | None) -> Listed:
    return label_each(found, partial(_labels, label=label), "")


WRITERS = CorpusFormat("one folder per writer", partial(_list, label="writer"))
SCRIPTS = CorpusFormat("one folder per script", partial(_list, label="script"))
PLAIN = CorpusFormat("pictures without labels", partial(_list, label=None))

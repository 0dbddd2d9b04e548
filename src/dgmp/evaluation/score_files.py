"""Scores as JSON, in a file or not, with the version of their format."""

from __future__ import annotations

import json
from pathlib import Path

from ..errors import DgmpError
from ..files import Format, from_plain, to_plain, write_text
from ..records import Scores

FORMAT = Format("dgmp-scores", 1, "file of scores")


def scores_to_json(scores: Scores) -> str:
    """The whole record as one line of text."""
    return json.dumps(FORMAT.stamp(to_plain(scores)), ensure_ascii=False, allow_nan=False)


def save_scores(scores: Scores, path: Path | str) -> Path:
    """Write the scores, single queries included, so that they can be compared later."""
    write_text(Path(path), scores_to_json(scores) + "\n")
    return Path(path)


def load_scores(path: Path | str) -> Scores:
    """Read what :func:`save_scores` wrote."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DgmpError(f"{path}: holds no scores: {error}") from error
    values = FORMAT.check(found, path)
    del values["format"], values["version"]
    return from_plain(values, Scores, path)

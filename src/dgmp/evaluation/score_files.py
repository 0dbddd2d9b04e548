"""Scores on disk: one JSON file each, with the version of its format."""

from __future__ import annotations

from pathlib import Path

from ..errors import DgmpError
from ..files import replacing
from ..records import Scores


def save_scores(scores: Scores, path: Path | str) -> Path:
    """Write the scores, single queries included, so that they can be compared later."""
    with replacing(Path(path)) as beside:
        beside.write_text(scores.to_json() + "\n", encoding="utf-8")
    return Path(path)


def load_scores(path: Path | str) -> Scores:
    """Read what :func:`save_scores` wrote."""
    try:
        return Scores.from_json(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DgmpError(f"{path}: {error}") from error

"""Saved folders from the Hugging Face Hub, and the card that goes along with a folder.

A place is a folder of this machine, or ``owner/name`` on the Hub, which needs the package
huggingface-hub. Only files of numbers and text are fetched, never code. What a folder names is
imported by the rule of :mod:`dgmp.plugins`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import DgmpError
from ..files import write_text
from ..names import need

CARD = "README.md"
FETCHED = ("*.json", "*.safetensors", "*.npz", CARD)
ON_THE_HUB = re.compile(r"[\w][\w.-]*/[\w][\w.-]*")


def fetched(place: Path | str, revision: str | None = None) -> Path:
    """The folder of a place; what is on the Hub is downloaded once and kept by its own cache."""
    folder = Path(place)
    if folder.is_dir():
        if revision is not None:
            raise DgmpError(f"{place}: is a folder; a revision is for places on the Hub")
        return folder
    if isinstance(place, Path) or ON_THE_HUB.fullmatch(place) is None:
        raise DgmpError(f"{place}: there is no such folder, and owner/name on the Hub looks other")
    hub = need("huggingface_hub")
    try:
        return Path(hub.snapshot_download(place, revision=revision, allow_patterns=[*FETCHED]))
    except Exception as error:  # of many packages: no network, no such place, no right to read it
        raise DgmpError(
            f"{place}: there is no such folder here, and the Hub did not give it: "
            f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
        ) from error


def write_card(
    folder: Path, what: str, tags: tuple[str, ...], use: str, facts: Mapping[str, Any]
) -> None:
    """Write the card of a saved folder: what it is, how it is used, and what is known of it."""
    head = ["---", "library_name: dgmp", "tags:", *(f"- {tag}" for tag in ("dgmp", *tags)), "---"]
    rows = [f"| {name} | {_cell(value)} |" for name, value in facts.items() if value is not None]
    body = [
        "",
        f"# {what}",
        "",
        "```python",
        use,
        "```",
        "",
        "| | |",
        "|---|---|",
        *rows,
        "",
        "What it was trained on, for whom it is meant, and where it fails: to be added by who "
        "gives it away.",
        "",
    ]
    write_text(folder / CARD, "\n".join([*head, *body]))


def _cell(value: Any) -> str:
    """A value on one line of a table, whatever is in it."""
    return " ".join(str(value).split()).replace("|", "\\|")[:300]

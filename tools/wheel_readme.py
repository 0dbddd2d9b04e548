"""The README as package indexes show it: they have none of the files that it links to.

Links to files of the repository become their words, pictures are left out; addresses stay.
Hatchling calls it when a wheel is built (`[tool.hatch.metadata.hooks.custom]` in pyproject.toml).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"^!\[[^\]]*\]\((?!https?:)[^)]*\)\n\n?", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)[^)]*\)")


def without_files(text: str) -> str:
    """Markdown without links to other files."""
    return _LINK.sub(r"\1", _PICTURE.sub("", text))


class WheelReadme(MetadataHookInterface):
    """Puts it into the metadata of the wheel."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Called by hatchling."""
        text = without_files((Path(self.root) / "README.md").read_text(encoding="utf-8"))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}

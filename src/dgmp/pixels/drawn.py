"""Pictures that dgmp draws: marked, so that one beside the scans is never taken for a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import DgmpError
from ..files import MAKER, replacing
from ..names import need

_KINDS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG"}


def drawn_kind(path: Path) -> str:
    """The format that the ending of a file asks for, or an error before anything is drawn."""
    kind = _KINDS.get(path.suffix.lower())
    if kind is None:
        raise DgmpError(f"{path}: a contact sheet is .png or .jpg")
    return kind


def save_drawn(image: Any, path: Path) -> Path:
    """Save a Pillow image as PNG or JPEG, with the mark, whole or not at all."""
    kind = drawn_kind(path)
    if kind == "PNG":
        text = need("PIL.PngImagePlugin").PngInfo()
        text.add_text("Software", MAKER)
        mark = {"pnginfo": text}
    else:
        mark = {"comment": MAKER}
    with replacing(path) as beside:
        image.save(beside, format=kind, **mark)
    return path


def is_drawn(image: Any) -> bool:
    """Whether an open Pillow image has the mark."""
    return image.info.get("Software") == MAKER or image.info.get("comment") == MAKER.encode()

"""The image packages, which the bare install does not have."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import MissingExtra


def opencv() -> Any:
    """OpenCV, for resampling, binarisation and edges."""
    return _need("cv2", "opencv-python-headless")


def pillow() -> Any:
    """Pillow's ``Image`` module, for reading and writing picture files."""
    return _need("PIL.Image", "pillow")


def _need(module: str, package: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtra(
            f"pages need {package}, which is not installed: pip install 'dgmp[classical]'"
        ) from error

"""The packages of the ``classical`` extra, which the bare install does not have."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..corpora.extras import opencv
from ..errors import MissingExtra

__all__ = ["opencv", "scikit_learn"]


def scikit_learn(part: str) -> Any:
    """A module of scikit-learn, for clustering and linear classifiers."""
    try:
        return import_module(f"sklearn.{part}")
    except ImportError as error:
        raise MissingExtra(
            "classical describers need scikit-learn, which is not installed: "
            "pip install 'dgmp[classical]'"
        ) from error

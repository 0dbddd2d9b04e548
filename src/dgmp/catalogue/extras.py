"""LanceDB and the packages around it, which the bare install does not have."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import MissingExtra


def need(module: str, package: str, extra: str = "catalogue") -> Any:
    """The module, or an error that says what to install."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtra(
            f"a catalogue needs {package}, which is not installed: pip install 'dgmp[{extra}]'"
        ) from error

"""The command line."""

from .entry import LACKING, main

try:
    from .app import app
except ModuleNotFoundError as error:  # the bare layer: main says what to install
    if error.name not in LACKING:
        raise

__all__ = ["app", "main"]

"""Drawn pages and a quick describer for the tasks; see tests/scribbles.py."""

from scribbles import (  # noqa: F401
    books,
    calibrated_describer,
    classical_scripts,
    scans,
    stroke_describers,
)

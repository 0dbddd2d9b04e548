"""Experiments: each file makes one table, from plain values."""

from .pictures import draw_planted
from .planted import LEGEND, SCENES, PlantedTable, Planting, plant, planted_tables, render_table

__all__ = [
    "LEGEND",
    "SCENES",
    "PlantedTable",
    "Planting",
    "draw_planted",
    "plant",
    "planted_tables",
    "render_table",
]

"""Experiments: the tables and the figure of the paper, and made-up pages with planted patterns."""

from .curves import Curve, draw_error_curves, error_curve
from .outcomes import Outcome, mean_scores
from .pictures import draw_planted
from .planted import LEGEND, SCENES, PlantedTable, Planting, plant, planted_tables, render_table
from .reproduce import TABLES, find_table, reproduce
from .rows import Row, Table
from .tables import Setting, Watchers

__all__ = [
    "LEGEND",
    "SCENES",
    "TABLES",
    "Curve",
    "Outcome",
    "PlantedTable",
    "Planting",
    "Row",
    "Setting",
    "Table",
    "Watchers",
    "draw_error_curves",
    "draw_planted",
    "error_curve",
    "find_table",
    "mean_scores",
    "plant",
    "planted_tables",
    "render_table",
    "reproduce",
]

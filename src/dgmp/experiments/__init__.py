"""Experiments: the tables and the figure of the paper, and made-up pages with planted patterns."""

from .curves import Curve, draw_error_curves, error_curve
from .demo import DemoPlan, Told, make_demo
from .outcomes import Outcome, mean_scores
from .pictures import draw_planted
from .planted import SCENES, PlantedTable, Planting, plant, planted_tables
from .reproduce import TABLES, find_table, reproduce
from .rows import Row, Table
from .tables import Setting, Watchers

__all__ = [
    "SCENES",
    "TABLES",
    "Curve",
    "DemoPlan",
    "Outcome",
    "PlantedTable",
    "Planting",
    "Row",
    "Setting",
    "Table",
    "Told",
    "Watchers",
    "draw_error_curves",
    "draw_planted",
    "error_curve",
    "find_table",
    "make_demo",
    "mean_scores",
    "plant",
    "planted_tables",
    "reproduce",
]

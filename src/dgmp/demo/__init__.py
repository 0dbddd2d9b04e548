"""The demo: synthetic writers, learned, tested on others and explained, in one report.

Also made-up feature maps with planted patterns, which show what a pooling keeps.
"""

from .plan import DemoPlan
from .planted import (
    SCENES,
    SMALL_RIDGE,
    Planted,
    PlantedMaps,
    PlantedRow,
    PlantedTable,
    Planting,
    Scene,
    plant,
    planted_table,
    planted_tables,
)
from .planted_picture import draw_planted
from .report import Told
from .story import make_demo

__all__ = [
    "SCENES",
    "SMALL_RIDGE",
    "DemoPlan",
    "Planted",
    "PlantedMaps",
    "PlantedRow",
    "PlantedTable",
    "Planting",
    "Scene",
    "Told",
    "draw_planted",
    "make_demo",
    "plant",
    "planted_table",
    "planted_tables",
]

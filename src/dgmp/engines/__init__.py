"""Where work on pages runs: in this process, in several on this machine, or on a Ray cluster."""

from .engine import Engine, Here, cores, engine_for, map_pages
from .processes import Processes
from .ray_cluster import RayCluster
from .threads import one_thread

__all__ = [
    "Engine",
    "Here",
    "Processes",
    "RayCluster",
    "cores",
    "engine_for",
    "map_pages",
    "one_thread",
]

"""Where work on pages runs: in this process, or in several on this machine."""

from .engine import Engine, Here, Processes, cores, engine_for, map_pages

__all__ = ["Engine", "Here", "Processes", "cores", "engine_for", "map_pages"]

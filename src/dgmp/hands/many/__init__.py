"""Collections too large for memory: placed, sorted into cells and compared with neighbours only."""

from .collection import evidence_of_many

__all__ = ["evidence_of_many"]

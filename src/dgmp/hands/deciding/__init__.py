"""What people decided, and what it means for hands: constraints, evidence, names, questions."""

from .constraints import Constraints
from .decided_evidence import DecidedEvidence
from .naming import with_names

__all__ = ["Constraints", "DecidedEvidence", "with_names"]

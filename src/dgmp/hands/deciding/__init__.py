"""What people decided, and what it means for hands: constraints, evidence, names, questions."""

from .constraints import Constraints
from .decided_evidence import DecidedEvidence
from .joints import Joints
from .naming import with_names
from .questions import MOST_QUESTIONS, Doubts, open_questions
from .recalibration import JointCurve, learn, learn_shift, recalibrated

__all__ = [
    "MOST_QUESTIONS",
    "Constraints",
    "DecidedEvidence",
    "Doubts",
    "JointCurve",
    "Joints",
    "learn",
    "learn_shift",
    "open_questions",
    "recalibrated",
    "with_names",
]

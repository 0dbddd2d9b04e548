"""Cosines to likelihood ratios to groups: which pages are by one hand."""

from .background import Background, Placed
from .calibration import FORMAT as CALIBRATION_FORMAT
from .calibration import Calibration, Likenesses
from .contact_sheet import draw_hands, shown_pages
from .deciding import Constraints, open_questions, recalibrated, with_names
from .evidence import Evidence, part, with_probabilities
from .fitting import fit_calibration
from .grouping import PREFERENCES, Grouped, group_and_ask, group_evidence, group_many, group_pages
from .sequence import BandHand, BookHands, Bounds, HandChange, follow_hands
from .sequence_files import change_to_json, check_sequence_file, write_sequence
from .strip import draw_strip

__all__ = [
    "CALIBRATION_FORMAT",
    "PREFERENCES",
    "Background",
    "BandHand",
    "BookHands",
    "Bounds",
    "Calibration",
    "Constraints",
    "Evidence",
    "Grouped",
    "HandChange",
    "Likenesses",
    "Placed",
    "change_to_json",
    "check_sequence_file",
    "draw_hands",
    "draw_strip",
    "fit_calibration",
    "follow_hands",
    "group_and_ask",
    "group_evidence",
    "group_many",
    "group_pages",
    "open_questions",
    "part",
    "recalibrated",
    "shown_pages",
    "with_names",
    "with_probabilities",
    "write_sequence",
]

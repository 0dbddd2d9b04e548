"""Cosines to probabilities to groups: which pages are by one hand."""

from .calibration import FORMAT as CALIBRATION_FORMAT
from .calibration import Calibration, with_probabilities
from .contact_sheet import draw_hands, shown_pages
from .fitting import fit_calibration
from .grouping import group_pages
from .hand_files import check_hand_file, hand_to_json, write_hands
from .sequence import BandHand, BookHands, Bounds, HandChange, follow_hands
from .sequence_files import change_to_json, write_sequence
from .strip import draw_strip

__all__ = [
    "CALIBRATION_FORMAT",
    "BandHand",
    "BookHands",
    "Bounds",
    "Calibration",
    "HandChange",
    "change_to_json",
    "check_hand_file",
    "draw_hands",
    "draw_strip",
    "fit_calibration",
    "follow_hands",
    "group_pages",
    "hand_to_json",
    "shown_pages",
    "with_probabilities",
    "write_hands",
    "write_sequence",
]

"""Hands for other programs: tables, spreadsheets, TEI, IIIF and ALTO."""

from .formats import EXPORTS, check_export, write_hands
from .hand_json import hand_to_json
from .outgoing import Outgoing, PageEvidence

__all__ = ["EXPORTS", "Outgoing", "PageEvidence", "check_export", "hand_to_json", "write_hands"]

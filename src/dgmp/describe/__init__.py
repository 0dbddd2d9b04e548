"""Pages to Descriptors, the same call for learned and classical describers.

What needs torch lies in ``learned``, ``classifying`` and ``explain``, and is not imported here.
"""

from .describer import Described, Describer, describe_pages
from .files import load_descriptors, save_descriptors
from .judging import RERANKINGS, Judged, judge_describer
from .zoo import fit_describer, load_describer, load_network

__all__ = [
    "RERANKINGS",
    "Described",
    "Describer",
    "Judged",
    "describe_pages",
    "fit_describer",
    "judge_describer",
    "load_describer",
    "load_descriptors",
    "load_network",
    "save_descriptors",
]

"""Pages to Descriptors, the same call for learned and classical describers.

What needs torch lies in ``learned``, ``classifying`` and ``explain``, and is not imported here.
"""

from .cataloguing import Catalogued, catalogue_pages, describe_query, open_or_create
from .describer import Described, Describer, describe_pages, full_spec, iterate_described
from .files import load_descriptors, save_descriptors
from .fused import FusedDescriber, save_fused
from .judging import RERANKINGS, Judged, judge_describer
from .zoo import fit_describer, load_describer, load_network

__all__ = [
    "RERANKINGS",
    "Catalogued",
    "Described",
    "Describer",
    "FusedDescriber",
    "Judged",
    "catalogue_pages",
    "describe_pages",
    "describe_query",
    "fit_describer",
    "full_spec",
    "iterate_described",
    "judge_describer",
    "load_describer",
    "load_descriptors",
    "load_network",
    "open_or_create",
    "save_descriptors",
    "save_fused",
]

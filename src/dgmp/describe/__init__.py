"""Pages to Descriptors, the same call for learned and classical describers."""

from .cataloguing import Catalogued, catalogue_pages, describe_query, open_or_create
from .describer import Described, Describer, describe_pages, full_spec, iterate_described
from .files import load_descriptors, save_descriptors

__all__ = [
    "Catalogued",
    "Described",
    "Describer",
    "catalogue_pages",
    "describe_pages",
    "describe_query",
    "full_spec",
    "iterate_described",
    "load_descriptors",
    "open_or_create",
    "save_descriptors",
]

"""Pages to Descriptors, the same call for learned and classical describers."""

from .describer import Described, Describer, describe_pages
from .files import load_descriptors, save_descriptors

__all__ = [
    "Described",
    "Describer",
    "describe_pages",
    "load_descriptors",
    "save_descriptors",
]

"""Pages made ready for a describer: writing found, parts cut out, scale agreed on."""

from .dividing import Parts, divide
from .finding import WrittenPages, find_on, find_pages
from .scaling import (
    KnownScale,
    distance_beside,
    given_distance,
    scale_for_catalogue,
    scale_pages,
)

__all__ = [
    "KnownScale",
    "Parts",
    "WrittenPages",
    "distance_beside",
    "divide",
    "find_on",
    "find_pages",
    "given_distance",
    "scale_for_catalogue",
    "scale_pages",
]

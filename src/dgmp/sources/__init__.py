"""Where the picture of a page comes from; one file per kind of source."""

from .answer_cache import AnswerCache
from .canvas_list import list_all, read_address_list
from .iiif import CanvasSource, is_manifest_file
from .listing import Listing
from .local_file import FileSource
from .pdf import PdfPage
from .registry import SOURCES, is_address, list_address, open_source, sources_at

__all__ = [
    "SOURCES",
    "AnswerCache",
    "CanvasSource",
    "FileSource",
    "Listing",
    "PdfPage",
    "is_address",
    "is_manifest_file",
    "list_address",
    "list_all",
    "open_source",
    "read_address_list",
    "sources_at",
]

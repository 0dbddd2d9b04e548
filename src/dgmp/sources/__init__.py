"""Where the picture of a page comes from; one file per kind of source."""

from .local_file import FileSource
from .registry import SOURCES, open_source, sources_at

__all__ = ["SOURCES", "FileSource", "open_source", "sources_at"]

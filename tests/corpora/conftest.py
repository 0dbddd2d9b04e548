"""Corpora of small pages, made on the spot."""

from page_files import corpus_folder, page_file, shared_data
from sources.iiif_server import cache, server

__all__ = ["cache", "corpus_folder", "page_file", "server", "shared_data"]

"""Corpora of small pages, made on the spot."""

from page_files import corpus_folder, page_file, shared_data

__all__ = ["corpus_folder", "page_file", "shared_data"]

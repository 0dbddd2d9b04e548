"""Folders on disk become pages, and pages become patches."""

from .corpus import Corpus, Remark, open_corpus

__all__ = ["Corpus", "Remark", "open_corpus"]

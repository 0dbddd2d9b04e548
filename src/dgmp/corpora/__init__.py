"""Folders on disk become pages with what is known of them."""

from .contact_sheet import draw_contact_sheet
from .corpus import Corpus, Remark, open_corpus
from .corpus_format import CorpusFormat, Found, Listed
from .formats import FORMATS
from .layout_files import Layout, layout_file, read_layout, text_elements
from .parts import PARTS, band_pages, region_pages, whole_and_part
from .splits import apply_split, check_split, read_split_file, split_pages, write_split
from .survey import Survey, survey_corpus

__all__ = [
    "FORMATS",
    "PARTS",
    "Corpus",
    "CorpusFormat",
    "Found",
    "Layout",
    "Listed",
    "Remark",
    "Survey",
    "apply_split",
    "band_pages",
    "check_split",
    "draw_contact_sheet",
    "layout_file",
    "open_corpus",
    "read_layout",
    "read_split_file",
    "region_pages",
    "split_pages",
    "survey_corpus",
    "text_elements",
    "whole_and_part",
    "write_split",
]

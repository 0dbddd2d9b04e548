"""Folders on disk become pages with what is known of them."""

from .area_sheet import FoundAreas, draw_area_sheet
from .contact_sheet import draw_contact_sheet
from .corpus import Corpus, Remark, open_corpus
from .corpus_format import CorpusFormat, Found, Listed
from .formats import FORMATS
from .layout_files import Layout, layout_file, read_layout, text_elements
from .layout_words import read_layout_words
from .parts import (
    PARTS,
    band_pages,
    page_of_side,
    picture_and_side,
    region_pages,
    side_pages,
    whole_and_part,
)
from .splits import (
    apply_split,
    check_split,
    content_of,
    contents_of_split,
    read_split_file,
    split_pages,
    write_split,
)
from .survey import Survey, survey_corpus

__all__ = [
    "FORMATS",
    "PARTS",
    "Corpus",
    "CorpusFormat",
    "Found",
    "FoundAreas",
    "Layout",
    "Listed",
    "Remark",
    "Survey",
    "apply_split",
    "band_pages",
    "check_split",
    "content_of",
    "contents_of_split",
    "draw_area_sheet",
    "draw_contact_sheet",
    "layout_file",
    "open_corpus",
    "page_of_side",
    "picture_and_side",
    "read_layout",
    "read_layout_words",
    "read_split_file",
    "region_pages",
    "side_pages",
    "split_pages",
    "survey_corpus",
    "text_elements",
    "whole_and_part",
    "write_split",
]

"""Folders on disk become pages, and pages become patches."""

from .binarization import binarize, has_ink
from .contact_sheet import draw_contact_sheet
from .corpus import Corpus, Remark, open_corpus
from .images import read_image
from .pages import PageImage, PageReader, Preparation, centre_square, prepare_page, read_pages
from .patches import Patches, cut_patches
from .scale import text_scale, to_canonical
from .splits import check_split, read_sides, read_split, split_pages, write_split
from .standardization import Standardization, fit_standardization
from .store import PageStore, open_store
from .survey import Survey, survey_corpus
from .thumbnails import thumbnail

__all__ = [
    "Corpus",
    "PageImage",
    "PageReader",
    "PageStore",
    "Patches",
    "Preparation",
    "Remark",
    "Standardization",
    "Survey",
    "binarize",
    "centre_square",
    "check_split",
    "cut_patches",
    "draw_contact_sheet",
    "fit_standardization",
    "has_ink",
    "open_corpus",
    "open_store",
    "prepare_page",
    "read_image",
    "read_pages",
    "read_sides",
    "read_split",
    "split_pages",
    "survey_corpus",
    "text_scale",
    "thumbnail",
    "to_canonical",
    "write_split",
]

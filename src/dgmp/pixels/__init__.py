"""Page to pixels: decoded, brought to one scale, binarised, cut into patches."""

from .bands import LINES as BAND_LINES
from .bands import find_bands
from .binarization import binarize, has_ink, ink_middle, ink_share
from .contact_sheets import Cell, draw_rows, sheet_font, shortened
from .drawn import drawn_kind, save_drawn
from .images import FOREIGN, SUFFIXES, Picture, picture_size, pictures_in, read_colour, read_image
from .page_store import PageStore, open_store
from .patches import Patches, cut_patches
from .pixel_types import Colours
from .preparation import LARGEST as MOST_PIXELS
from .preparation import (
    OnPixels,
    PageImage,
    PageReader,
    Preparation,
    centre_patch,
    measure_page,
    needs_measuring,
    page_reader,
    prepare_page,
    read_pages,
)
from .scale import measure_lines, text_scale, to_canonical
from .shared_scale import CollectionScale, Measured, Modes, learn_scale
from .thumbnails import THUMBNAIL, cut_out, cut_outs, thumbnail
from .written_area import WrittenArea, find_writing, needs_looking, written_area

__all__ = [
    "BAND_LINES",
    "FOREIGN",
    "MOST_PIXELS",
    "SUFFIXES",
    "THUMBNAIL",
    "Cell",
    "CollectionScale",
    "Colours",
    "Measured",
    "Modes",
    "OnPixels",
    "PageImage",
    "PageReader",
    "PageStore",
    "Patches",
    "Picture",
    "Preparation",
    "WrittenArea",
    "binarize",
    "centre_patch",
    "cut_out",
    "cut_outs",
    "cut_patches",
    "draw_rows",
    "drawn_kind",
    "find_bands",
    "find_writing",
    "has_ink",
    "ink_middle",
    "ink_share",
    "learn_scale",
    "measure_lines",
    "measure_page",
    "needs_looking",
    "needs_measuring",
    "open_store",
    "page_reader",
    "picture_size",
    "pictures_in",
    "prepare_page",
    "read_colour",
    "read_image",
    "read_pages",
    "save_drawn",
    "sheet_font",
    "shortened",
    "text_scale",
    "thumbnail",
    "to_canonical",
    "written_area",
]

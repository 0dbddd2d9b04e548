"""Synthetic handwriting: writers drawn from seeds, and the pages and corpora they write."""

from .books import TRUTH, synthesize_books
from .corpus import CorpusPlan, synthesize
from .pages import HEIGHT, VERSION, WIDTH, draw_page, page_conditions
from .scripts import SCRIPTS, Script
from .words import draw_word_page, find_fonts, synthesize_words

__all__ = [
    "HEIGHT",
    "SCRIPTS",
    "TRUTH",
    "VERSION",
    "WIDTH",
    "CorpusPlan",
    "Script",
    "draw_page",
    "draw_word_page",
    "find_fonts",
    "page_conditions",
    "synthesize",
    "synthesize_books",
    "synthesize_words",
]

"""Handwriting out of nothing: hands drawn from seeds, and pages and corpora written by them."""

from .corpus import CorpusPlan, write_corpus
from .pages import HEIGHT, VERSION, WIDTH, draw_page, page_conditions
from .scripts import SCRIPTS, Script

__all__ = [
    "HEIGHT",
    "SCRIPTS",
    "VERSION",
    "WIDTH",
    "CorpusPlan",
    "Script",
    "draw_page",
    "page_conditions",
    "write_corpus",
]

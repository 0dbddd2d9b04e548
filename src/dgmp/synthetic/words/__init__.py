"""Pages of which every word is known: round hands, fonts, and the text they write."""

from .font_hand import find_fonts
from .word_pages import draw_word_page, synthesize_words

__all__ = ["draw_word_page", "find_fonts", "synthesize_words"]

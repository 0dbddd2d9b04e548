"""Word spotting: words as vectors of their spelling, found on pages by typing or by pointing."""

from typing import TYPE_CHECKING

from ..names import lazy_names
from .candidates import find_candidates
from .default_model import DEFAULT, SHIPPED_WORDS
from .embeddings import Embedding
from .free_protocol import map_by_example, map_by_string
from .hit_sheet import draw_hits
from .protocol import page_folds, score_by_example, score_by_string
from .word_index import IndexedPage, WordHit, WordIndex, overlaps
from .word_lists import Word, WordList, open_words
from .word_pictures import WordChanges, WordLook, WordPicture, cut_word

if TYPE_CHECKING:
    from .word_model import WordModel, WordSpec, stack_words, trunk_of
    from .word_recipes import WordRecipe
    from .word_training import cut_words, train_words

# What needs torch is imported when it is used.
__getattr__ = lazy_names(
    __name__,
    {
        "WordModel": ".word_model",
        "WordRecipe": ".word_recipes",
        "WordSpec": ".word_model",
        "cut_words": ".word_training",
        "stack_words": ".word_model",
        "trunk_of": ".word_model",
        "train_words": ".word_training",
    },
)

__all__ = [
    "DEFAULT",
    "SHIPPED_WORDS",
    "Embedding",
    "IndexedPage",
    "Word",
    "WordChanges",
    "WordHit",
    "WordIndex",
    "WordList",
    "WordLook",
    "WordModel",
    "WordPicture",
    "WordRecipe",
    "WordSpec",
    "cut_word",
    "cut_words",
    "draw_hits",
    "find_candidates",
    "map_by_example",
    "map_by_string",
    "open_words",
    "overlaps",
    "page_folds",
    "score_by_example",
    "score_by_string",
    "stack_words",
    "train_words",
    "trunk_of",
]

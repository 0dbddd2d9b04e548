"""Word spotting: words as vectors of their spelling, found on pages by typing or by pointing."""

from .embeddings import Embedding
from .protocol import page_folds, score_by_example, score_by_string
from .word_lists import Word, WordList, open_words
from .word_model import WordModel, WordSpec
from .word_pictures import cut_word
from .word_recipes import WordRecipe
from .word_training import cut_words, train_words

__all__ = [
    "Embedding",
    "Word",
    "WordList",
    "WordModel",
    "WordRecipe",
    "WordSpec",
    "cut_word",
    "cut_words",
    "open_words",
    "page_folds",
    "score_by_example",
    "score_by_string",
    "train_words",
]

"""Experiments: the tables and the figure of the paper."""

from .outcomes import Outcome, mean_scores
from .reproducing import TABLES, find_table, reproduce
from .rows import PaperTable, Row
from .settings import Setting
from .words import WORD_ROWS, WordSetting, reproduce_words

__all__ = [
    "TABLES",
    "WORD_ROWS",
    "Outcome",
    "PaperTable",
    "Row",
    "Setting",
    "WordSetting",
    "find_table",
    "mean_scores",
    "reproduce",
    "reproduce_words",
]

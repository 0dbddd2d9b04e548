"""Words that look like Latin."""

from itertools import pairwise

import numpy as np

from dgmp.synthetic.alphabets import CAPITALS
from dgmp.synthetic.text import COMMON, ENDINGS, MIDDLES, STEMS, latin_words
from dgmp.synthetic.writers import LETTERS


def test_every_part_of_a_word_can_be_written():
    assert set("".join((*COMMON, *STEMS, *MIDDLES, *ENDINGS))) <= set(LETTERS)


def test_every_text_can_be_written():
    words = latin_words(np.random.default_rng(1), 2000)
    assert set("".join(words)) <= set(LETTERS) | set(CAPITALS) | set(".:·/")


def test_there_are_as_many_words_as_wanted():
    assert len(latin_words(np.random.default_rng(1), 77)) == 77


def test_a_sentence_begins_with_a_capital():
    words = latin_words(np.random.default_rng(1), 500)
    after_stops = [b for a, b in pairwise(words) if a[-1] in ".:"]
    assert len(after_stops) > 20
    assert all(word[0].isupper() for word in (words[0], *after_stops))

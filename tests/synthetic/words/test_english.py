"""English out of nothing."""

import string

import numpy as np

from dgmp.synthetic.words.english import english_words
from dgmp.synthetic.words.round_hand import ROUND_SIGNS


def words(seed=1, count=3000, **options):
    return english_words(np.random.default_rng(seed), count, **options)


def test_every_letter_occurs_at_the_beginning_inside_and_at_the_end():
    plain = [word.rstrip(".,;:-").lower() for word in words()]
    for place in (slice(0, 1), slice(1, -1), slice(-1, None)):
        found = set("".join(word[place] for word in plain if len(word) > 2))
        assert len(found) >= 24
    assert set("".join(plain)) == set(string.ascii_lowercase)


def test_all_that_occurs_can_be_written_in_a_round_hand():
    assert set("".join(words(numbers=True))) <= set(ROUND_SIGNS)


def test_numbers_come_where_they_are_wanted():
    assert any(word.isdigit() for word in words(numbers=True))
    assert not any(word.isdigit() for word in words())


def test_the_same_seed_draws_the_same_words():
    assert words(2, 50) == words(2, 50) != words(3, 50)

"""Words of a joined round hand."""

from dataclasses import replace

import numpy as np
import pytest

from dgmp.synthetic.words.round_hand import (
    LONG_S,
    ROUND_SIGNS,
    choose_forms,
    make_round_writer,
    write_round_hand,
)
from dgmp.synthetic.writers import stream
from dgmp.synthetic.writing import PageLayout

LAYOUT = PageLayout(76, 20, 2000, 100, 3, False, 0)
JOINING = {letter: (letter, letter, 1.0) for letter in "aeilmnotu"}


def write(words, seed=1, number=1, **traits):
    writer = make_round_writer((1, number))
    writer = replace(
        writer, traits=replace(writer.traits, **traits), forms={**writer.forms, **JOINING}
    )
    return write_round_hand(writer, words, LAYOUT, stream(seed))


def paths(strokes):
    """The number of strokes between which the pen is lifted."""
    return 1 + int((~strokes.drawn).sum())


@pytest.mark.parametrize("word", ["minimum", "lament", "ailment", "onion"])
def test_letters_that_join_are_one_path(word):
    assert paths(write([word], join=1.0, cross=0.0)) == 1


def test_letters_that_do_not_join_are_a_path_each():
    assert paths(write(["nun"], join=0.0, cross=0.0)) == 3


def test_dots_and_bars_are_set_down_after_the_word():
    assert paths(write(["tint"], join=1.0, cross=1.0)) == 1 + 3


def test_no_join_is_longer_than_the_gap_that_the_writer_leaves():
    strokes = write(["minimum"], join=1.0, cross=0.0, gap=0.2, height=0.3)
    steps = np.linalg.norm(np.diff(strokes.centres, axis=0), axis=1)
    assert steps.max() < 0.3 * 76


def test_every_sign_is_written():
    strokes = write(list(ROUND_SIGNS))
    assert set(strokes.word.tolist()) == set(range(len(ROUND_SIGNS)))


def test_the_same_seeds_write_the_same():
    one = write(["letters"])
    make_round_writer.cache_clear()
    assert np.array_equal(one.centres, write(["letters"]).centres)


def test_a_word_is_never_twice_the_same():
    strokes = write(["onion", "onion"], join=1.0, cross=0.0)
    one, two = (np.ptp(strokes.centres[strokes.word == number], axis=0) for number in (0, 1))
    assert np.abs(one - two).max() > 0.1


def test_two_writers_write_differently():
    one, two = (write(["onion"], number=number) for number in (1, 2))
    assert one.centres.shape != two.centres.shape or not np.allclose(one.centres, two.centres)


def test_a_pointed_pen_presses_on_the_way_down():
    strokes = write(["minimum"], pointed=True, join=1.0, cross=0.0)
    down = np.gradient(strokes.centres[:, 1])
    assert strokes.width[down > 1].mean() > 1.5 * strokes.width[down < -1].mean()


def test_more_slant_leans_the_heads_to_the_right():
    def lean(slant):
        x, y = write(["l"], slant=slant, height=0.3).centres.T
        return x[y < np.percentile(y, 10)].mean() - x[y > np.percentile(y, 90)].mean()

    assert lean(45) > lean(15) + 5


def test_lines_stay_on_their_layout():
    strokes = write(["onion"] * 200)
    assert strokes.centres[:, 0].max() < 2000 + 76
    assert set(strokes.word.tolist()) < set(range(200))


@pytest.mark.parametrize(("rule", "tall"), [("never", []), ("double", [1]), ("medial", [1, 2])])
def test_long_s_is_written_by_the_rule_of_the_writer(rule, tall):
    writer = make_round_writer((1, 1))
    writer = replace(writer, traits=replace(writer.traits, long_s=rule))
    found = choose_forms(writer, "asses", stream(1))
    assert [at for at, name in enumerate(found) if name in LONG_S] == tall

"""Writers differ in measures, pen and letters."""

import numpy as np
import pytest

from dgmp.synthetic import SCRIPTS
from dgmp.synthetic.alphabets import CAPITALS
from dgmp.synthetic.writers import LETTERS, make_writer, stream


def test_writers_differ():
    assert len({make_writer((1, 1, seed)).traits for seed in range(200)}) == 200


def test_writers_use_all_scripts():
    assert {make_writer((1, 1, seed)).traits.script for seed in range(200)} == set(SCRIPTS)


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_writer_uses_the_script_that_is_wanted(script):
    assert make_writer((1, 1, 2), script).traits.script == script


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_letter_has_strokes_that_stay_near_the_line(script):
    writer = make_writer((1, 1, 2), script)
    for letter in (*LETTERS, *CAPITALS):
        path = writer.glyphs[letter].path
        assert len(path) >= 2, letter
        assert np.isfinite(path).all()
        assert path[:, 1].min() > -1.6, letter
        assert path[:, 1].max() < 3.2, letter


def test_letters_do_not_depend_on_the_order_they_are_written_in():
    one = make_writer((1, 1, 3)).glyphs["a"].path
    make_writer.cache_clear()
    other = make_writer((1, 1, 3))
    assert len(other.glyphs["z"].path)
    assert np.array_equal(one, other.glyphs["a"].path)


def test_streams_of_other_numbers_are_others():
    assert stream(1, 2).random() == stream(1, 2).random() != stream(2, 1).random()

"""Text set down by a writer."""

import numpy as np

from dgmp.synthetic.writers import make_writer, stream
from dgmp.synthetic.writing import PageLayout, write_text

LAYOUT = PageLayout(76, 20, 1000, 100, 1, False, 0)


def test_a_letter_is_never_twice_the_same():
    strokes = write_text(make_writer((1, 1, 1)), ["o", "o"], LAYOUT, stream(1))
    one, two = np.split(strokes.centres, 2)
    assert np.abs((one - one.mean(axis=0)) - (two - two.mean(axis=0))).max() > 0.1


def test_another_repetition_of_the_same_text_is_another():
    writer = make_writer((1, 1, 1))
    one, two = (write_text(writer, ["domini"], LAYOUT, stream(seed)).centres for seed in (1, 2))
    assert one.shape != two.shape or not np.allclose(one, two)


def test_words_run_to_the_right():
    strokes = write_text(make_writer((1, 1, 1)), ["in", "non", "est"], LAYOUT, stream(1))
    first, *_, last = np.array_split(strokes.centres[:, 0], 3)
    assert first.mean() < last.mean()


def test_lines_stay_on_their_layout():
    strokes = write_text(make_writer((1, 1, 1)), ["ad"] * 200, LAYOUT, stream(1))
    assert strokes.centres[:, 0].max() < 1000 + 76
    assert abs(np.median(strokes.centres[:, 1]) - 100) < 76

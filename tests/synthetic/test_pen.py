"""The area that a broad nib sweeps."""

import numpy as np
import pytest

from dgmp.synthetic.pen import Strokes, draw_strokes


def stroke(step, drawn=True, ink=255):
    """A stroke of a nib of 20×2 pixels held at 45°."""
    pen = np.full(2, 20.0), np.full(2, 2.0), np.full(2, np.pi / 4)
    centres = np.array([(100, 100), (100 + step[0], 100 + step[1])], float)
    return Strokes(centres, *pen, np.array([drawn]), np.full(2, ink, np.uint8))


@pytest.mark.parametrize(
    ("step", "expected"), [((60, -60), 2), ((60, 60), 20)], ids=["along the nib", "across"]
)
def test_thick_and_thin_follow_the_direction_of_the_stroke(step, expected):
    ink = draw_strokes(stroke(step), 200, 200)
    # The swept area: the nib across times the way, and the nib's own rectangle.
    area = expected * 60 * np.sqrt(2) + 20 * 2
    assert ink.sum() / 255 == pytest.approx(area, rel=0.15)


def test_a_pen_that_is_lifted_leaves_no_ink():
    assert not draw_strokes(stroke((60, 60), drawn=False), 200, 200).any()


def test_a_pen_with_less_ink_draws_lighter():
    assert draw_strokes(stroke((60, 60), ink=100), 200, 200).max() == 100

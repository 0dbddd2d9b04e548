"""The notation of letters and the splines through their points."""

import numpy as np
import pytest

from dgmp.synthetic.letterforms import Point, parse_letter, spline_basis

POINTS = np.array([(0, 0), (1, 2), (3, 1), (4, 4)], float)


@pytest.mark.parametrize("broken", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("corner", [False, True])
def test_a_spline_passes_through_its_points(broken, corner):
    path = spline_basis(POINTS, np.array([False, False, corner, False]), broken) @ POINTS
    assert all(np.abs(path - point).sum(axis=1).min() < 1e-12 for point in POINTS)


def test_moving_all_points_moves_the_path_with_them():
    basis = spline_basis(POINTS, np.array([False, False, True, False]), broken=0.3)
    assert np.allclose(basis.sum(axis=1), 1)


def test_a_wholly_broken_curve_is_the_polygon_through_its_points():
    path = spline_basis(POINTS, np.zeros(4, bool), broken=1.0) @ POINTS
    along = np.interp(path[:, 0], POINTS[:, 0], POINTS[:, 1])
    assert np.allclose(path[:, 1], along)


def test_a_letter_is_read_stroke_by_stroke():
    assert parse_letter("0,100^ 50,0! / 0,0 -20,30_") == (
        (Point(0, 1, end="head"), Point(0.5, 0, corner=True)),
        (Point(0, 0), Point(-0.2, 0.3, end="foot")),
    )


def test_a_point_that_cannot_be_read_is_named():
    with pytest.raises(ValueError, match="12;3"):
        parse_letter("0,0 12;3")


def test_a_stroke_of_one_point_is_refused():
    with pytest.raises(ValueError, match="two points"):
        parse_letter("0,0 / 1,1 2,2")

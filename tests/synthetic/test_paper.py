"""Paper, ink and camera."""

from dataclasses import replace

import numpy as np
import pytest

from dgmp.synthetic.paper import draw_conditions, lay_on_sheet, photograph

WIDTH, HEIGHT = 300, 200
FLAT = replace(draw_conditions(np.random.default_rng(0), WIDTH, HEIGHT), rotation=0.0, curl=0.0)
INK = np.zeros((HEIGHT, WIDTH), np.uint8)
INK[80:120, 100:200] = 255


def taken(ink, conditions=FLAT, seed=1):
    return photograph(ink, conditions, np.random.default_rng(seed))


def test_the_same_stream_gives_the_same_conditions():
    one, two = (draw_conditions(np.random.default_rng(4), WIDTH, HEIGHT) for _ in range(2))
    assert one == two


def test_ink_is_darker_than_paper():
    picture = taken(INK).astype(float)
    assert picture[90:110, 110:190].mean() < picture[10:60].mean() - 20


def test_the_same_stream_takes_the_same_picture():
    assert np.array_equal(taken(INK), taken(INK))


def test_ink_may_show_through_from_the_back():
    left = np.zeros_like(INK)
    left[80:120, 40:100] = 255
    clear, bled = (taken(left, replace(FLAT, bleed=bleed)).astype(int) for bleed in (0.0, 0.3))
    assert (clear - bled)[90:110, 210:250].mean() > 5


def test_a_flat_sheet_leaves_points_where_they_are():
    points = np.array([[10.0, 20.0], [250.0, 150.0]])
    assert np.allclose(lay_on_sheet(points, FLAT, WIDTH, HEIGHT), points)


def test_a_turned_sheet_keeps_distances():
    points = np.array([[10.0, 20.0], [250.0, 150.0]])
    turned = lay_on_sheet(points, replace(FLAT, rotation=0.3), WIDTH, HEIGHT)
    assert np.linalg.norm(turned[0] - turned[1]) == pytest.approx(
        np.linalg.norm(points[0] - points[1])
    )

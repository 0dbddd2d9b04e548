"""Hinge and CoHinge against slow and obvious versions."""

import numpy as np

from dgmp.classical import CoHinge, Hinge
from dgmp.classical.hinge import Contours


def test_hinges_are_those_of_a_loop_over_contour_points(pages):
    contours = Contours.trace(pages[0].pixels).longer_than(14)
    first, second = contours.hinges(7, 40)
    start = 0
    for length in contours.lengths[:20]:
        points = contours.points[start : start + length].astype(float)
        for n in range(length):
            for legs, end in (
                (first, points[(n - 7) % length]),
                (second, points[(n + 7) % length]),
            ):
                x, y = end - points[n]
                degrees = np.degrees(np.arctan2(y, x)) % 360
                assert legs[start + n] == min(int(degrees / 9), 39)
        start += length


def test_turning_a_page_round_turns_its_hinges(pages):
    hinge = Hinge(legs=(7,), bins=12)
    page = pages[0].pixels
    table = np.zeros((12, 12))
    table[np.triu_indices(12, 1)] = hinge(page) ** 2
    turned = np.roll(table + table.T, (6, 6), axis=(0, 1))[np.triu_indices(12, 1)] ** 0.5
    # Angles on the border of two bins may fall to either side.
    assert turned @ hinge(page[::-1, ::-1].copy()) > 0.97


def test_short_contours_are_left_out():
    page = np.full((64, 64), 255, np.uint8)
    page[10:12, 10:12] = 0
    assert not Hinge()(page).any()
    assert not CoHinge()(page).any()

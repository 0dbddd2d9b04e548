"""Bands of lines: they cover the page, are cut between lines, and each has enough ink."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from drawing import written

from dgmp.errors import ImageError
from dgmp.pixels import find_bands
from dgmp.pixels.bands import columns, cut_rows
from dgmp.records import Region

DISTANCE = 40


def profile(lines, empty=()):
    """Ink of lines 40 rows apart, of which the upper 24 rows are written on."""
    rows = np.zeros((lines, DISTANCE), np.int64)
    rows[:, 8:32] = 50
    rows[list(empty)] = 0
    return rows.ravel()


def bounds(page, lines=5):
    return [region.bounds for region in find_bands(page, lines)[1]]


@pytest.mark.parametrize(("lines", "bands"), [(3, 1), (5, 1), (10, 2), (19, 4), (21, 4)])
def test_a_column_has_a_band_for_every_five_lines(lines, bands):
    assert len(cut_rows(profile(lines), DISTANCE, 5)) - 1 == bands


@pytest.mark.parametrize("lines", [9, 13, 20, 33])
def test_cuts_lie_between_lines_and_bands_cover_the_column(lines):
    rows = profile(lines)
    first, *cuts, last = cut_rows(rows, DISTANCE, 4)
    assert (first, last) == (0, len(rows))
    assert cuts == sorted(set(cuts))
    assert not rows[cuts].any()


def test_a_cut_lies_in_the_middle_of_its_gap():
    *_, cut, _ = cut_rows(profile(10), DISTANCE, 5)
    assert abs(cut - 5 * DISTANCE) <= 1


def test_a_band_with_little_ink_joins_its_neighbour():
    rows = profile(20, empty=range(6, 10))
    cuts = cut_rows(rows, DISTANCE, 5)
    inks = [rows[above:below].sum() for above, below in itertools.pairwise(cuts)]
    assert len(inks) == 3
    assert min(inks) >= 5 * 24 * 50


def test_regions_below_one_another_are_one_column():
    upper, lower = Region.rectangle(10, 0, 100, 50), Region.rectangle(15, 60, 90, 200)
    assert columns([upper, lower]) == [(10, 0, 100, 200)]


def test_columns_come_in_the_order_of_their_first_regions():
    right, left = Region.rectangle(200, 0, 300, 90), Region.rectangle(10, 0, 100, 90)
    below = Region.rectangle(200, 100, 300, 150)
    assert columns([right, left, below]) == [(200, 0, 300, 150), (10, 0, 100, 90)]


def test_a_heading_over_two_columns_makes_them_one():
    sides = [Region.rectangle(0, 50, 100, 90), Region.rectangle(150, 50, 250, 90)]
    assert columns([*sides, Region.rectangle(0, 0, 250, 40)]) == [(0, 0, 250, 90)]


def test_the_bands_of_a_page_cover_it(make_page):
    found = bounds(make_page("a.png", written(420, 660)))
    assert len(found) == 3
    assert (found[0][1], found[-1][3]) == (0, 660)
    assert [band[3] for band in found[:-1]] == [band[1] for band in found[1:]]
    assert {(band[0], band[2]) for band in found} == {(0, 420)}


def test_no_letter_of_a_page_is_cut_through(make_page):
    pixels = written(420, 660)
    for band in bounds(make_page("a.png", pixels))[1:]:
        assert pixels[int(band[1])].min() == pixels.max()


def test_a_page_of_twice_the_size_has_the_same_bands(make_page):
    pixels = written(420, 660)
    small = np.array(bounds(make_page("a.png", pixels)))
    large = np.array(bounds(make_page("b.png", np.kron(pixels, np.ones((2, 2), np.uint8)))))
    assert large / 2 == pytest.approx(small, abs=3)


def test_the_line_distance_is_that_of_the_page(make_page):
    page = make_page("a.png", written(420, 660))
    assert find_bands(page)[0] == pytest.approx(40, rel=0.05)
    assert find_bands(replace(page, line_distance=50.0))[0] == 50


def test_pages_with_a_layout_are_cut_inside_their_columns(make_page):
    sides = (Region.rectangle(0, 20, 200, 640), Region.rectangle(220, 20, 420, 640))
    found = bounds(make_page("a.png", written(420, 660), known={"regions": sides}))
    assert [(band[0], band[2]) for band in found] == [(0, 200)] * 3 + [(220, 420)] * 3
    assert (found[0][1], found[2][3]) == (20, 640)


def test_a_blank_page_has_no_bands(make_page):
    with pytest.raises(ImageError, match="no ink"):
        find_bands(make_page("a.png", np.full((300, 420), 230, np.uint8)))


def test_a_band_of_no_lines_is_refused(make_page):
    with pytest.raises(ValueError, match="lines must be at least 1, got 0"):
        find_bands(make_page("a.png"), 0)

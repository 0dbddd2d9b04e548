"""SRS-LBP, oBIF, Hinge and CoHinge against slow and obvious versions."""

import numpy as np
import pytest

from dgmp.classical import CoHinge, Hinge, Obif, SrsLbp
from dgmp.classical.hinge import Contours
from dgmp.classical.obif import CODES, image_features
from dgmp.classical.srs_lbp import neighbour_patterns

FEATURES = [SrsLbp(), Obif(), Hinge(), CoHinge()]
RNG = np.random.default_rng(0)


@pytest.mark.parametrize("features", FEATURES, ids=lambda f: type(f).__name__)
def test_vectors_have_unit_length_and_the_stated_width(features, pages):
    vector = features(pages[0].pixels)
    assert vector.shape == (features.dim,)
    assert vector.dtype == np.float32
    assert abs(np.linalg.norm(vector) - 1) < 1e-5


@pytest.mark.parametrize("features", FEATURES, ids=lambda f: type(f).__name__)
def test_an_empty_page_gives_zeros(features):
    assert not features(np.full((64, 64), 255, np.uint8)).any()


@pytest.mark.parametrize("features", FEATURES, ids=lambda f: type(f).__name__)
def test_more_paper_around_changes_nothing(features, pages):
    page = np.pad(pages[0].pixels, 100, constant_values=255)
    more = np.pad(page, 40, constant_values=255)
    np.testing.assert_allclose(features(page), features(more), atol=1e-4)


@pytest.mark.parametrize("features", FEATURES, ids=lambda f: type(f).__name__)
def test_pages_of_one_hand_are_more_alike(features, pages):
    vectors = np.stack([features(page.pixels) for page in pages])
    writers = np.array([page.page.writer for page in pages])
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1)
    assert (writers[cosines.argmax(1)] == writers).mean() > 0.9


@pytest.mark.parametrize("radius", [2, 3, 4])
def test_patterns_are_those_of_a_loop_over_pixels(radius):
    page = np.where(RNG.random((14, 15)) < 0.4, 0, 255).astype(np.uint8)
    padded = np.pad(page, 8, constant_values=255).astype(float)
    found = neighbour_patterns(page, radius)
    for y, x in np.ndindex(page.shape):
        code = 0
        for bit in range(8):
            dx, dy = radius * np.cos(bit * np.pi / 4), radius * np.sin(bit * np.pi / 4)
            left, top = int(np.floor(dx + 1e-9)), int(np.floor(dy + 1e-9))
            fx, fy = dx - left, dy - top
            square = padded[y + 8 + top : y + 10 + top, x + 8 + left : x + 10 + left]
            value = np.array([1 - fy, fy]) @ square @ np.array([1 - fx, fx])
            code |= (value < 127.5) << bit
        assert found[y, x] == code


def test_a_pattern_and_its_negative_count_alike():
    page = np.pad(np.where(RNG.random((40, 40)) < 0.5, 0, 255).astype(np.uint8), 30, mode="wrap")
    inner = SrsLbp(radii=1)
    # Away from the border, where paper is supposed, ink and paper may change their names.
    np.testing.assert_allclose(inner(page), inner(255 - page), atol=0.05)


def test_a_spot_is_a_blob_and_strokes_are_lines_with_an_axis():
    paper = np.full((81, 81), 255, np.uint8)
    spot, upright, level = paper.copy(), paper.copy(), paper.copy()
    spot[38:43, 38:43] = 0
    upright[:, 38:43] = 0
    level[38:43] = 0
    pages = (spot, upright, level)
    codes = [int(image_features(page, 4.0, (0.01,))[0][40, 40]) for page in pages]
    assert codes[0] == 9  # dark blob
    assert sorted(codes[1:]) == [11, 13]  # dark lines, a right angle apart
    light = [image_features(255 - page, 4.0, (0.01,))[0][40, 40] for page in (spot, upright)]
    assert light[0] == 10
    assert 15 <= light[1] < 19


def test_a_round_spot_has_slopes_in_all_eight_directions():
    y, x = np.mgrid[-40:41, -40:41]
    disc = np.where(x**2 + y**2 < 400, 0, 255).astype(np.uint8)
    codes = image_features(disc, 2.0, (0.001,))[0]
    assert set(range(1, 9)) <= set(np.unique(codes))
    assert codes.max() < CODES


def test_a_larger_epsilon_makes_more_flat(pages):
    flat = [np.mean(codes == 0) for codes in image_features(pages[0].pixels, 2.0, (0.001, 0.1))]
    assert flat[0] <= flat[1]


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


def test_bad_settings_are_refused():
    with pytest.raises(ValueError, match="radii"):
        SrsLbp(radii=0)

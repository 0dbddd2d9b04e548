"""Oriented basic image features of spots and strokes whose codes are known."""

import numpy as np

from dgmp.classical.obif import CODES, image_features


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

from dataclasses import replace

import numpy as np
import pytest

from dgmp.classical import Keypoints, Sift, cut_keypoint_patches
from dgmp.classical.sift import _SCALES, DIRECTIONS, _directions, _window

CONTOURS = Sift(most=None)
EXTREMA = Sift(points="extrema", octaves=2, most=None)
BOTH = pytest.mark.parametrize("sift", [CONTOURS, EXTREMA], ids=["contours", "extrema"])


def test_splitting_gradients_among_directions_loses_nothing():
    x, y = np.random.default_rng(0).integers(-255, 256, (2, 50)).astype(np.int16)
    values = np.stack(list(_directions(x, y)))  # (8, n)
    channels = np.array(_SCALES)[:, None] * values
    angles = 2 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
    np.testing.assert_allclose(np.cos(angles) @ channels, x, atol=1e-4)
    np.testing.assert_allclose(np.sin(angles) @ channels, y, atol=1e-4)
    assert (channels >= 0).all()
    assert ((channels > 0).sum(0) <= 2).all()


def test_a_window_is_the_same_seen_from_all_four_sides():
    offsets, weights = _window(4.0)
    table = weights.reshape(len(offsets), len(offsets), 4, 4)
    np.testing.assert_allclose(table, table[::-1, :, ::-1], atol=1e-6)
    np.testing.assert_allclose(table, table.transpose(1, 0, 3, 2), atol=1e-6)


@BOTH
def test_moving_the_page_moves_keypoints_and_leaves_descriptors(sift, pages):
    page = np.pad(pages[0].pixels, 64, constant_values=255)
    moved = np.roll(page, (20, 40), axis=(0, 1))
    first, second = sift.detect(page), sift.detect(moved)
    np.testing.assert_array_equal(first.positions + np.array([40, 20]), second.positions)
    np.testing.assert_array_equal(sift.describe(page, first), sift.describe(moved, second))


@BOTH
def test_descriptors_have_unit_length_and_no_negative_entry(sift, pages):
    found = sift(pages[0].pixels)
    assert found.shape[1] == 128
    assert len(found) > 100
    assert found.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert (found >= 0).all()


@BOTH
def test_keypoints_lie_where_there_is_ink(sift, pages):
    keypoints = sift.detect(pages[0].pixels)
    fine = keypoints[keypoints.octaves == 0]
    around = cut_keypoint_patches(pages[0].pixels, fine, side=9)
    assert ((around == 0).any(axis=(1, 2))).mean() > 0.95


@BOTH
def test_no_two_keypoints_of_an_octave_share_a_pixel(sift, pages):
    keypoints = sift.detect(pages[0].pixels)
    fine = keypoints[keypoints.octaves == 0]
    assert len(np.unique(fine.positions, axis=0)) == len(fine)


@BOTH
def test_a_limit_chooses_among_the_same_keypoints(sift, pages):
    everything = sift.detect(pages[0].pixels)
    few = replace(sift, most=30).detect(pages[0].pixels)
    assert (np.bincount(few.octaves) == 30).all()
    known = {tuple(row) for row in everything.positions.tolist()}
    assert all(tuple(row) in known for row in few.positions.tolist())


@BOTH
def test_a_mirrored_slant_is_another_slant(sift, pages):
    page = pages[0].pixels[:200, :200]
    a, b = sift(page), sift(page[:, ::-1].copy())
    assert abs(len(a) - len(b)) < 0.1 * len(a)
    assert np.abs(a.mean(0) - b.mean(0)).max() > 0.01


@BOTH
@pytest.mark.parametrize("value", [0, 255])
def test_an_even_page_has_no_keypoint(sift, value):
    assert sift(np.full((100, 100), value, np.uint8)).shape == (0, 128)


@BOTH
def test_one_short_stroke_is_enough(sift):
    page = np.full((256, 256), 255, np.uint8)
    page[120:124, 100:112] = 0
    assert len(sift(page)) > 0


def test_patches_show_the_page_around_keypoints_and_paper_beyond(pages):
    page = pages[0].pixels
    keypoints = EXTREMA.detect(page)
    patches = cut_keypoint_patches(page, keypoints)
    assert patches.shape == (len(keypoints), 32, 32)
    assert patches.dtype == np.uint8
    x, y = np.rint(keypoints.positions).astype(int).T
    np.testing.assert_array_equal(patches[:, 16, 16], page[y, x])
    corner = Keypoints(np.zeros((1, 2), np.float32), np.zeros(1, int))
    patch = cut_keypoint_patches(np.zeros((40, 40), np.uint8), corner)[0]
    assert (patch[:16] == 255).all()
    assert (patch[16:, 16:] == 0).all()


def test_bad_settings_are_refused(pages):
    with pytest.raises(ValueError, match="contours, extrema"):
        Sift(points="corners")
    with pytest.raises(ValueError, match="positive"):
        Sift(most=0)
    with pytest.raises(ValueError, match="side"):
        cut_keypoint_patches(pages[0].pixels, EXTREMA.detect(pages[0].pixels), side=0)


def test_keypoints_of_several_octaves_come_from_top_to_bottom(pages):
    found = Sift(points="extrema", octaves=3, cell=4.0).detect(pages[0].pixels)
    assert len(np.unique(found.octaves)) > 1
    assert (np.diff(found.positions[:, 1]) >= 0).all()


def test_extrema_do_not_depend_on_the_bands_they_are_looked_for_in(pages, monkeypatch):
    sift = Sift(points="extrema", octaves=2)
    whole = sift.detect(pages[0].pixels if hasattr(pages[0], "pixels") else pages[0])
    monkeypatch.setattr("dgmp.classical.sift._BAND", 1)
    bands = sift.detect(pages[0].pixels if hasattr(pages[0], "pixels") else pages[0])
    assert np.array_equal(whole.positions, bands.positions)

import numpy as np
import pytest

from dgmp.classical import Sift, cut_keypoint_patches
from dgmp.classical.sift import DIRECTIONS, _directions, _window

SIFT = Sift()


def test_splitting_gradients_among_directions_loses_nothing():
    x, y = np.random.default_rng(0).standard_normal((2, 50)).astype(np.float32)
    channels = np.stack(list(_directions(x, y)))  # (8, n)
    angles = 2 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
    np.testing.assert_allclose(np.cos(angles) @ channels, x, atol=1e-5)
    np.testing.assert_allclose(np.sin(angles) @ channels, y, atol=1e-5)
    assert (channels >= 0).all()
    assert ((channels > 0).sum(0) <= 2).all()


def test_a_window_is_the_same_seen_from_all_four_sides():
    offsets, weights = _window(4.0)
    table = weights.reshape(len(offsets), len(offsets), 4, 4)
    np.testing.assert_allclose(table, table[::-1, :, ::-1], atol=1e-6)
    np.testing.assert_allclose(table, table.transpose(1, 0, 3, 2), atol=1e-6)


def test_moving_the_page_moves_keypoints_and_leaves_descriptors(pages):
    page = np.pad(pages[0].pixels, 64, constant_values=255)
    moved = np.roll(page, (4, 8), axis=(0, 1))
    first, second = SIFT.detect(page), SIFT.detect(moved)
    np.testing.assert_array_equal(first.positions + np.array([8, 4]), second.positions)
    np.testing.assert_array_equal(SIFT.describe(page, first), SIFT.describe(moved, second))


def test_descriptors_have_unit_length_and_no_negative_entry(pages):
    found = SIFT(pages[0].pixels)
    assert found.shape[1] == 128
    assert len(found) > 100
    assert found.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert (found >= 0).all()


def test_keypoints_lie_on_ink(pages):
    keypoints = SIFT.detect(pages[0].pixels)
    fine = keypoints[keypoints.octaves == 0]
    x, y = np.rint(fine.positions).astype(int).T
    assert (pages[0].pixels[y, x] == 0).mean() > 0.95


def test_no_two_keypoints_of_an_octave_share_a_pixel(pages):
    keypoints = SIFT.detect(pages[0].pixels)
    fine = keypoints[keypoints.octaves == 0]
    assert len(np.unique(fine.positions, axis=0)) == len(fine)
    assert (fine.contrasts > SIFT.contrast).all()


def test_a_limit_chooses_among_the_same_keypoints(pages):
    everything = SIFT.detect(pages[0].pixels)
    few = Sift(most=30).detect(pages[0].pixels)
    assert (np.bincount(few.octaves) == 30).all()
    known = {tuple(row) for row in everything.positions.tolist()}
    assert all(tuple(row) in known for row in few.positions.tolist())


def test_turning_the_page_turns_the_descriptors_and_does_not_hide_slant(pages):
    page = pages[0].pixels[:256, :256]
    upright = Sift(octaves=1)
    a, b = upright(page), upright(page[:, ::-1].copy())
    assert abs(len(a) - len(b)) < 0.1 * len(a)
    assert np.abs(a.mean(0) - b.mean(0)).max() > 0.01  # a mirrored slant is another slant


@pytest.mark.parametrize("value", [0, 255])
def test_an_even_page_has_no_keypoint(value):
    assert SIFT(np.full((100, 100), value, np.uint8)).shape == (0, 128)


def test_one_short_stroke_is_enough():
    page = np.full((256, 256), 255, np.uint8)
    page[120:124, 100:112] = 0
    assert len(SIFT(page)) > 0


def test_patches_show_the_page_around_keypoints_and_paper_beyond(pages):
    page = pages[0].pixels
    keypoints = SIFT.detect(page)
    patches = cut_keypoint_patches(page, keypoints)
    assert patches.shape == (len(keypoints), 32, 32)
    assert patches.dtype == np.uint8
    x, y = np.rint(keypoints.positions).astype(int).T
    np.testing.assert_array_equal(patches[:, 16, 16], page[y, x])
    corner = cut_keypoint_patches(np.zeros((40, 40), np.uint8), keypoints[:0])
    assert corner.shape == (0, 32, 32)
    with pytest.raises(ValueError, match="side"):
        cut_keypoint_patches(page, keypoints, side=0)

"""Training patches: what may change does, what may not stays."""

import cv2
import numpy as np
import pytest

from dgmp.training import Augmentation, augmented_patch
from dgmp.training.augmentation import _part_of_patch

PLACE = np.array([40, 30, 104, 94], np.int32)  # 64 × 64


@pytest.fixture
def page():
    """Smooth blobs, so that a resampled page can be compared with itself."""
    y, x = np.mgrid[:200, :220]
    waves = np.sin(x / 9) * np.cos(y / 7) + np.sin((x + y) / 13)
    return (127 + 60 * waves).clip(0, 255).astype(np.uint8)


def patch(page, how=None, seed=0, side=64, place=PLACE):
    return augmented_patch(page, place, side, how or Augmentation(), np.random.default_rng(seed))


def test_nothing_is_changed_by_default(page):
    assert (patch(page) == page[30:94, 40:104]).all()


@pytest.mark.parametrize("side", [32, 128])
def test_another_side_resamples(page, side):
    expected = cv2.resize(page[30:94, 40:104], (side, side), interpolation=cv2.INTER_AREA)
    found = patch(page, side=side)[2:-2, 2:-2].astype(int)
    assert np.abs(found - expected[2:-2, 2:-2]).mean() < 3


def test_beyond_the_page_there_is_paper(page):
    found = patch(page, place=np.array([180, 150, 244, 214], np.int32))
    assert (found[:50, :40] == page[150:200, 180:220]).all()
    assert (found[51:] == 255).all()
    far = patch(page, place=np.array([900, 900, 964, 964], np.int32))
    assert (far == 255).all()


@pytest.mark.parametrize(
    "how",
    [
        Augmentation(shift=10),
        Augmentation(zoom=0.2),
        Augmentation(rotation=10),
        Augmentation(shear=0.2),
        Augmentation(thickness=2),
        Augmentation(brightness=0.2),
        Augmentation(contrast=0.5),
        Augmentation(foreground=0.2),
        Augmentation(area=(0.2, 0.9)),
    ],
    ids=lambda how: str(how),
)
def test_each_change_changes_and_repeats(page, how):
    first = patch(page, how, seed=1)
    assert first.shape == (64, 64)
    assert first.dtype == np.uint8
    assert (first == patch(page, how, seed=1)).all()
    assert (first != patch(page, how, seed=2)).any()
    assert (first != patch(page)).any()


def test_a_crop_shows_a_part_with_letters_as_large_as_before(page):
    found = patch(page, Augmentation(crop=0.75), seed=3)
    assert found.shape == (48, 48)
    x, y = 8 * np.random.default_rng(3).uniform(-1, 1, 6)[:2]
    part = page[38 + round(y) : 86 + round(y), 48 + round(x) : 96 + round(x)]
    assert np.abs(found.astype(int) - part).mean() < 6


def test_a_shift_moves_the_patch(page):
    generator = np.random.default_rng(3)
    x, y = 8 * generator.uniform(-1, 1, 6)[:2]
    found = patch(page, Augmentation(shift=8), seed=3).astype(int)
    moved = page[30 + round(y) : 94 + round(y), 40 + round(x) : 104 + round(x)]
    assert np.abs(found - moved).mean() < 6  # less than a pixel is interpolated


def test_thicker_strokes_have_more_ink_and_thinner_ones_less():
    page = np.full((100, 100), 255, np.uint8)
    page[:, 48:53] = 0
    inks = [
        (255 - patch(page, Augmentation(thickness=3), seed, place=np.array([20, 20, 84, 84]))).sum()
        for seed in range(20)
    ]
    plain = (255 - patch(page, place=np.array([20, 20, 84, 84]))).sum()
    assert min(inks) < plain < max(inks)
    assert max(inks) < plain * 1.8


def test_ink_and_paper_get_their_own_brightness():
    page = np.full((100, 100), 200, np.uint8)
    page[40:60] = 50
    found = patch(page, Augmentation(foreground=0.1), seed=4, place=np.array([20, 20, 84, 84]))
    ink, paper = np.unique(found)
    assert (ink, paper) != (50, 200)
    assert abs(int(ink) - 50) <= 26
    assert abs(int(paper) - 200) <= 26


def test_a_part_of_the_patch_has_the_area_and_aspect_asked_for():
    generator = np.random.default_rng(0)
    how = Augmentation(area=(0.08, 1.0), aspect=(0.75, 1.33))
    for _ in range(200):
        left, top, right, bottom = _part_of_patch(10, 20, 310, 220, how, generator)
        assert 10 <= left < right <= 310 + 1e-9
        assert 20 <= top < bottom <= 220 + 1e-9
        whole = (right - left, bottom - top) == (300, 200)
        share = (right - left) * (bottom - top) / (300 * 200)
        assert whole or 0.08 <= share <= 1
        assert whole or 0.749 <= (right - left) / (bottom - top) <= 1.331

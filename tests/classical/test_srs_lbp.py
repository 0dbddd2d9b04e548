"""Local binary patterns against slow and obvious versions."""

import numpy as np
import pytest

from dgmp.classical import SrsLbp
from dgmp.classical.srs_lbp import neighbour_patterns
from dgmp.pixels import ink_middle

RNG = np.random.default_rng(0)


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
            corners = padded[y + 8 + top : y + 10 + top, x + 8 + left : x + 10 + left]
            value = np.array([1 - fy, fy]) @ corners @ np.array([1 - fx, fx])
            code |= (value < 127.5) << bit
        assert found[y, x] == code


def test_a_pattern_and_its_negative_count_alike():
    page = np.pad(np.where(RNG.random((40, 40)) < 0.5, 0, 255).astype(np.uint8), 30, mode="wrap")
    inner = SrsLbp(radii=1)
    # Away from the border, where paper is supposed, ink and paper may change their names.
    np.testing.assert_allclose(inner(page), inner(255 - page), atol=0.05)


def test_halves_add_up_to_the_page_and_see_beyond_the_cut():
    page = np.where(RNG.random((41, 30)) < 0.4, 0, 255).astype(np.uint8)
    lbp = SrsLbp(radii=2)
    whole, *halves = lbp.with_halves(page)
    np.testing.assert_array_equal(whole, lbp(page))
    cut = ink_middle(page)
    for rows, found in zip((slice(0, cut), slice(cut, 41)), halves, strict=True):
        histograms = []
        for radius in (1, 2):
            ink = np.where(page < 128, 255, 0)
            patterns = (neighbour_patterns(page, radius) ^ ink)[rows]
            counts = np.bincount(patterns.ravel(), minlength=256)[1:]
            histograms.append(np.concatenate([[0], counts / counts.sum()]))
        wanted = np.sqrt(np.concatenate(histograms) / 2)
        np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_blank_paper_below_the_writing_does_not_change_the_halves():
    page = np.full((40, 60), 255, np.uint8)
    page[8:-8, 8:-8] = np.where(RNG.random((24, 44)) < 0.4, 0, 255)
    lbp = SrsLbp(radii=3)
    longer = np.pad(page, ((0, 90), (0, 0)), constant_values=255)
    np.testing.assert_allclose(lbp.with_halves(longer), lbp.with_halves(page), atol=1e-6)


def test_a_page_without_ink_has_vectors_of_zeros():
    vectors = SrsLbp(radii=3).with_halves(np.full((100, 60), 255, np.uint8))
    assert vectors.shape == (3, 3 * 256)
    assert not vectors.any()


def test_no_radius_at_all_is_refused():
    with pytest.raises(ValueError, match="radii"):
        SrsLbp(radii=0)


def test_histograms_do_not_depend_on_the_bands_they_are_counted_in(monkeypatch):
    page = np.where(np.random.default_rng(0).random((90, 70)) < 0.5, 0, 255).astype(np.uint8)
    whole = SrsLbp(3).with_halves(page)
    monkeypatch.setattr("dgmp.classical.srs_lbp._BAND", 1)
    assert np.array_equal(SrsLbp(3).with_halves(page), whole)

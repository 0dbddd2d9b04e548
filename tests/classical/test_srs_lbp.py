"""Local binary patterns against slow and obvious versions."""

import numpy as np
import pytest

from dgmp.classical import SrsLbp
from dgmp.classical.srs_lbp import neighbour_patterns

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


def test_no_radius_at_all_is_refused():
    with pytest.raises(ValueError, match="radii"):
        SrsLbp(radii=0)

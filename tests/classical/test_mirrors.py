"""Features in a mirror are those of the mirrored page."""

import numpy as np
import pytest

from dgmp.classical import MIRRORS, Sift, SrsLbp, mirrored_descriptors, mirrored_texture
from dgmp.classical.sift import Keypoints
from dgmp.errors import UnknownName

from .conftest import page_of

EVERY_MIRROR = pytest.mark.parametrize("mirror", MIRRORS)
PIXELS = page_of(1, 0).pixels  # 240 rows, 300 columns
RNG = np.random.default_rng(0)


def seen_in(mirror, pixels):
    """The page in the mirror."""
    mirrored = {"across": pixels[:, ::-1], "down": pixels[::-1], "diagonal": pixels.T}[mirror]
    return np.ascontiguousarray(mirrored)


def moved(mirror, keypoints):
    """The same spots of the page in the mirror."""
    x, y = keypoints.positions.T
    height, width = PIXELS.shape
    places = {"across": (width - 1 - x, y), "down": (x, height - 1 - y), "diagonal": (y, x)}
    return Keypoints(np.stack(places[mirror], axis=1), keypoints.octaves)


@EVERY_MIRROR
@pytest.mark.parametrize(
    "sift",
    [Sift(), Sift(cell=10.0, smoothing=2.4), Sift(points="extrema", octaves=3, cell=4.0)],
    ids=["contours", "large", "extrema"],
)
def test_descriptors_in_a_mirror_are_those_of_the_mirrored_page(mirror, sift):
    keypoints = sift.detect(PIXELS)
    wanted = sift.describe(seen_in(mirror, PIXELS), moved(mirror, keypoints))
    found = mirrored_descriptors(sift.describe(PIXELS, keypoints), mirror)
    assert len(found) > 100
    np.testing.assert_allclose(found, wanted, atol=1e-4)


@EVERY_MIRROR
def test_texture_in_a_mirror_is_that_of_the_mirrored_page(mirror):
    wanted = SrsLbp()(seen_in(mirror, PIXELS))
    np.testing.assert_allclose(mirrored_texture(SrsLbp()(PIXELS), mirror), wanted, atol=1e-6)


@EVERY_MIRROR
def test_a_mirror_shows_another_page(mirror):
    texture = SrsLbp()(PIXELS)
    assert mirrored_texture(texture, mirror) @ texture < 0.99


@EVERY_MIRROR
def test_a_mirror_in_a_mirror_changes_nothing(mirror):
    local, texture = RNG.random((5, 128)), RNG.random((2, 3, 512))
    twice = mirrored_descriptors(mirrored_descriptors(local, mirror), mirror)
    np.testing.assert_array_equal(twice, local)
    twice = mirrored_texture(mirrored_texture(texture, mirror), mirror)
    np.testing.assert_array_equal(twice, texture)


def test_down_between_two_diagonals_is_across():
    local, texture = RNG.random((5, 128)), RNG.random((3, 512))
    for mirrored, vectors in ((mirrored_descriptors, local), (mirrored_texture, texture)):
        turned = mirrored(mirrored(mirrored(vectors, "diagonal"), "down"), "diagonal")
        np.testing.assert_array_equal(turned, mirrored(vectors, "across"))


@EVERY_MIRROR
def test_half_precision_stays_half_precision(mirror):
    assert mirrored_descriptors(np.ones((1, 128), np.float16), mirror).dtype == np.float16


@pytest.mark.parametrize("mirrored", [mirrored_descriptors, mirrored_texture])
def test_a_mirror_that_is_not_known_lists_the_others(mirrored):
    with pytest.raises(UnknownName, match="across, down, diagonal"):
        mirrored(np.ones((1, 256)), "sideways")

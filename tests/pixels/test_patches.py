"""Laws of patches: cover, counts, the best one kept, and the same from every process."""

from functools import partial

import cv2
import numpy as np
import pytest
from drawing import written
from numpy.testing import assert_allclose, assert_array_equal

from dgmp.engines import Processes, map_pages
from dgmp.errors import ImageError
from dgmp.pixels import OnPixels, Preparation, binarize, cut_patches, prepare_page
from dgmp.pixels.patches import count_edges, find_edges, patch_starts

PAGE = binarize(written(1300, 900, distance=76, letter=28))


@pytest.mark.parametrize("shape", [(900, 1300), (400, 400), (401, 657), (120, 1000), (30, 40)])
@pytest.mark.parametrize(("size", "stride"), [(400, 256), (100, 100), (64, 200)])
def test_patches_reach_every_edge_of_the_page(shape, size, stride):
    for length in shape:
        starts = patch_starts(length, size, stride)
        assert starts[0] == 0
        assert starts[-1] == max(length - size, 0)
        assert len(set(starts)) == len(starts)
        assert np.all(np.diff(starts) <= stride)


def test_the_rectangles_of_all_patches_cover_the_page():
    patches = cut_patches(PAGE, min_edges=-1)
    covered = np.zeros(PAGE.shape, bool)
    for left, top, right, bottom in patches.rectangles:
        covered[top:bottom, left:right] = True
    assert covered.all()


def test_counts_by_cells_equal_counts_of_each_patch():
    tops, lefts = patch_starts(900, 200, 77), patch_starts(1300, 200, 91)
    counts = count_edges(PAGE, tops, lefts, 200)
    edges = find_edges(PAGE)
    slow = [[cv2.countNonZero(edges[y : y + 200, x : x + 200]) for x in lefts] for y in tops]
    assert_array_equal(counts, slow)


def test_bands_change_next_to_nothing(monkeypatch):
    whole = find_edges(PAGE)
    monkeypatch.setattr("dgmp.pixels.patches._BAND", 200)
    assert np.mean(find_edges(PAGE) != whole) < 1e-4


def test_only_patches_above_the_threshold_are_kept():
    everything = cut_patches(PAGE, min_edges=-1)
    threshold = int(np.median(everything.edges))
    kept = cut_patches(PAGE, min_edges=threshold)
    assert len(kept) == int((everything.edges > threshold).sum())
    assert kept.edges.min() > threshold


def test_a_page_that_would_lose_everything_keeps_its_best_patch():
    everything = cut_patches(PAGE, min_edges=-1)
    best = cut_patches(PAGE, min_edges=10**9)
    assert len(best) == 1
    assert_array_equal(best.rectangles[0], everything.rectangles[everything.edges.argmax()])


def test_a_small_page_is_padded_with_paper():
    small = written(150, 100, distance=30, letter=12, paper=200)
    (patch,) = cut_patches(small)
    assert patch.shape == (400, 400)
    assert_array_equal(patch[:100, :150], small)
    assert np.all(patch[100:] == 200)
    assert np.all(patch[:, 150:] == 200)


def test_a_page_without_an_edge_is_refused():
    with pytest.raises(ImageError, match="no ink"):
        cut_patches(np.full((500, 500), 255, np.uint8))


@pytest.mark.parametrize(("size", "stride"), [(0, 1), (1, 0)])
def test_patches_of_no_size_or_stride_are_refused(size, stride):
    with pytest.raises(ValueError, match=f"must be positive, got {size} and {stride}"):
        cut_patches(PAGE, size=size, stride=stride)


@pytest.mark.parametrize("page", [PAGE.astype(np.float32), np.stack([PAGE] * 3, axis=-1)])
def test_what_is_no_grey_page_is_refused(page):
    with pytest.raises(ValueError, match="page must be 8-bit grey, got"):
        cut_patches(page)


def test_patches_are_views():
    patches = cut_patches(PAGE)
    assert all(np.shares_memory(patch, patches.image) for patch in patches)


def test_an_array_of_patches_is_a_stack_of_some_of_them():
    patches = cut_patches(PAGE)
    assert_array_equal(patches.array(1, 3), [patches[1], patches[2]])


def test_opencv_keeps_the_patches_of_scikit_image():
    from skimage.feature import canny

    canvas = np.full((1500, 2000), 255, np.uint8)  # wide margins: patches of every fill
    canvas[250:1150, 300:1600] = PAGE
    patches = cut_patches(canvas, min_edges=-1)
    theirs = np.array([canny(patch, sigma=3).sum() for patch in patches])
    assert np.mean((theirs > 2000) == (patches.edges > 2000)) >= 0.98


@pytest.fixture
def pages(make_page):
    return [
        make_page(f"{number}.png", written(900, 700, distance=60, letter=22, seed=number))
        for number in range(5)
    ]


def test_every_process_cuts_the_same_patches(pages):
    cut = OnPixels(partial(cut_patches, size=256, stride=128), prepare_page)
    alone, together = (list(map_pages(pages, cut, engine)) for engine in (None, Processes(2)))
    for (_, one), (_, other) in zip(alone, together, strict=True):
        assert one.page.page == other.page.page
        assert_array_equal(one.rectangles, other.rectangles)
        assert_array_equal(one.image, other.image)


def test_the_regions_of_patches_cover_the_scan(pages):
    prepared = prepare_page(pages[0], Preparation(canonical=30.0))
    assert 0.4 < prepared.zoom < 0.6
    patches = cut_patches(prepared, size=200, stride=100, min_edges=-1)
    bounds = np.array([region.bounds for region in patches.regions])
    assert_allclose(bounds.min(0)[:2], 0)
    assert_allclose(bounds.max(0)[2:], (900, 700), atol=2)


def test_patches_of_a_mere_array_lie_on_no_scan():
    with pytest.raises(ValueError, match="lie on no scan"):
        _ = cut_patches(PAGE).regions

"""Laws of patches: cover, counts, the best one kept, and the same from every worker."""

from functools import partial

import cv2
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from dgmp.corpora import (
    Preparation,
    binarize,
    cut_patches,
    fit_standardization,
    open_corpus,
    prepare_page,
    read_pages,
)  # fmt: skip
from dgmp.corpora.patches import count_edges, find_edges, window_starts
from dgmp.errors import ImageError

from .conftest import written

PAGE = binarize(written(1300, 900, distance=76, letter=28))


@pytest.mark.parametrize("shape", [(900, 1300), (400, 400), (401, 657), (120, 1000), (30, 40)])
@pytest.mark.parametrize(("size", "stride"), [(400, 256), (100, 100), (64, 200)])
def test_windows_reach_every_edge(shape, size, stride):
    for length in shape:
        starts = window_starts(length, size, stride)
        assert starts[0] == 0
        assert starts[-1] == max(length - size, 0)
        assert len(set(starts)) == len(starts)
        assert np.all(np.diff(starts) <= stride)


def test_the_boxes_of_all_windows_cover_the_page():
    patches = cut_patches(PAGE, min_edges=-1)
    covered = np.zeros(PAGE.shape, bool)
    for left, top, right, bottom in patches.boxes:
        covered[top:bottom, left:right] = True
    assert covered.all()


def test_counts_by_cells_equal_counts_of_each_window():
    tops, lefts = window_starts(900, 200, 77), window_starts(1300, 200, 91)
    counts = count_edges(PAGE, tops, lefts, 200)
    edges = find_edges(PAGE)
    slow = [[cv2.countNonZero(edges[y : y + 200, x : x + 200]) for x in lefts] for y in tops]
    assert_array_equal(counts, slow)


def test_bands_change_next_to_nothing(monkeypatch):
    whole = find_edges(PAGE)
    monkeypatch.setattr("dgmp.corpora.patches._BAND", 200)
    assert np.mean(find_edges(PAGE) != whole) < 1e-4


def test_only_windows_above_the_threshold_are_kept():
    everything = cut_patches(PAGE, min_edges=-1)
    threshold = int(np.median(everything.edges))
    kept = cut_patches(PAGE, min_edges=threshold)
    assert len(kept) == int((everything.edges > threshold).sum())
    assert kept.edges.min() > threshold


def test_a_page_that_would_lose_everything_keeps_its_best_patch():
    everything = cut_patches(PAGE, min_edges=-1)
    best = cut_patches(PAGE, min_edges=10**9)
    assert len(best) == 1
    assert_array_equal(best.boxes[0], everything.boxes[everything.edges.argmax()])


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


def test_patches_are_views():
    patches = cut_patches(PAGE)
    assert all(np.shares_memory(patch, patches.image) for patch in patches)
    assert_array_equal(patches.array(1, 3), [patches[1], patches[2]])


def test_opencv_keeps_the_windows_of_scikit_image():
    from skimage.feature import canny

    canvas = np.full((1500, 2000), 255, np.uint8)  # wide margins: windows of every fill
    canvas[250:1150, 300:1600] = PAGE
    patches = cut_patches(canvas, min_edges=-1)
    theirs = np.array([canny(patch, sigma=3).sum() for patch in patches])
    assert np.mean((theirs > 2000) == (patches.edges > 2000)) >= 0.98


@pytest.fixture
def pages(page_file, corpus_folder):
    for number in range(5):
        page_file(f"{number}.png", written(900, 700, distance=60, letter=22, seed=number))
    page_file("blank.png", np.full((300, 300), 250, np.uint8))
    return open_corpus(corpus_folder).pages


def test_every_worker_cuts_the_same_patches_and_counts_what_it_skips(pages):
    cut = partial(cut_patches, size=256, stride=128)
    alone, together = read_pages(pages, then=cut), read_pages(pages, then=cut, workers=2)
    for one, other in zip(alone, together, strict=True):
        assert one.page.page == other.page.page
        assert_array_equal(one.boxes, other.boxes)
        assert_array_equal(one.image, other.image)
    assert alone.failures == together.failures
    assert [name for name, _ in alone.failures] == ["blank.png"]


def test_boxes_come_back_to_the_scan(pages):
    prepared = prepare_page(pages[0], Preparation(canonical=30.0))
    assert 0.4 < prepared.zoom < 0.6
    patches = cut_patches(prepared, size=200, stride=100, min_edges=-1)
    assert_allclose(patches.page_boxes.min(0)[:2], 0)
    assert_allclose(patches.page_boxes.max(0)[2:], (900, 700), atol=2)


def test_standardised_training_patches_have_mean_zero_and_deviation_one():
    patches = cut_patches(PAGE)
    standard = fit_standardization(patches)
    numbers = standard(patches.array())
    assert numbers.dtype == np.float32
    assert_allclose((numbers.mean(dtype=float), numbers.std(dtype=float)), (0, 1), atol=1e-5)


def test_the_order_of_patches_does_not_change_the_standardisation():
    patches = list(cut_patches(PAGE))
    assert fit_standardization(patches) == fit_standardization(patches[::-1])

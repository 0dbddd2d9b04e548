"""Short vectors in cells."""

import numpy as np

from dgmp.hands.many.cells import Cells, find_cells

from ..writers import unit


def vectors(number, seed=0):
    generator = np.random.default_rng(seed)
    return unit(generator.standard_normal((number, 16))).astype(np.float16)


def test_every_page_is_in_one_cell():
    cells = find_cells(vectors(500))
    assert sorted(cells.order.tolist()) == list(range(500))
    assert (cells.starts[0], cells.starts[-1]) == (0, 500)


def test_a_page_is_in_the_cell_whose_centre_is_nearest():
    pages = vectors(300)
    cells = find_cells(pages)
    of_page = np.empty(300, int)
    of_page[cells.order] = np.repeat(np.arange(len(cells.centres)), np.diff(cells.starts))
    nearest = np.argmax(pages.astype(np.float32) @ cells.centres.T, axis=1)
    np.testing.assert_array_equal(of_page, nearest)


def test_pages_far_apart_from_each_other_lie_in_cells_of_their_own():
    centres = np.eye(16, dtype=np.float16)
    pages = np.repeat(centres, 40, axis=0) + 0.01 * vectors(640)
    cells = find_cells(pages.astype(np.float16))
    for start, end in zip(cells.starts, cells.starts[1:], strict=False):
        assert len(set((cells.order[start:end] // 40).tolist())) <= 1


def test_one_page_is_one_cell():
    cells = find_cells(vectors(1))
    assert (cells.order.tolist(), cells.starts[-1]) == ([0], 1)


def test_cells_come_back_as_they_were_saved(tmp_path):
    cells = find_cells(vectors(100))
    cells.save(tmp_path / "cells.npz")
    found = Cells.load(tmp_path / "cells.npz")
    np.testing.assert_array_equal(found.centres, cells.centres)
    np.testing.assert_array_equal(found.order, cells.order)
    np.testing.assert_array_equal(found.starts, cells.starts)


def test_progress_is_told_for_all_pages():
    done = []
    find_cells(vectors(300), done.append)
    assert sum(done) == 300

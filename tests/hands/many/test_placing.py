"""Pages placed a block at a time."""

import pickle

import numpy as np
import pytest

from dgmp.catalogue import Catalogue, load_projection, pages_in_order
from dgmp.hands import Background
from dgmp.hands.evidence import part
from dgmp.hands.many.placing import Placing, block_size, blocks_of

from .conftest import catalogue_of


@pytest.fixture
def placing(tmp_path, collection, fitted):
    pages = collection[0]
    catalogue = catalogue_of(tmp_path / "c", pages)
    background = Background.of(part(pages, np.arange(50)), len(pages.page_ids), fitted)
    ids, places, _ = pages_in_order(catalogue)
    (block,) = blocks_of(ids, places, 96)
    return Placing.fit(catalogue, background, block, tmp_path), block


def test_a_block_holds_the_vectors_of_the_background_but_for_rounding(placing):
    placing, block = placing
    found = placing(block)
    expected = placing.background.place(Catalogue.open(placing.folder).descriptors())
    vectors = found.vectors * found.numbers[:, :1]
    np.testing.assert_allclose(
        vectors @ vectors.T, expected.vectors @ expected.vectors.T, atol=0.02
    )
    np.testing.assert_allclose(found.numbers[:, 1], expected.reliability)
    np.testing.assert_allclose(found.numbers[:, 2], expected.strangeness)


def test_short_vectors_point_where_the_placed_ones_do(placing):
    placing, block = placing
    found = placing(block)
    long, short = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (
        found.vectors.astype(np.float64), found.shorts.astype(np.float64)
    ))  # fmt: skip
    np.testing.assert_allclose(short @ short.T, long @ long.T, atol=2e-3)  # 96 entries: all kept


def test_what_was_learned_is_kept(placing, tmp_path):
    placing, _ = placing
    kept = load_projection(tmp_path, 96)
    assert kept is not None
    assert (kept.matrix is None) is (placing.projection.matrix is None)


def test_placing_travels_to_other_processes(placing):
    placing, block = placing
    there = pickle.loads(pickle.dumps(placing))
    np.testing.assert_array_equal(there(block).vectors, placing(block).vectors)


@pytest.mark.parametrize("dim", [64, 2_048, 35_072, 10**6])
def test_blocks_of_any_width_are_bounded(dim):
    size = block_size(dim)
    assert size * dim * 4 <= max(2**27, 256 * dim * 4)

"""Pages placed a block at a time."""

import pickle

import numpy as np
import pytest

from dgmp.catalogue import pages_in_order
from dgmp.hands import Background
from dgmp.hands.evidence import part
from dgmp.hands.many.placing import Placing, block_size, blocks_of

from .conftest import catalogue_of


@pytest.fixture
def placing(tmp_path, collection, fitted):
    pages = collection[0]
    catalogue = catalogue_of(tmp_path / "c", pages)
    background = Background.of(part(pages, np.arange(50)), len(pages.page_ids), fitted)
    ids, places = pages_in_order(catalogue)
    (block,) = blocks_of(ids, places, 96)
    return Placing.fit(catalogue, background, places, tmp_path), block


def test_a_block_holds_the_vectors_of_the_background_but_for_rounding(placing):
    placing, block = placing
    found = placing(block)
    descriptors = placing_descriptors(placing, block)
    expected = placing.background.place(descriptors)
    vectors = found.vectors * found.numbers[:, :1]
    np.testing.assert_allclose(
        vectors @ vectors.T, expected.vectors @ expected.vectors.T, atol=0.02
    )
    np.testing.assert_allclose(found.numbers[:, 1], expected.reliability)
    np.testing.assert_allclose(found.numbers[:, 2], expected.strangeness)


def placing_descriptors(placing, block):
    from dgmp.catalogue import Catalogue
    from dgmp.hands.many.placing import _described

    return _described(Catalogue.open(placing.folder), block)


def test_short_vectors_point_where_the_placed_ones_do(placing):
    placing, block = placing
    found = placing(block)
    long, short = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (
        found.vectors.astype(np.float64), found.shorts.astype(np.float64)
    ))  # fmt: skip
    np.testing.assert_allclose(short @ short.T, long @ long.T, atol=2e-3)  # 96 entries: all kept


def test_what_was_learned_is_not_learned_again(placing, tmp_path):
    placing, block = placing
    (tmp_path / "short.npz").touch()
    assert placing(block).shorts.shape == (len(block.page_ids), 96)


def test_placing_travels_to_other_processes(placing):
    placing, block = placing
    there = pickle.loads(pickle.dumps(placing))
    np.testing.assert_array_equal(there(block).vectors, placing(block).vectors)


@pytest.mark.parametrize("dim", [64, 2_048, 35_072, 10**6])
def test_blocks_of_any_width_are_bounded(dim):
    size = block_size(dim)
    assert size * dim * 4 <= max(2**27, 256 * dim * 4)

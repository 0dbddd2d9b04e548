"""Pieces of pages: their shares are sums, they do not overlap, the strongest come first."""

import numpy as np
import pytest

from dgmp.classical import Contributions, WordShares, pair_shares
from dgmp.describers import (
    contributions_of,
    load_describer,
    on_page,
    piece_vectors,
    share_cosine,
    strongest_pieces,
    unlike_first,
)
from dgmp.pixels import PageImage

from .small_pages import page

SIDE = 20.0


def random_page(seed, keypoints=300, words=6, block=4):
    """Keypoints anywhere on 200 × 150 pixels, half of them in each of two vocabularies' words."""
    rng = np.random.default_rng(seed)
    found = []
    for word in range(words):
        members = np.sort(rng.choice(keypoints, keypoints // 3, replace=False))
        shares = rng.standard_normal((len(members), block)).astype(np.float32)
        found.append(WordShares(word * block, members, shares))
    positions = (rng.random((keypoints, 2)) * (200, 150)).astype(np.float32)
    return Contributions(positions, tuple(found), SIDE)


ONE, OTHER = random_page(1), random_page(2)
SHARES = pair_shares(ONE, OTHER).toarray()
FOUND = share_cosine(ONE, OTHER, 5)


def in_piece(middle, part):
    return (np.abs(part.positions - middle) <= SIDE / 2).all(axis=1)


@pytest.mark.parametrize("pairs", [FOUND.same, FOUND.against], ids=["same", "against"])
def test_the_share_of_a_pair_is_the_sum_over_its_keypoints(pairs):
    assert len(pairs) == 5
    for first, second, share in zip(pairs.first, pairs.second, pairs.shares, strict=True):
        wanted = SHARES[in_piece(first, ONE)][:, in_piece(second, OTHER)].sum()
        assert share == pytest.approx(wanted, rel=1e-4)


def test_no_pair_of_keypoints_counts_twice():
    times = np.zeros(SHARES.shape, int)
    for pairs in (FOUND.same, FOUND.against):
        for first, second in zip(pairs.first, pairs.second, strict=True):
            times[np.ix_(in_piece(first, ONE), in_piece(second, OTHER))] += 1
    assert times.max() == 1


def test_the_shown_pairs_and_all_others_add_up_to_the_total():
    rest = SHARES.copy()
    for pairs in (FOUND.same, FOUND.against):
        for first, second in zip(pairs.first, pairs.second, strict=True):
            rest[np.ix_(in_piece(first, ONE), in_piece(second, OTHER))] = 0
    shown = FOUND.same.shares.sum() + FOUND.against.shares.sum()
    assert shown + rest.sum() == pytest.approx(FOUND.total, rel=1e-4)


@pytest.mark.parametrize("pairs", [FOUND.same, FOUND.against], ids=["same", "against"])
def test_pieces_of_one_kind_do_not_overlap_on_either_page(pairs):
    for middles in (pairs.first, pairs.second):
        apart = np.abs(middles[:, None] - middles).max(axis=2)
        assert apart[~np.eye(len(apart), dtype=bool)].min() > SIDE


def test_the_strongest_come_first():
    assert (np.diff(FOUND.same.shares) <= 0).all()
    assert (np.diff(FOUND.against.shares) >= 0).all()
    assert FOUND.same.shares.min() > 0 > FOUND.against.shares.max()


def test_the_other_way_round_the_pairs_are_the_same():
    turned = share_cosine(OTHER, ONE, 5)
    assert turned.total == pytest.approx(FOUND.total, rel=1e-4)
    np.testing.assert_allclose(turned.same.shares, FOUND.same.shares, rtol=1e-4)
    np.testing.assert_array_equal(turned.same.first, FOUND.same.second)


def test_pages_without_a_common_word_have_no_pairs():
    found = share_cosine(ONE, OTHER.placed(1000, 1.0), 5)
    assert (found.total, len(found.same), len(found.against)) == (0, 0, 0)


def test_the_strongest_pieces_of_a_page_have_the_sums_of_their_keypoints():
    values = ONE.to(np.random.default_rng(3).standard_normal(24))
    middles, sums = strongest_pieces(ONE, values, 6)
    assert len(sums) == 6
    assert (np.diff(sums) <= 0).all()
    for middle, total in zip(middles, sums, strict=True):
        assert total == pytest.approx(values[in_piece(middle, ONE)].sum())


def test_what_a_piece_adds_to_a_vector_is_the_sum_of_its_keypoints():
    middles, _ = strongest_pieces(ONE, ONE.to(np.ones(24)), 3)
    for middle, vector in zip(middles, piece_vectors(ONE, middles, 24), strict=True):
        wanted = ONE.sums(in_piece(middle, ONE)[None].astype(float), 24)[0]
        np.testing.assert_allclose(vector, wanted, atol=1e-4)


def test_of_pieces_that_look_alike_one_comes_first():
    vectors = np.eye(4, dtype=np.float32)[[0, 0, 1, 1, 2]]
    assert unlike_first(vectors) == [0, 2, 4, 1, 3]


def test_a_piece_lies_on_the_scan_where_it_lies_on_the_prepared_page():
    image = page()
    half = PageImage(image.page, image.pixels, zoom=0.5, offset=(100.0, 30.0))
    middle, corner = on_page(half, np.array([[60, 50], [0, 0]], np.float32), SIDE)
    assert middle.bounds == (200, 110, 240, 150)
    assert corner.bounds == (100, 30, 120, 50)


def test_a_fused_describer_has_the_shares_of_its_parts(fused, images):
    vector, part = fused.describe_page(images[0]), contributions_of(fused, images[0])
    total = part.sums(np.ones((1, len(part.positions))), fused.dim)[0]
    strokes = fused.parts[0].dim
    there = total != 0
    assert not there[strokes:].any()
    np.testing.assert_allclose(total[there], vector[there], atol=1e-5)


def test_a_describer_of_whole_pages_has_no_pieces(images):
    assert contributions_of(load_describer("obif"), images[0]) is None

"""What keypoints add to a VLAD vector, and their pairs to a cosine: shares add up."""

from dataclasses import replace

import numpy as np
import pytest

from dgmp.classical import (
    ClassicalDescriber,
    Sketch,
    SrsLbp,
    VladConfig,
    finish_encoding,
    fit_hard_whitening,
    fit_rootsift_vlad,
    fit_soft_whitening,
    fit_vlad,
    joined,
    pair_shares,
    three_looks,
    vlad_contributions,
)
from dgmp.errors import ImageError

RNG = np.random.default_rng(0)
LOCAL = RNG.random((2000, 24), np.float32)
PAGES = [RNG.random((count, 24), np.float32) for count in (90, 200, 5)]
CONFIG = VladConfig(dim=8, words=10, vocabularies=2)
PLAIN = {how: fit_vlad(LOCAL, replace(CONFIG, aggregation=how)) for how in ("sum", "gmp")}
WHITENING = fit_soft_whitening(
    np.stack([PLAIN["gmp"].encode(LOCAL[start : start + 50]) for start in range(0, 2000, 50)]),
    rank=12,
)


def taken_apart(local, vlad=PLAIN["gmp"], whitening=WHITENING):
    vector, scale = finish_encoding(vlad.encode(local), whitening)
    positions = RNG.random((len(local), 2), np.float32)
    return vector, vlad_contributions(vlad, local, positions, 50.0, vector, scale)


def all_of(part, dim):
    return part.sums(np.ones((1, len(part.positions))), dim)[0]


def filled(part, dim):
    """Where the words lie that have keypoints."""
    found = np.zeros(dim, bool)
    for word in part.words:
        found[word.block] = True
    return found


@pytest.mark.parametrize("whitening", [None, WHITENING], ids=["plain", "whitened"])
@pytest.mark.parametrize("how", ["sum", "gmp"])
@pytest.mark.parametrize("power", [0.5, 1.0, 0.3])
def test_shares_add_up_to_the_vector_at_every_word_with_keypoints(how, whitening, power):
    vlad = replace(PLAIN[how], config=replace(PLAIN[how].config, power=power))
    for local in PAGES:
        vector, part = taken_apart(local, vlad, whitening)
        there = filled(part, len(vector))
        np.testing.assert_allclose(all_of(part, len(vector))[there], vector[there], atol=1e-6)


def test_the_product_with_any_vector_is_that_of_all_shares():
    vector, part = taken_apart(PAGES[0])
    other = RNG.random(len(vector))
    assert part.to(other).sum() == pytest.approx(all_of(part, len(vector)) @ other, abs=1e-5)


def test_pairs_add_up_to_the_cosine_at_words_that_both_pages_have():
    one, first = taken_apart(PAGES[0])
    other, second = taken_apart(PAGES[2])
    both = filled(first, len(one)) & filled(second, len(one))
    assert not both.all()
    assert pair_shares(first, second).sum() == pytest.approx(one[both] @ other[both], abs=1e-6)


def test_the_share_of_a_pair_is_the_product_of_its_shares_summed_over_words():
    _, first = taken_apart(PAGES[0][:20])
    _, second = taken_apart(PAGES[1][:30])
    ours, theirs = (
        part.sums(np.eye(len(part.positions)), PLAIN["gmp"].dim) for part in (first, second)
    )
    wanted = ours @ theirs.T
    np.testing.assert_allclose(pair_shares(first, second).toarray(), wanted, atol=1e-6)


def test_pages_without_a_common_word_have_no_pairs():
    _, part = taken_apart(PAGES[0])
    assert pair_shares(part, part.placed(PLAIN["gmp"].dim, 1.0)).nnz == 0


def test_equal_keypoints_have_equal_shares():
    _, part = taken_apart(np.concatenate([PAGES[0], PAGES[0][:1]]))
    alone = part.sums(np.eye(91)[[0, 90]], PLAIN["gmp"].dim)
    np.testing.assert_allclose(alone[0], alone[1], atol=1e-6)


def test_like_keypoints_add_to_a_cosine_and_opposite_ones_take_from_it():
    # One word, pages of which each has one keypoint on either side of it and many on neither.
    vlad = fit_vlad(LOCAL, VladConfig(dim=8, words=1, vocabularies=1))
    _, part = taken_apart(PAGES[1], vlad, None)
    residuals = vlad.residuals(PAGES[1])[1].astype(np.float64)
    likeness = residuals @ residuals.T
    shares = pair_shares(part, part).toarray()
    assert np.corrcoef(likeness.ravel(), shares.ravel())[0, 1] > 0.5


def test_a_page_without_keypoints_has_no_shares():
    _, part = taken_apart(PAGES[0][:0])
    assert part.words == ()


def test_joined_parts_keep_their_shares():
    _, part = taken_apart(PAGES[0])
    dim = PLAIN["gmp"].dim
    both = joined([part, part.placed(dim, 0.5)])
    single = all_of(part, dim)
    np.testing.assert_allclose(
        all_of(both, 2 * dim), np.concatenate([single, single / 2]), atol=1e-6
    )
    assert len(both.positions) == 2 * len(part.positions)


@pytest.fixture(scope="module")
def strokes(pages):
    """A describer of three looks, fitted in a moment."""
    looks = three_looks(VladConfig(dim=8, words=4, sample=2000), (1, 1, 1))
    features, vectors = fit_rootsift_vlad(pages, looks)
    return ClassicalDescriber("strokes", features, finish=fit_soft_whitening(vectors))


def test_the_shares_of_a_page_add_up_to_its_vector(strokes, pages):
    vector, part = strokes.describe_page(pages[0]), strokes.contributions(pages[0])
    there = filled(part, len(vector))
    np.testing.assert_allclose(all_of(part, len(vector))[there], vector[there], atol=1e-5)


def test_a_look_that_finds_nothing_leaves_its_share_to_the_others(strokes, pages):
    sifts = strokes.features.sifts
    features = replace(
        strokes.features, sifts=(sifts[0], replace(sifts[1], contrast=1e4), *sifts[2:])
    )
    describer = ClassicalDescriber("half blind", features)
    vector, part = describer.describe_page(pages[0]), describer.contributions(pages[0])
    there = filled(part, len(vector))
    assert not vector[~there].any()
    np.testing.assert_allclose(all_of(part, len(vector))[there], vector[there], atol=1e-5)


def test_vectors_that_are_no_sums_over_keypoints_have_no_shares(strokes, pages):
    sketched = replace(strokes, sketch=Sketch(strokes.features.dim, 20), finish=None)
    vectors = np.stack([strokes.features(page.pixels) for page in pages])
    projected = replace(strokes, finish=fit_hard_whitening(vectors, 4))
    texture = ClassicalDescriber("texture", SrsLbp())
    for describer in (sketched, projected, texture):
        assert describer.contributions(pages[0]) is None


def test_a_page_without_ink_is_refused(strokes, pages):
    with pytest.raises(ImageError, match="too little ink"):
        strokes.contributions(replace(pages[0], pixels=np.full((200, 200), 255, np.uint8)))

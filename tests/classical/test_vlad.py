from dataclasses import replace

import numpy as np
import pytest

from dgmp.classical import VladConfig, encode_pages, fit_pages_vlad, fit_vlad

RNG = np.random.default_rng(0)
LOCAL = RNG.random((3000, 32), np.float32)
PAGE = RNG.random((260, 32), np.float32)
CONFIG = VladConfig(dim=12, words=10, vocabularies=2, power=1.0)
FITTED = {how: fit_vlad(LOCAL, replace(CONFIG, aggregation=how)) for how in ("sum", "gmp")}


def slow_encoding(vlad, local, aggregate):
    whitened = vlad.whitening(local).astype(np.float64)
    blocks = []
    for centres in vlad.centres.astype(np.float64):
        nearest = ((whitened[:, None] - centres) ** 2).sum(2).argmin(1)
        for word, centre in enumerate(centres):
            residuals = whitened[nearest == word] - centre
            blocks.append(aggregate(residuals) if len(residuals) else np.zeros(len(centre)))
    vector = np.concatenate(blocks)
    return vector / np.linalg.norm(vector)


def ridge_regression(residuals):
    ridge = np.square(residuals).sum(1).mean()
    gram = residuals.T @ residuals + ridge * np.eye(residuals.shape[1])
    return np.linalg.solve(gram, residuals.sum(0))


@pytest.mark.parametrize("count", [1, 7, 260])
@pytest.mark.parametrize(
    ("how", "aggregate"), [("sum", lambda r: r.sum(0)), ("gmp", ridge_regression)]
)
def test_an_encoding_is_that_of_a_plain_loop_over_words(how, aggregate, count):
    wanted = slow_encoding(FITTED[how], PAGE[:count], aggregate)
    np.testing.assert_allclose(FITTED[how].encode(PAGE[:count]), wanted, atol=2e-5)


def test_a_large_ridge_tends_to_sums():
    # Up to a factor per word, its number of residuals, which unit length does not take away.
    gmp = replace(FITTED["gmp"], config=replace(CONFIG, ridge=1e5)).encode(PAGE)
    plain = FITTED["sum"].encode(PAGE)
    for a, b in zip(gmp.reshape(-1, 12), plain.reshape(-1, 12), strict=True):
        assert a @ b >= (1 - 1e-4) * np.linalg.norm(a) * np.linalg.norm(b)


@pytest.mark.parametrize("how", ["sum", "gmp"])
def test_the_order_of_local_descriptors_does_not_matter(how):
    vector = FITTED[how].encode(PAGE)
    np.testing.assert_allclose(FITTED[how].encode(PAGE[::-1].copy()), vector, atol=1e-5)


def test_a_page_without_local_descriptors_has_a_vector_of_zeros():
    vector = FITTED["gmp"].encode(PAGE[:0])
    assert vector.shape == (FITTED["gmp"].dim,)
    assert not vector.any()


def test_the_square_root_flattens_and_length_stays_one():
    rooted = replace(FITTED["gmp"], config=replace(CONFIG, power=0.5)).encode(PAGE)
    plain = FITTED["gmp"].encode(PAGE)
    assert abs(np.linalg.norm(rooted) - 1) < 1e-5
    np.testing.assert_array_equal(np.sign(rooted), np.sign(plain))
    assert np.abs(rooted).max() < np.abs(plain).max()


def test_bands_are_encoded_after_the_pages():
    pages = [PAGE[:100], PAGE[100:], PAGE[:1]]
    vlad = fit_pages_vlad(pages, CONFIG)
    vectors = encode_pages(vlad, pages, 2)
    wanted = [*pages, PAGE[:50], PAGE[50:100], PAGE[100:180], PAGE[180:], PAGE[:1], PAGE[:0]]
    alone = np.stack([vlad.encode(part) for part in wanted])
    np.testing.assert_allclose(vectors, alone, atol=1e-5)
    assert not vectors[-1].any()


def test_the_seed_decides_the_vocabularies():
    again = fit_vlad(LOCAL, CONFIG)
    other = fit_vlad(LOCAL, CONFIG, seed=1)
    np.testing.assert_array_equal(again.centres, FITTED["gmp"].centres)
    assert not np.allclose(other.centres, again.centres)
    assert not np.allclose(again.centres[0], again.centres[1])


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="10 words need"):
        fit_vlad(LOCAL[:5], CONFIG)
    with pytest.raises(ValueError, match=r"shape \(positions, 32\)"):
        FITTED["gmp"].encode(PAGE[:, :5])
    with pytest.raises(ValueError, match="sum, gmp"):
        VladConfig(aggregation="max")
    with pytest.raises(ValueError, match="ridge"):
        VladConfig(ridge=0)
    with pytest.raises(ValueError, match="positive"):
        VladConfig(words=0)

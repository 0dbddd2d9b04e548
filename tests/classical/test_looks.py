"""Several looks at a page as one vector."""

import numpy as np
import pytest

from dgmp.classical import (
    Look,
    RootSiftVlad,
    Sift,
    VladConfig,
    fit_looks,
    fit_rootsift_vlad,
    three_looks,
)
from dgmp.errors import CorpusError

CONFIG = VladConfig(dim=8, words=6, sample=2000)
LOOKS = three_looks(CONFIG)
RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def learned(pages):
    return fit_rootsift_vlad(pages, LOOKS, seed=1, bands=2)


def test_every_vocabulary_counts_alike(learned, pages):
    features, _ = learned
    two = [features.look(page.pixels) for page in (pages[0], pages[5])]
    whole = np.stack([features.encode(local) for local in two])
    shares = [vlad.config.vocabularies / 5 for vlad in features.vlads]
    parts = [
        np.stack([vlad.encode(local[number]) for local in two])
        for number, vlad in enumerate(features.vlads)
    ]
    cosines = [part[0] @ part[1] for part in parts]
    assert shares == [0.4, 0.4, 0.2]
    assert whole[0] @ whole[1] == pytest.approx(np.dot(shares, cosines), abs=1e-5)
    np.testing.assert_allclose(np.linalg.norm(whole, axis=1), 1, atol=1e-5)


def test_fitting_gives_the_vectors_of_pages_then_of_their_bands(learned, pages):
    features, vectors = learned
    assert vectors.shape == (3 * len(pages), features.dim)
    # Local descriptors are kept in half precision: the same but for rounding.
    for number in (0, 7):
        assert vectors[number] @ features(pages[number].pixels) > 0.998
    upper = [np.array_split(local, 2)[0] for local in features.look(pages[0].pixels)]
    assert vectors[len(pages)] @ features.encode(upper) > 0.998


def test_a_look_that_finds_nothing_leaves_the_others(learned, pages):
    features, _ = learned
    local = list(features.look(pages[0].pixels))
    local[1] = local[1][:0]
    vector = features.encode(local)
    first, second, _ = np.split(vector, np.cumsum([vlad.dim for vlad in features.vlads])[:2])
    assert not second.any()
    assert np.linalg.norm(first) > 0.5
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_pages_without_any_keypoint_are_left_out_of_what_is_encoded(learned):
    features, _ = learned
    some = [RNG.random((30, 128), np.float32) for _ in features.sifts]
    none = [local[:0] for local in some]
    assert len(features.encode_pages([some, none], 2)) == 3


def test_one_look_is_plain_vlad(pages):
    look = Look(Sift(), CONFIG)
    local = [[look.sift(page.pixels)] for page in pages]
    features, vectors = fit_looks(local, [look])
    assert isinstance(features, RootSiftVlad)
    np.testing.assert_allclose(vectors[3], features.vlads[0].encode(local[3][0]), atol=1e-5)


def test_one_page_is_too_few(pages):
    with pytest.raises(CorpusError, match="at least two pages with writing, got 1"):
        fit_rootsift_vlad(pages[:1], LOOKS)


def test_too_few_keypoints_of_one_look_are_told(pages):
    many = Look(Sift(), VladConfig(words=6))
    few = Look(Sift(points="extrema", contrast=1e6), VladConfig(words=6))
    with pytest.raises(
        CorpusError, match=r"12 pages gives 0 keypoints \(extrema\), a vocabulary needs 6"
    ):
        fit_rootsift_vlad(pages, [many, few])

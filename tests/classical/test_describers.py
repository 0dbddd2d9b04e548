"""The contract of all features of a page, and several looks at a page as one vector."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from dgmp.classical import (
    ClassicalDescriber,
    CoHinge,
    Hinge,
    Look,
    Obif,
    RootSiftVlad,
    Sift,
    SrsLbp,
    VladConfig,
    fit_looks,
    fit_rootsift_vlad,
    fit_soft_whitening,
    three_looks,
)
from dgmp.errors import CorpusError, ImageError

FEATURES = [SrsLbp(), Obif(), Hinge(), CoHinge()]
CONFIG = VladConfig(dim=8, words=6, sample=2000)
LOOKS = three_looks(CONFIG)
RNG = np.random.default_rng(0)


@pytest.mark.parametrize("features", FEATURES, ids=lambda f: type(f).__name__)
def test_vectors_have_unit_length_and_the_stated_width(features, pages):
    vector = features(pages[0].pixels)
    assert vector.shape == (features.dim,)
    assert vector.dtype == np.float32
    assert abs(np.linalg.norm(vector) - 1) < 1e-5


@pytest.mark.parametrize("features", FEATURES, ids=lambda f: type(f).__name__)
def test_an_empty_page_gives_zeros(features):
    assert not features(np.full((64, 64), 255, np.uint8)).any()


@pytest.mark.parametrize("features", FEATURES, ids=lambda f: type(f).__name__)
def test_more_paper_around_changes_nothing(features, pages):
    page = np.pad(pages[0].pixels, 100, constant_values=255)
    more = np.pad(page, 40, constant_values=255)
    np.testing.assert_allclose(features(page), features(more), atol=1e-4)


@pytest.mark.parametrize("features", FEATURES, ids=lambda f: type(f).__name__)
def test_pages_by_one_writer_are_more_alike(features, pages):
    vectors = np.stack([features(page.pixels) for page in pages])
    writers = np.array([page.page.writer for page in pages])
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1)
    assert (writers[cosines.argmax(1)] == writers).mean() > 0.9


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


def test_halves_are_those_of_the_keypoints_of_every_look(learned, pages):
    features, _ = learned
    pixels = pages[0].pixels
    local = features.look(pixels)
    upper, lower = zip(*(np.array_split(look, 2) for look in local), strict=True)
    wanted = [features(pixels), features.encode(upper), features.encode(lower)]
    np.testing.assert_allclose(features.with_halves(pixels), wanted, atol=1e-5)


def test_halves_of_an_empty_page_are_zeros(learned):
    features, _ = learned
    vectors = features.with_halves(np.full((64, 64), 255, np.uint8))
    assert vectors.shape == (3, features.dim)
    assert not vectors.any()


def test_halves_of_local_descriptors_are_those_of_the_page(learned, pages):
    features, _ = learned
    pixels = pages[0].pixels
    local = [look.astype(np.float16) for look in features.look(pixels)]
    found = features.encode_halves(local)
    assert (found * features.with_halves(pixels)).sum(axis=1).min() > 0.998


def describer_of(kind, learned):
    """A describer whose vectors are changed a little after the features."""
    features, vectors = learned
    if kind == "rootsift":
        return ClassicalDescriber(kind, features, None, fit_soft_whitening(vectors, rank=8))
    return ClassicalDescriber(kind, {"srs-lbp": SrsLbp(), "hinge": Hinge()}[kind])


EVERY_KIND = pytest.mark.parametrize("kind", ["rootsift", "srs-lbp", "hinge"])


@EVERY_KIND
def test_the_first_of_a_page_and_its_halves_is_the_page(kind, learned, pages):
    describer = describer_of(kind, learned)
    found = describer.describe_halves(pages[0])
    assert found.shape == (3, describer.dim)
    np.testing.assert_allclose(found[0], describer.describe_page(pages[0]), atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)


@dataclass(frozen=True)
class Tall:
    """Features that see something only on pages that are high enough."""

    least: int
    dim = 2

    def __call__(self, pixels):
        return np.array([1, 0] if len(pixels) >= self.least else [0, 0], np.float32)


def test_a_half_with_nothing_to_describe_is_zeros(pages):
    found = ClassicalDescriber("tall", Tall(len(pages[0].pixels))).describe_halves(pages[0])
    assert found.tolist() == [[1, 0], [0, 0], [0, 0]]


@EVERY_KIND
def test_blank_paper_below_the_writing_does_not_empty_a_half(kind, learned, pages):
    describer = describer_of(kind, learned)
    longer = np.pad(pages[0].pixels, ((0, 400), (0, 0)), constant_values=255)
    found = describer.describe_halves(replace(pages[0], pixels=longer))
    cosines = (found * describer.describe_halves(pages[0])).sum(axis=1)
    assert cosines.min() > 0.95


@EVERY_KIND
def test_the_halves_of_a_page_without_ink_are_refused_by_its_name(kind, learned, pages):
    blank = replace(pages[0], pixels=np.full((64, 64), 255, np.uint8))
    with pytest.raises(ImageError, match=r"0/0\.png: too little ink"):
        describer_of(kind, learned).describe_halves(blank)


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


def test_too_few_keypoints_of_one_look_are_refused(pages):
    many = Look(Sift(), VladConfig(words=6))
    few = Look(Sift(points="extrema", contrast=1e6), VladConfig(words=6))
    with pytest.raises(
        CorpusError, match=r"12 pages gives 0 keypoints \(extrema\), a vocabulary needs 6"
    ):
        fit_rootsift_vlad(pages, [many, few])

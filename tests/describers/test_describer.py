"""Pages described and classified one by one; those that cannot be are left out with a reason."""

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dgmp.corpora import open_corpus
from dgmp.describers import (
    LearnedClassifier,
    LearnedDescriber,
    classify_pages,
    describe_pages,
    full_spec,
    gather,
    page_and_halves,
    reader,
)
from dgmp.engines import engine_for
from dgmp.errors import CorpusError, ImageError
from dgmp.pixels import ink_middle, prepare_page
from dgmp.sources import FileSource

from .means import Means
from .small_pages import page

CLASSES = ("Caroline", "Cursiva", "Uncial")


@pytest.fixture(scope="module")
def pages(hands):
    """Six pages, the second of which is not there."""
    found = list(open_corpus(hands).pages[:6])
    found[1] = replace(found[1], id="broken", source=FileSource(Path("missing.png")))
    return found


@pytest.fixture
def classifier(tiny):
    return LearnedClassifier(tiny(classes=CLASSES))


@pytest.fixture(scope="module", params=[0, 2], ids=["here", "two processes"])
def described(request, pages):
    """The pages with their halves, by so many workers."""
    return describe_pages(pages, Means(), halves=True, engine=engine_for(request.param))


def test_vectors_come_in_the_order_of_the_pages(pages, described):
    expected = [Means().describe_page(reader(Means())(page)) for page in described.pages]
    assert described.descriptors.page_ids == tuple(page.id for page in pages if page != pages[1])
    np.testing.assert_array_equal(described.descriptors.vectors, np.stack(expected))


class MeansWithHalves(Means):
    """Another describer of halves than the plain one."""

    def describe_halves(self, image):
        return np.array([[1, 0, 0, 0], [0.6, 0.8, 0, 0], [1, 0, 0, 0]], np.float32)


def test_the_halves_of_a_page_are_described_like_pages(pages):
    image = reader(Means())(pages[0])
    vector, cosine = page_and_halves(Means(), image)
    upper, lower = (
        Means().describe_page(replace(image, pixels=half))
        for half in np.split(image.pixels, [ink_middle(image.pixels)])
    )
    np.testing.assert_array_equal(vector, Means().describe_page(image))
    assert cosine == pytest.approx(float(upper @ lower))


def test_a_describer_of_halves_is_asked_for_them(pages):
    vector, cosine = page_and_halves(MeansWithHalves(), reader(Means())(pages[0]))
    assert vector.tolist() == [1, 0, 0, 0]
    assert cosine == pytest.approx(0.6)


def test_a_page_with_an_empty_half_has_no_cosine_of_halves(needs_a_page, images):
    vector, cosine = page_and_halves(needs_a_page, images[0])
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert np.isnan(cosine)


class Tall(Means):
    """A describer of pages with 100 rows or more."""

    def describe_page(self, image):
        if len(image.pixels) < 100:
            raise ImageError(image.page.id, "too small")
        return super().describe_page(image)


def test_a_half_that_cannot_be_described_gives_no_cosine(images):
    vector, cosine = page_and_halves(Tall(), images[0])
    assert vector.any()
    assert np.isnan(cosine)


def test_the_halves_of_a_page_are_those_of_its_writing(tiny):
    describer, image = LearnedDescriber(tiny()), page(190, 260)
    longer = replace(image, pixels=np.pad(image.pixels, ((0, 400), (0, 0)), constant_values=255))
    cosine = page_and_halves(describer, image)[1]
    assert page_and_halves(describer, longer)[1] == pytest.approx(cosine, abs=0.05)


def test_halves_come_in_the_order_of_the_pages(described):
    wanted = [page_and_halves(Means(), reader(Means())(page))[1] for page in described.pages]
    np.testing.assert_allclose(described.descriptors.halves, wanted, atol=1e-6)


def test_halves_change_no_vector(pages):
    plain, both = (describe_pages(pages, Means(), halves=halves) for halves in (False, True))
    np.testing.assert_array_equal(plain.descriptors.vectors, both.descriptors.vectors)
    assert plain.descriptors.halves is None


def test_pages_that_cannot_be_described_are_named_with_their_reason(pages):
    described = describe_pages(pages, Means())
    assert described.failures == (("broken", "missing: there is no such file"),)


def test_progress_counts_broken_pages_too(pages):
    done = []
    describe_pages(pages, Means(), progress=done.append)
    assert sum(done) == len(pages)


def test_writers_are_the_labels_where_all_are_known(pages):
    found = describe_pages(pages, Means())
    assert found.descriptors.labels == tuple(page.writer for page in found.pages)


def test_there_are_no_labels_where_a_writer_is_unknown(pages):
    unknown = replace(pages[0], writer=None)
    assert describe_pages([unknown, *pages[1:]], Means()).descriptors.labels is None


def test_pages_that_are_prepared_already_are_read_by_the_given_function(pages):
    blank = replace(prepare_page(pages[0]), pixels=np.full((8, 8), 200, np.uint8))
    found = describe_pages(pages[:1], Means(), read=lambda page: blank)
    np.testing.assert_allclose(found.descriptors.vectors, 0.5)


def test_if_no_page_can_be_described_the_first_reason_is_given(pages):
    with pytest.raises(CorpusError, match=r"none of 1 pages could be described.*broken.*missing"):
        describe_pages(pages[1:2], Means())


def test_no_pages_cannot_be_described():
    with pytest.raises(CorpusError, match="none of 0 pages could be described"):
        describe_pages([], Means())


def test_the_spec_holds_preparation_and_crop(pages):
    spec = full_spec(Means(), crop=16, binarization="otsu")
    found = describe_pages(pages, Means(), crop=16, binarization="otsu")
    assert found.descriptors.spec == spec
    assert spec["preparation"]["binarization"] == "otsu"
    assert spec["crop"] == 16


def test_a_spec_without_crop_does_not_mention_it():
    assert full_spec(Means()) == {"kind": "means", "preparation": vars(Means.preparation)}


def test_a_reader_prepares_as_the_describer_says_and_travels(pages):
    read = pickle.loads(pickle.dumps(reader(Means())))
    expected = prepare_page(pages[0], preparation=Means.preparation)
    np.testing.assert_array_equal(read(pages[0]).pixels, expected.pixels)


def test_another_binarization_takes_the_place_of_the_own(pages):
    pixels = reader(Means(), "otsu")(pages[0]).pixels
    assert set(np.unique(pixels)) == {0, 255}


def test_probabilities_come_in_the_order_of_pages_and_classes(pages, classifier):
    found = classify_pages(pages, classifier)
    each = [classifier.classify_page(reader(classifier)(page)) for page in found.pages]
    assert found.classes == CLASSES
    np.testing.assert_allclose(found.probabilities, each, atol=1e-12)


def test_pages_that_cannot_be_classified_are_named_with_their_reason(pages, classifier):
    found = classify_pages(pages, classifier)
    assert found.failures == (("broken", "missing: there is no such file"),)
    assert len(found.pages) == len(found.probabilities) == len(pages) - 1


def test_if_no_page_can_be_classified_the_first_reason_is_given(pages, classifier):
    with pytest.raises(CorpusError, match=r"none of 1 pages could be classified.*broken.*missing"):
        classify_pages(pages[1:2], classifier)


def test_a_crop_is_all_that_is_classified(pages, classifier):
    whole = classify_pages(pages[:1], classifier).probabilities
    middle = classify_pages(pages[:1], classifier, crop=64).probabilities
    assert not np.allclose(whole, middle, atol=1e-9)


def test_work_is_gathered_page_by_page(pages):
    def width(page):
        if page.id == "broken":
            raise ImageError(page.id, "torn")
        return len(page.id)

    kept, found, failures = gather(pages, width, None, None, "measured")
    assert found == [len(page.id) for page in kept]
    assert failures == (("broken", "torn"),)

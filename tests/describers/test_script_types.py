"""Script types from the vectors of a fused describer: fitted, calibrated, stored."""

from dataclasses import replace

import numpy as np
import pytest

from dgmp.describers import (
    fit_script_types,
    left_out_probabilities,
    save_script_types,
    with_third_part,
)
from dgmp.describers.script_types import load_script_types
from dgmp.errors import CorpusError, DgmpError
from dgmp.records import Page

from .small_pages import page_by

SCRIPTS = ("small", "middling", "large")


@pytest.fixture(scope="module")
def describer(fused):
    return with_third_part(fused)


@pytest.fixture(scope="module")
def pages(images):
    """Two writers of each script, three pages by each: a writer is a manuscript."""
    return [
        replace(
            image.page,
            script=SCRIPTS[int(str(image.page.writer)) // 2],
            manuscript=image.page.writer,
        )
        for image in images
    ]


@pytest.fixture(scope="module")
def vectors(describer, images):
    return np.stack([describer.describe_page(image) for image in images])


@pytest.fixture(scope="module")
def classifier(describer, vectors, pages):
    return fit_script_types(describer, vectors, pages)


def test_new_pages_of_known_manuscripts_are_named_rightly(classifier):
    named = []
    for writer in range(6):
        shares = classifier.classify_page(page_by(writer, 7))
        assert shares.sum() == pytest.approx(1)
        named.append(classifier.classes[shares.argmax()])
    right = [name == SCRIPTS[writer // 2] for writer, name in enumerate(named)]
    assert np.mean(right) > 0.6


def test_vectors_and_pages_give_the_same(classifier, images, vectors):
    one = classifier.classify_page(images[4])
    np.testing.assert_allclose(classifier.classify_vectors(vectors)[4], one, rtol=1e-4)


def test_a_page_that_is_there_twice_changes_nothing(describer, vectors, pages, classifier):
    again = fit_script_types(describer, np.concatenate([vectors, vectors]), pages * 2)
    np.testing.assert_allclose(
        again.classify_vectors(vectors), classifier.classify_vectors(vectors), atol=0.02
    )


def drawn(seed, spread, manuscripts=8):
    """Pages around the means of three classes, some way off for each manuscript."""
    draw = np.random.default_rng(seed)
    centres = 3 * np.eye(3, 20)
    vectors, pages = [], []
    for label in range(3):
        for number in range(manuscripts):
            middle = centres[label] + draw.normal(0, spread, 20)
            for place in range(3):
                name = f"{label} {number} {place}"
                vectors.append(middle + draw.normal(0, 0.2, 20))
                pages.append(Page(name, None, script=str(label), manuscript=name[:-2]))
    return np.array(vectors, np.float32), pages


def test_probabilities_of_left_out_manuscripts_are_as_sure_as_they_are_right():
    vectors, pages = drawn(0, 1.6, manuscripts=40)
    shares = left_out_probabilities(vectors, pages)
    right = shares.argmax(axis=1) == [int(page.script) for page in pages]
    assert 0.5 < right.mean() < 0.95
    assert shares.max(axis=1).mean() == pytest.approx(right.mean(), abs=0.08)


def test_a_manuscript_that_is_left_out_is_not_learned_from():
    vectors, pages = drawn(1, 0.1, manuscripts=2)
    odd = [replace(page, script="2") if page.manuscript == "0 0" else page for page in pages]
    shares = left_out_probabilities(vectors, odd)
    assert (shares[:3].argmax(axis=1) == 0).all()  # what its neighbours are called


def test_a_stored_classifier_gives_the_same_probabilities(classifier, fused, images, tmp_path):
    folder = save_script_types(classifier, tmp_path / "scripts")
    again = load_script_types(folder, fused)
    assert again.classes == classifier.classes == tuple(sorted(SCRIPTS))
    np.testing.assert_array_equal(
        again.classify_page(images[0]), classifier.classify_page(images[0])
    )


def test_a_classifier_is_refused_beside_another_describer(classifier, fused, tmp_path):
    folder = save_script_types(classifier, tmp_path / "scripts")
    strokes, texture = fused.parts
    other = replace(fused, parts=(replace(strokes, finish=None), texture))
    with pytest.raises(DgmpError, match="another default describer than the one here"):
        load_script_types(folder, other)


def test_pages_need_scripts_and_scripts_need_to_differ(describer, vectors, pages):
    with pytest.raises(CorpusError, match="18 pages have no script"):
        fit_script_types(describer, vectors, [replace(page, script=None) for page in pages])
    with pytest.raises(CorpusError, match="two scripts"):
        fit_script_types(describer, vectors, [replace(page, script="one") for page in pages])

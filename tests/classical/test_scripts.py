import numpy as np
import pytest

from dgmp.classical import (
    fit_script_classifier,
    load_classical,
    load_script_classifier,
    save_describer,
    save_script_classifier,
)
from dgmp.errors import CorpusError, DgmpError

from .conftest import page_of


def pages_of(numbers):
    return [
        page_of(writer, n, script=f"script {writer}") for writer in (20, 21, 22) for n in numbers
    ]


@pytest.fixture(scope="module")
def classifier():
    return fit_script_classifier(pages_of(range(4)), describer="srs-lbp")


def test_new_pages_of_known_scripts_are_named_rightly(classifier):
    pages = pages_of(range(10, 13))
    found = np.stack([classifier.classify_page(page) for page in pages])
    np.testing.assert_allclose(found.sum(axis=1), 1)
    named = [classifier.classes[n] for n in found.argmax(axis=1)]
    assert (
        np.mean([name == page.page.script for name, page in zip(named, pages, strict=True)]) > 0.8
    )


def test_two_scripts_make_probabilities_too():
    pages = [page for page in pages_of(range(4)) if page.page.script != "script 22"]
    found = fit_script_classifier(pages, describer="srs-lbp")
    shares = np.stack([found.classify_page(page) for page in pages])
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert [found.classes[n] for n in shares.argmax(1)] == [page.page.script for page in pages]


def test_a_saved_classifier_gives_the_same_probabilities(classifier, tmp_path):
    page = pages_of([10])[0]
    again = load_script_classifier(save_script_classifier(classifier, tmp_path / "run"))
    np.testing.assert_array_equal(again.classify_page(page), classifier.classify_page(page))
    assert again.spec == classifier.spec
    assert again.preparation == classifier.preparation


def test_describers_and_classifiers_are_not_mixed_up(classifier, tmp_path):
    save_script_classifier(classifier, tmp_path / "classifier")
    save_describer(classifier.describer, tmp_path / "describer")
    with pytest.raises(DgmpError, match="does not describe what was fitted"):
        load_classical(tmp_path / "classifier")
    with pytest.raises(DgmpError, match="no script classifier"):
        load_script_classifier(tmp_path / "describer")


def test_pages_need_scripts_and_scripts_need_to_differ():
    with pytest.raises(CorpusError, match="have no script"):
        fit_script_classifier([page_of(0, 0), page_of(0, 1)])
    with pytest.raises(CorpusError, match="two scripts"):
        fit_script_classifier([page_of(0, n, script="one") for n in range(3)], describer="srs-lbp")

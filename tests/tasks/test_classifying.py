"""The scripts of pictures and folders, called from Python."""

import numpy as np
import pytest

from dgmp.corpora import open_corpus
from dgmp.describers import LearnedClassifier, classify_pages, load_classifier
from dgmp.errors import CorpusError, DgmpError
from dgmp.tasks import classify


@pytest.mark.parametrize("kind", ["network", "classical"])
def test_the_probabilities_of_a_page_are_those_of_the_classifier(
    hands, runs, classical_scripts, kind
):
    folder = {"network": runs / "scripts", "classical": classical_scripts}[kind]
    named = classify([hands / "w0_p0.png", hands / "w2_p0.png"], folder)
    pages = [page for page in open_corpus(hands) if page.id in ("w0_p0.png", "w2_p0.png")]
    expected = classify_pages(pages, load_classifier(folder))
    np.testing.assert_allclose(named.probabilities, expected.probabilities)
    assert named.classes == ("Caroline", "Cursiva", "Uncial")
    assert named.failures == ()


def test_a_classifier_may_be_given_itself(hands, tiny):
    classifier = LearnedClassifier(tiny(classes=("a", "b")))
    named = classify([hands / "w0_p0.png"], classifier)
    assert named.classes == ("a", "b")
    assert named.probabilities.sum() == pytest.approx(1)


def test_pages_are_named_as_they_were_given(hands, runs):
    named = classify([hands / "w0_p0.png", hands], runs / "scripts")
    ids = [page.id for page in named.pages]
    assert ids[0] == str(hands / "w0_p0.png")
    assert len(ids) == 1 + 12


def test_what_cannot_be_used_is_told_and_the_rest_is_classified(hands, runs, tmp_path):
    (tmp_path / "broken.png").write_bytes(b"")
    pages = [tmp_path / "broken.png", "nowhere.png", hands / "w0_p0.png"]
    named = classify(pages, runs / "scripts")
    assert len(named.pages) == len(named.probabilities) == 1
    assert [name for name, _ in named.failures] == [str(tmp_path / "broken.png"), "nowhere.png"]


def test_where_nothing_can_be_used_it_is_refused_with_the_reasons(runs):
    with pytest.raises(CorpusError, match=r"no page could be classified: nowhere\.png: there is"):
        classify(["nowhere.png"], runs / "scripts")


def test_a_network_trained_on_writers_is_refused(hands, runs):
    with pytest.raises(DgmpError, match="it has no script classes"):
        classify([hands / "w0_p0.png"], runs / "writers")


def test_the_pages_of_a_folder_share_the_script_of_their_manuscript(hands, runs):
    alone = classify([hands], runs / "scripts")
    together = classify([hands], runs / "scripts", together=True)
    expected = np.repeat(alone.probabilities.mean(axis=0)[None], len(alone.pages), axis=0)
    np.testing.assert_allclose(together.probabilities, expected)
    assert len({*together.named}) == 1


def test_several_image_sizes_are_averaged(hands, runs):
    page = hands / "w0_p0.png"
    sizes = [classify([page], runs / "scripts", sizes=(size,)).probabilities for size in (1, 1.5)]
    both = classify([page], runs / "scripts", sizes=(1, 1.5))
    np.testing.assert_allclose(both.probabilities, np.mean(sizes, axis=0))


def test_below_the_least_probability_nothing_is_said(hands, tiny):
    classifier = LearnedClassifier(tiny(classes=("a", "b")))
    classifier.least = 1.0
    assert classify([hands / "w0_p0.png"], classifier).named == (None,)

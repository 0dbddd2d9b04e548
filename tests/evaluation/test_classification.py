"""Accuracy per page, class and manuscript."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score, confusion_matrix

from dgmp.evaluation import class_table, classification_scores, softmax

CLASSES = ("Caroline", "Cursiva", "Uncial")


def predictions(seed=0, pages=60):
    generator = np.random.default_rng(seed)
    truth = generator.choice(3, size=pages, p=[0.6, 0.3, 0.1])
    truth[:3] = [0, 1, 2]
    return softmax(generator.standard_normal((pages, 3)) + 1.5 * np.eye(3)[truth]), truth


def quick(probabilities, labels, **options):
    return classification_scores(probabilities, labels, resamples=0, **options)


@pytest.mark.parametrize("seed", range(5))
def test_values_are_those_of_scikit_learn(seed):
    shares, truth = predictions(seed)
    predicted = shares.argmax(axis=1)
    scores = quick(shares, truth)
    assert scores.accuracy == pytest.approx(accuracy_score(truth, predicted), abs=1e-12)
    balanced = balanced_accuracy_score(truth, predicted)
    assert scores["balanced_accuracy"] == pytest.approx(balanced, abs=1e-12)
    assert (np.array(scores.confusion) == confusion_matrix(truth, predicted)).all()


def test_labels_may_be_names():
    shares, truth = predictions()
    named = quick(shares, [CLASSES[n] for n in truth], classes=CLASSES)
    assert named.values == quick(shares, truth).values
    assert named.classes == CLASSES
    lines = class_table(named).splitlines()
    assert [line.split()[0] for line in lines] == ["class", *CLASSES]


def test_a_manuscript_is_judged_by_the_mean_of_its_pages():
    shares = [[0.9, 0.1], [0.4, 0.6], [0.45, 0.55], [0.3, 0.7]]
    scores = quick(shares, [0, 0, 0, 1], groups=["m", "m", "m", "n"])
    assert scores.accuracy == 0.5
    assert scores["group_accuracy"] == 1


def test_a_class_without_pages_is_left_out_of_the_balance_and_named():
    scores = quick([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.6, 0.3, 0.1]], [0, 1, 1])
    assert scores["balanced_accuracy"] == 0.75
    assert "no page is of class 2" in scores.notes


def test_the_first_of_equally_probable_classes_is_taken():
    assert quick([[0.5, 0.5], [0.5, 0.5]], [0, 1]).accuracy == 0.5


HALVES = np.full((2, 2), 0.5)
BAD = {
    "row 1 must be shares .* adds up to 2": lambda: quick([[0.5, 0.5], [1, 1]], [0, 1]),
    "its least is -0.5": lambda: quick([[1.5, -0.5], [0.5, 0.5]], [0, 1]),
    "row 0 is not finite": lambda: quick([[np.nan, 1], [0.5, 0.5]], [0, 1]),
    "at least two classes": lambda: quick([[1.0]], [0]),
    "must not be empty": lambda: quick(np.zeros((0, 2)), []),
    "2 pages, but 1 labels": lambda: quick(HALVES, [0]),
    "2 pages, but 3 groups": lambda: quick(HALVES, [0, 1], groups=list("abc")),
    "label '2' of '000000001' is no class": lambda: quick(HALVES, [0, 2]),
    "classes must be 2 different names": lambda: quick(HALVES, [0, 1], classes=["a", "a"]),
    "group 'm' has pages of '0' and '1'": lambda: quick(HALVES, [0, 1], groups=["m", "m"]),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_named(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()

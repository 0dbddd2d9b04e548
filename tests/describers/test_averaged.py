"""Several classifiers as one, and one at several image sizes."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from dgmp.describers import AveragedClassifier, LearnedClassifier, at_sizes
from dgmp.errors import DgmpError
from dgmp.pixels import Preparation

from .small_pages import page


@dataclass(frozen=True)
class HeightOfPage:
    """Says how tall the page is: the share of its first class."""

    preparation: Preparation = field(default_factory=Preparation)
    classes: tuple[str, ...] = ("tall", "low")
    least: float = 0.5

    def classify_page(self, image):
        share = image.pixels.shape[0] / 1000
        assert set(np.unique(image.pixels)) <= {0, 255}
        return np.array([share, 1 - share])


def test_the_mean_of_the_members_is_given(tiny):
    image = page()
    members = tuple(LearnedClassifier(tiny(classes=("a", "b"), seed=seed)) for seed in (0, 1))
    found = AveragedClassifier(members).classify_page(image)
    expected = np.mean([member.classify_page(image) for member in members], axis=0)
    np.testing.assert_allclose(found, expected)


def test_a_page_is_shown_at_every_size_and_stays_ink_and_paper():
    image = page()
    height = image.pixels.shape[0]
    found = at_sizes(HeightOfPage(), (0.5, 1, 2)).classify_page(image)
    assert found[0] == pytest.approx(np.mean([round(height * s) for s in (0.5, 1, 2)]) / 1000)


def test_a_network_at_a_size_sees_the_same_patches_with_more_pixels(tiny):
    image = page()
    classifier = LearnedClassifier(tiny(classes=("a", "b")))
    side = classifier.model.input.side
    larger = replace(classifier.model.input, side=2 * side)
    expected = LearnedClassifier(replace(classifier.model, input=larger)).classify_page(image)
    found = at_sizes(classifier, (2,)).classify_page(image)
    np.testing.assert_allclose(found, expected)
    np.testing.assert_array_equal(
        at_sizes(classifier, (1.0,)).classify_page(image), classifier.classify_page(image)
    )


def test_a_classifier_that_cannot_say_cannot_at_several_sizes_either():
    assert at_sizes(HeightOfPage(), (1, 2)).least == 0.5


@pytest.mark.parametrize("sizes", [(), (0,), (1, 20), (float("nan"),)])
def test_sizes_without_sense_are_refused(sizes):
    with pytest.raises(DgmpError, match="sizes must be numbers"):
        at_sizes(HeightOfPage(), sizes)


def test_classifiers_of_other_classes_are_not_averaged():
    with pytest.raises(ValueError, match="the same classes"):
        AveragedClassifier((HeightOfPage(), HeightOfPage(classes=("a", "b"))))

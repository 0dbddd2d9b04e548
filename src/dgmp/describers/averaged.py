"""Several classifiers as one, and one at several image sizes: the mean of their probabilities.

At size s a network is shown the same patches s times as large in pixels, and pools a map with s² as
many positions. A classifier without patches is shown the whole page s times as large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import DgmpError
from ..names import need
from ..pixels import PageImage, Preparation
from ..records import Floats
from .describer import Classifier


@dataclass(frozen=True, eq=False)
class AveragedClassifier:
    """Classifiers of the same classes, for pages that are prepared alike."""

    members: tuple[Classifier, ...]

    def __post_init__(self) -> None:
        if not self.members:
            raise ValueError("there is no classifier to average")
        for name in ("classes", "preparation"):
            if any(getattr(one, name) != getattr(self, name) for one in self.members):
                raise ValueError(f"classifiers that are averaged must have the same {name}")

    @property
    def preparation(self) -> Preparation:
        """That of all members."""
        return self.members[0].preparation

    @property
    def classes(self) -> tuple[str, ...]:
        """Those of all members."""
        return self.members[0].classes

    @property
    def least(self) -> float:
        """The most cautious of the members'."""
        return max(float(getattr(one, "least", 0.0)) for one in self.members)

    def classify_page(self, image: PageImage) -> Floats:  # (classes,)
        """The mean of the members' probabilities."""
        found: Floats = np.mean([one.classify_page(image) for one in self.members], axis=0)
        return found


def at_sizes(classifier: Classifier, sizes: Sequence[float]) -> Classifier:
    """The classifier at each of these image sizes, 1 being its own, averaged."""
    if not sizes or not all(0.1 <= size <= 10 for size in sizes):
        raise DgmpError(f"sizes must be numbers from 0.1 to 10, as 0.8,1,1.25, got {sizes}")
    return AveragedClassifier(tuple(_at_size(classifier, size) for size in sizes))


def _at_size(classifier: Classifier, size: float) -> Classifier:
    if size == 1:
        return classifier
    own = getattr(classifier, "at_size", None)  # of a network
    return _Resized(classifier, size) if own is None else own(size)


@dataclass(frozen=True, eq=False)
class _Resized:
    classifier: Classifier
    size: float

    @property
    def least(self) -> float:
        return float(getattr(self.classifier, "least", 0.0))

    @property
    def preparation(self) -> Preparation:
        return self.classifier.preparation

    @property
    def classes(self) -> tuple[str, ...]:
        return self.classifier.classes

    def classify_page(self, image: PageImage) -> Floats:  # (classes,)
        cv2 = need("cv2")
        height, width = image.pixels.shape
        shape = max(round(width * self.size), 1), max(round(height * self.size), 1)
        way = cv2.INTER_AREA if self.size < 1 else cv2.INTER_CUBIC
        pixels = cv2.resize(image.pixels, shape, interpolation=way)
        if not np.isin(image.pixels, (0, 255)).all():
            return self.classifier.classify_page(replace(image, pixels=pixels))
        binary = np.where(pixels > 127, np.uint8(255), np.uint8(0))  # ink and paper, as before
        return self.classifier.classify_page(replace(image, pixels=binary))

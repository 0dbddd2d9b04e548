"""Script classification without deep learning: page encodings and a linear classifier.

Encodings of RootSIFT, fitted on the training pages, are classified by multinomial logistic
regression with classes weighed alike, which gives probabilities. The idea of the FAU entry to the
CLaMM competition of 2016.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CorpusError, DgmpError
from ..names import need
from ..pixels import PageImage, Preparation
from ..records import Matrix, PageProgress
from .describers import ClassicalDescriber
from .fitted_files import config_of, fingerprint, load_fitted, save_fitted
from .kinds import fit_classical, stored_classes

# C, and encodings as they are: chosen by cross-validation over training manuscripts of `scripts`.
# A whitening fitted to so few pages costs a quarter of the balanced accuracy.
PENALTY = 1.0
WHITENING = "none"


@dataclass(frozen=True, eq=False)
class ScriptClassifier:
    """A describer and a linear layer over its vectors."""

    describer: ClassicalDescriber
    classes: tuple[str, ...]
    weights: Matrix  # (classes, dim)
    bias: Matrix  # (classes,)

    @property
    def preparation(self) -> Preparation:
        """How a page is brought to pixels before it comes here."""
        return self.describer.preparation

    @property
    def spec(self) -> dict[str, Any]:
        """Every setting, and a SHA-256 of all that was learned."""
        return {"kind": "scripts", "config": config_of(self), "arrays": fingerprint(self)}

    def classify_page(self, image: PageImage) -> NDArray[np.float64]:  # (classes,)
        """The probability of each class, in the order of ``classes``."""
        logits = self.weights @ self.describer.describe_page(image) + self.bias
        odds = np.exp(logits.astype(np.float64) - logits.max())
        return odds / odds.sum()


def fit_script_classifier(
    images: Sequence[PageImage],
    *,
    describer: str = "rootsift-vlad",
    penalty: float = PENALTY,
    seed: int = 0,
    preparation: Preparation | None = None,
    progress: PageProgress | None = None,
) -> ScriptClassifier:
    """Fit a describer by name and the classifier on pages whose ``script`` is known."""
    missing = [image.page.id for image in images if image.page.script is None]
    if missing:
        raise CorpusError(
            f"{len(missing)} of {len(images)} pages have no script, the first is {missing[0]!r}"
        )
    fitted = fit_classical(
        describer,
        images,
        seed=seed,
        whitening=WHITENING,
        preparation=preparation,
        progress=progress,
    )
    vectors = np.stack([fitted.describe_page(image) for image in images])
    scripts = [str(image.page.script) for image in images]
    return fit_linear(fitted, vectors, scripts, penalty=penalty)


def fit_linear(
    describer: ClassicalDescriber,
    vectors: Matrix,  # (pages, dim)
    scripts: Sequence[str],
    *,
    penalty: float = PENALTY,
) -> ScriptClassifier:
    """The classifier over a describer that exists, from its vectors of training pages."""
    classes = tuple(sorted(set(scripts)))
    if len(classes) < 2:
        raise CorpusError(f"a classifier needs pages of two scripts, got {', '.join(classes)}")
    model = need("sklearn.linear_model").LogisticRegression(
        C=penalty, class_weight="balanced", max_iter=2000
    )
    model.fit(vectors, [classes.index(script) for script in scripts])
    weights, bias = model.coef_, model.intercept_
    if len(classes) == 2:  # one row, for the second class against the first
        weights, bias = np.vstack([-weights, weights]) / 2, np.append(-bias, bias) / 2
    return ScriptClassifier(describer, classes, weights.astype(np.float32), bias.astype(np.float32))


def save_script_classifier(classifier: ScriptClassifier, folder: Path | str) -> Path:
    """Write a classifier into a folder, whole or not at all."""
    return save_fitted(classifier, folder, "scripts")


def load_script_classifier(folder: Path | str) -> ScriptClassifier:
    """Read what :func:`save_script_classifier` wrote."""
    found = load_fitted(folder, {**stored_classes(), "ScriptClassifier": ScriptClassifier})
    if not isinstance(found, ScriptClassifier):
        raise DgmpError(f"{folder}: holds a {type(found).__name__}, no script classifier")
    return found

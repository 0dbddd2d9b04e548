"""Scripts by the describer ``default``: its two parts and CoHinge, and a linear classifier.

Vectors x of labelled pages give, by ridge regression of the classes on them, a score for each class

    s = W(x − μ) + 1/classes          softmax(s / T): its probability

Every manuscript counts alike, however many pages it has, and the classes nearly: a class of n
manuscripts counts n^¾. The temperature T is the one with the least mean loss of the classes over
pages of manuscripts that were left out of the fit one after the other. W and μ keep that of T.

On disk a folder with describer.json and arrays.npz: the classifier alone, half a megabyte. What
describes the pages is the ``default`` beside it, of which the file names the checksums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..classical import HEAD, ClassicalDescriber, fit_classical, load_fitted, save_fitted
from ..errors import CorpusError, DgmpError
from ..evaluation import softmax
from ..pixels import PageImage, Preparation
from ..records import Floats, Matrix, Page
from .fused import FusedDescriber

KIND = "script-types"
THIRD = "cohinge"
# The rest: chosen by cross-validation over the training manuscripts of `scripts`, see
# benchmarks/results/scripts.md. Weights of the cosines of strokes, texture and CoHinge:
PARTS = (0.09, 0.23, 0.68)
RIDGE = 0.5  # of the mean variance
BALANCE = 0.25  # 0: a class counts as many manuscripts as it has; 1: all alike
LEAST = 0.5  # below it the most probable class is more likely wrong than right
TEMPERATURES = np.geomspace(0.01, 1, 201)


@dataclass(frozen=True, eq=False)
class LinearScripts:
    """What is stored: a linear layer over vectors, and of which describer."""

    classes: tuple[str, ...]
    weights: NDArray[np.floating]  # (classes, dim); half precision is enough
    bias: Matrix  # (classes,)
    describer: tuple[str, ...]  # SHA-256 of the arrays of its parts


@dataclass(frozen=True, eq=False)
class FusedScripts:
    """Pages to the probabilities of script types; see :class:`dgmp.describers.Classifier`."""

    describer: FusedDescriber
    linear: LinearScripts
    least: float = LEAST

    @property
    def preparation(self) -> Preparation:
        """That of the describer."""
        return self.describer.preparation

    @property
    def classes(self) -> tuple[str, ...]:
        """The script types, in the order of the probabilities."""
        return self.linear.classes

    def classify_page(self, image: PageImage) -> Floats:  # (classes,)
        """The probability of each script type."""
        found: Floats = self.classify_vectors(self.describer.describe_page(image)[None])[0]
        return found

    def classify_vectors(self, vectors: Matrix) -> Floats:  # (pages, dim) -> (pages, classes)
        """The same for vectors of the describer."""
        weights = self.linear.weights.astype(np.float32)
        return softmax(vectors @ weights.T + self.linear.bias)


def with_third_part(default: FusedDescriber) -> FusedDescriber:
    """The describer of script types: the parts of ``default``, and CoHinge."""
    third = fit_classical(THIRD, preparation=default.preparation)
    return FusedDescriber((*default.parts, third), PARTS)


def fit_script_types(
    describer: FusedDescriber,
    vectors: Matrix,  # (pages, dim), by that describer
    pages: Sequence[Page],  # with script and manuscript; a page may be there at several scales
) -> FusedScripts:
    """Fit the classifier and its temperature."""
    lacking = [page.id for page in pages if page.script is None]
    if lacking:
        raise CorpusError(f"{len(lacking)} pages have no script, the first is {lacking[0]!r}")
    classes = tuple(sorted({str(page.script) for page in pages}))
    if len(classes) < 2:
        raise CorpusError(f"a classifier needs pages of two scripts, got {', '.join(classes)}")
    truth = np.array([classes.index(str(page.script)) for page in pages])
    manuscripts = np.array([page.manuscript or page.id for page in pages])
    gram = (vectors @ vectors.T).astype(np.float64)
    every = np.ones(len(pages), bool)
    temperature = _temperature(_left_out_scores(gram, truth, manuscripts), truth)
    pull, mean_of = _ridge(gram, truth, manuscripts, every)
    mean = mean_of @ vectors
    weights = pull.T @ (vectors - mean) / temperature  # (classes, dim)
    bias = 1 / (len(classes) * temperature) - weights @ mean
    linear = LinearScripts(
        classes, weights.astype(np.float16), bias.astype(np.float32), _checksums(describer)
    )
    return FusedScripts(describer, linear)


def left_out_probabilities(
    vectors: Matrix,  # (pages, dim)
    pages: Sequence[Page],
) -> Floats:  # (pages, classes)
    """The probabilities of pages by classifiers that were fitted without their manuscripts.

    The temperature is that of all of them.
    """
    classes = sorted({str(page.script) for page in pages})
    truth = np.array([classes.index(str(page.script)) for page in pages])
    manuscripts = np.array([page.manuscript or page.id for page in pages])
    scores = _left_out_scores((vectors @ vectors.T).astype(np.float64), truth, manuscripts)
    return softmax(scores / _temperature(scores, truth))


def save_script_types(found: FusedScripts, folder: Path | str) -> Path:
    """Write the classifier into a folder, without what describes."""
    return save_fitted(found.linear, folder, KIND)


def load_script_types(folder: Path | str, default: FusedDescriber) -> FusedScripts:
    """Read what :func:`save_script_types` wrote; ``default`` is what describes."""
    linear = load_fitted(folder, {"LinearScripts": LinearScripts})
    describer = with_third_part(default)
    if not isinstance(linear, LinearScripts) or tuple(linear.describer) != _checksums(describer):
        raise DgmpError(
            f"{Path(folder) / HEAD}: was fitted to another default describer than the one here; "
            "install dgmp and dgmp-data of one version"
        )
    return FusedScripts(describer, linear)


def _checksums(describer: FusedDescriber) -> tuple[str, ...]:
    return tuple(_arrays(part) for part in describer.parts)


def _arrays(part: ClassicalDescriber) -> str:
    found: Any = part.spec["arrays"]
    return str(found)


def _ridge(
    gram: Floats,  # (pages, pages)
    truth: NDArray[np.integer],
    manuscripts: NDArray[Any],
    fitted: NDArray[np.bool_],
) -> tuple[Floats, Floats]:  # (pages, classes), (pages,)
    """W = Aᵀ(X − μ) and μ = mᵀX of the pages that are fitted; A and m are 0 for the others."""
    places = np.flatnonzero(fitted)
    labels, groups = truth[places], manuscripts[places]
    share = _shares(labels, groups)  # adds up to one
    inner = gram[np.ix_(places, places)]
    towards = inner @ share
    centred = inner - towards[:, None] - towards + share @ towards
    root = np.sqrt(share * len(places))
    system = root[:, None] * centred * root
    system[np.diag_indices_from(system)] += RIDGE * np.trace(system) / len(places)
    targets = np.eye(truth.max() + 1)[labels]
    solved = np.linalg.solve(system, root[:, None] * (targets - share @ targets))
    pull, mean = np.zeros((len(gram), targets.shape[1])), np.zeros(len(gram))
    pull[places], mean[places] = root[:, None] * solved, share
    return pull, mean


def _shares(labels: NDArray[np.integer], groups: NDArray[Any]) -> Floats:
    """How much each page counts."""
    _, group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    share = 1 / sizes[group]
    for label in np.unique(labels):
        inside = labels == label
        share[inside] *= len(np.unique(groups[inside])) ** -BALANCE
    found: Floats = share / share.sum()
    return found


def _left_out_scores(
    gram: Floats, truth: NDArray[np.integer], manuscripts: NDArray[Any]
) -> Floats:  # (pages, classes)
    scores = np.zeros((len(gram), truth.max() + 1))
    for manuscript in np.unique(manuscripts):
        out = manuscripts == manuscript
        pull, mean = _ridge(gram, truth, manuscripts, ~out)
        centred = gram[out] - (gram[out] @ mean)[:, None] - gram @ mean + mean @ gram @ mean
        scores[out] = centred @ pull + 1 / scores.shape[1]
    return scores


def _temperature(scores: Floats, truth: NDArray[np.integer]) -> float:
    """The one with the least loss, the mean over the classes of that of their pages."""
    rows = np.arange(len(truth))

    def loss(temperature: float) -> float:
        losses = -np.log(softmax(scores / temperature)[rows, truth].clip(min=1e-12))
        return float(np.mean([losses[truth == label].mean() for label in np.unique(truth)]))

    return float(min(TEMPERATURES, key=loss))

"""The classical describers by name, fitted by one call and loaded by another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import DgmpError
from ..names import choose
from ..pixels import PageImage, Preparation
from ..records import Matrix, PageProgress
from .describers import (
    ClassicalDescriber,
    Look,
    PageFeatures,
    RootSiftVlad,
    VectorStep,
    fit_features,
    fit_rootsift_vlad,
    three_looks,
)
from .exemplar import ExemplarSvm, fit_exemplar_svm
from .fitted_files import load_fitted, save_fitted
from .hinge import CoHinge, Hinge
from .obif import Obif
from .sift import Sift
from .srs_lbp import SrsLbp
from .vlad import Vlad, VladConfig
from .whitening import (
    HardWhitening,
    RoundedMatrix,
    RoundedProjection,
    Sketch,
    SoftWhitening,
    fit_hard_whitening,
    fit_soft_projection,
    fit_soft_whitening,
    unit_rows,
)

Fit = Callable[[Matrix], VectorStep]

SHORT = 2048  # entries: a million pages fit on one disk


@dataclass(frozen=True)
class ClassicalKind:
    """A describer that can be had by name: its features, and what is fitted to pages."""

    about: str
    features: PageFeatures | tuple[Look, ...]  # the second: vocabularies are to be learned first
    finish: Fit | None = None
    sketch: int | None = None  # entries that longer vectors are sketched to before the last step
    bands: int = 0  # parts of each fitting page that the last step is fitted on as well

    @property
    def needs_fitting(self) -> bool:
        """Whether pages are needed to make it."""
        return self.finish is not None or isinstance(self.features, tuple)


def _pca(vectors: Matrix) -> HardWhitening:
    return fit_hard_whitening(vectors, 128)


def _soft(vectors: Matrix) -> SoftWhitening:
    return fit_soft_whitening(vectors, rank=256)  # more directions changed nothing


def _short(vectors: Matrix) -> HardWhitening:
    return fit_soft_projection(vectors, SHORT)


WHITENINGS: dict[str, Fit | None] = {"none": None, "soft": fit_soft_whitening, "pca": _pca}

_GMP = three_looks()

CLASSICAL: dict[str, ClassicalKind] = {
    "rootsift-vlad": ClassicalKind(
        "RootSIFT, VLAD with generalized max pooling, soft whitening", _GMP, _soft, bands=4
    ),
    "rootsift-vlad-short": ClassicalKind(
        f"the same in at most {SHORT} entries", _GMP, _short, sketch=4 * SHORT, bands=4
    ),
    "rootsift-vlad-sum": ClassicalKind(
        "RootSIFT, VLAD with sums", three_looks(VladConfig(aggregation="sum")), _soft, bands=4
    ),
    "rootsift-vlad-esvm": ClassicalKind(
        "RootSIFT, VLAD with generalized max pooling, exemplar SVM", _GMP, fit_exemplar_svm
    ),
    "srs-lbp": ClassicalKind("local binary patterns at 12 radii", SrsLbp(), fit_soft_whitening),
    "obif": ClassicalKind("oriented basic image features at pairs of scales", Obif()),
    "hinge": ClassicalKind("angles of contours", Hinge(), fit_soft_whitening),
    "cohinge": ClassicalKind("pairs of angles along contours", CoHinge()),
}

_STEPS: tuple[type, ...] = (
    ClassicalDescriber,
    ExemplarSvm,
    HardWhitening,
    Preparation,
    RootSiftVlad,
    RoundedMatrix,
    RoundedProjection,
    Sift,
    Sketch,
    SoftWhitening,
    Vlad,
    VladConfig,
)


def stored_classes() -> dict[str, type]:
    """The dataclasses that a describer's file may hold, by name: steps, and all kinds' features."""
    features = [kind.features for kind in CLASSICAL.values()]
    single = [type(each) for each in features if not isinstance(each, tuple)]
    return {each.__name__: each for each in (*_STEPS, *single)}


def fit_classical(
    name: str,
    images: Iterable[PageImage] = (),
    *,
    seed: int = 0,
    whitening: str | None = None,
    preparation: Preparation | None = None,
    progress: PageProgress | None = None,
) -> ClassicalDescriber:
    """Make the describer called ``name``, fitted on prepared pages where it needs any.

    ``whitening`` takes the place of the last step: ``none``, ``soft``, or ``pca`` for the
    first 128 directions. ``preparation`` is how these pages were prepared, and how pages will be
    that are described. ``progress`` is called with the number of pages done since its last call.
    """
    kind = _kind(name, whitening)
    preparation = preparation or Preparation()
    features: PageFeatures
    if isinstance(kind.features, tuple):
        features, vectors = fit_rootsift_vlad(
            images, kind.features, seed=seed, bands=kind.bands, progress=progress
        )
    else:
        features = kind.features
        if not kind.needs_fitting:
            return ClassicalDescriber(name, features, preparation=preparation)
        vectors = fit_features(features, images, progress)
    return finish_describer(
        name, features, vectors, seed=seed, whitening=whitening, preparation=preparation
    )


def finish_describer(
    name: str,
    features: PageFeatures,
    vectors: Matrix,  # (pages, features.dim)
    *,
    seed: int = 0,
    whitening: str | None = None,
    preparation: Preparation | None = None,
) -> ClassicalDescriber:
    """The describer called ``name`` from features that exist and their vectors of fitting pages."""
    kind = _kind(name, whitening)
    sketch = None
    if kind.sketch is not None and features.dim > kind.sketch:
        sketch = Sketch(features.dim, kind.sketch, seed)
        vectors = unit_rows(sketch(vectors))
    finish = None if kind.finish is None else kind.finish(vectors)
    return ClassicalDescriber(name, features, sketch, finish, preparation or Preparation())


def _kind(name: str, whitening: str | None) -> ClassicalKind:
    kind = choose(name, CLASSICAL, "classical describer")
    if whitening is None:
        return kind
    return replace(kind, finish=choose(whitening, WHITENINGS, "whitening"))


def save_describer(describer: ClassicalDescriber, folder: Path | str) -> Path:
    """Write a describer into a folder, whole or not at all."""
    return save_fitted(describer, folder, describer.kind)


def load_classical(folder: Path | str) -> ClassicalDescriber:
    """Read what :func:`save_describer` wrote."""
    found = load_fitted(folder, stored_classes())
    if not isinstance(found, ClassicalDescriber):
        raise DgmpError(f"{folder}: holds a {type(found).__name__}, no classical describer")
    return found

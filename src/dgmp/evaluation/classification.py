"""Classification: accuracy per page, per class and per manuscript.

The predicted class is the most probable one, the first of equal ones. Balanced accuracy is the mean
of the classes' recalls, over the classes that occur. For manuscripts (``groups``) the probabilities
of the pages are averaged, then the most probable class is taken.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..rankings import Labels, checked_ids, checked_labels, checked_vectors
from ..records import Floats, Scores
from .significance import RESAMPLES, with_intervals

SUM_TOLERANCE = 1e-3  # half-precision softmax stays within it


def classification_scores(
    probabilities: ArrayLike,
    labels: Labels | Mapping[str, Hashable],
    *,
    groups: Labels | Mapping[str, Hashable] | None = None,
    classes: Sequence[Hashable] | None = None,
    ids: Labels | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Scores:
    """Score the probabilities (pages × classes) of a classifier.

    ``labels`` are names out of ``classes``, or column numbers where no classes are named.
    ``groups`` names the manuscript of each page: it adds ``group_accuracy``, and intervals are
    bootstrapped over manuscripts instead of pages. All pages of a group must have one label.
    """
    shares = checked_probabilities(probabilities)
    names = checked_ids(ids, len(shares))
    given = checked_labels(labels, names)
    if classes is None:
        known: tuple[str, ...] = tuple(str(number) for number in range(shares.shape[1]))
    else:
        known = tuple(str(name) for name in classes)
        if len(known) != shares.shape[1] or len(set(known)) != len(known):
            raise ValueError(
                f"classes must be {shares.shape[1]} different names, one per column, got {known}"
            )
    column = {name: number for number, name in enumerate(known)}
    strange = [
        (page, label) for page, label in zip(names, given, strict=True) if label not in column
    ]
    if strange:
        hint = "" if classes is not None else "; name the columns by classes="
        raise ValueError(
            f"the label {strange[0][1]!r} of {strange[0][0]!r} is no class; "
            f"classes are {', '.join(known)}{hint}"
        )
    truth = np.array([column[label] for label in given])
    predicted = shares.argmax(axis=1)
    right = predicted == truth
    confusion = np.zeros((len(known), len(known)), dtype=np.intp)
    np.add.at(confusion, (truth, predicted), 1)
    support = confusion.sum(axis=1)
    recalls = confusion.diagonal()[support > 0] / support[support > 0]

    values = {"accuracy": float(right.mean()), "balanced_accuracy": float(recalls.mean())}
    definitions = {
        "accuracy": "the most probable class is the true one",
        "balanced_accuracy": "mean of the classes' recalls, over classes that occur",
    }
    single = {"accuracy": tuple(map(float, right))}
    clusters = names
    notes: tuple[str, ...] = ()
    if groups is not None:
        clusters = checked_labels(groups, names, "groups")
        right_of_group = _groups(shares, truth, clusters, known)
        values["group_accuracy"] = float(np.mean(list(right_of_group.values())))
        definitions["group_accuracy"] = "per manuscript: mean probabilities, most probable class"
        single["group_accuracy"] = tuple(float(right_of_group[group]) for group in clusters)
        notes = (f"{len(right_of_group)} groups",)
    if (support == 0).any():
        absent = ", ".join(known[number] for number in np.flatnonzero(support == 0))
        notes += (f"no page is of class {absent}",)
    scores = Scores(
        task="classification",
        values=values,
        definitions=definitions,
        queries=len(names),
        notes=notes,
        classes=known,
        confusion=tuple(tuple(map(int, row)) for row in confusion),
        item_ids=names,
        item_labels=given,
        item_clusters=clusters,
        item_values=single,
    )
    return with_intervals(scores, resamples=resamples, seed=seed)


def class_table(scores: Scores) -> str:
    """Recall, precision and number of pages of every class, in percent."""
    confusion = np.array(scores.confusion)
    if not confusion.size:
        raise ValueError(f"a {scores.task} has no classes")
    width = max(5, *map(len, scores.classes))
    lines = [f"{'class':{width}}  {'recall':>7}  {'precision':>9}  {'pages':>6}"]
    for number, name in enumerate(scores.classes):
        hits, pages = confusion[number, number], confusion[number].sum()
        named = confusion[:, number].sum()
        recall = f"{100 * hits / pages:.2f}" if pages else "–"
        precision = f"{100 * hits / named:.2f}" if named else "–"
        lines.append(f"{name:{width}}  {recall:>7}  {precision:>9}  {pages:>6}")
    return "\n".join(lines)


def checked_probabilities(probabilities: ArrayLike, name: str = "probabilities") -> Floats:
    """Rows of at least two shares that are not negative and add up to one."""
    shares = checked_vectors(probabilities, name).astype(np.float64)
    if shares.shape[1] < 2:
        raise ValueError(f"{name} must have at least two classes, got {shares.shape}")
    if not np.isfinite(shares).all():
        row = int(np.flatnonzero(~np.isfinite(shares).all(axis=1))[0])
        raise ValueError(f"{name}: row {row} is not finite")
    sums = shares.sum(axis=1)
    wrong = np.flatnonzero((np.abs(sums - 1) > SUM_TOLERANCE) | (shares < 0).any(axis=1))
    if len(wrong):
        raise ValueError(
            f"{name}: row {wrong[0]} must be shares from 0 up that add up to 1, "
            f"it adds up to {sums[wrong[0]]:g}, its least is {shares[wrong[0]].min():g}; "
            "for raw outputs of a network take softmax first"
        )
    return shares


def _groups(
    shares: Floats, truth: np.ndarray, groups: tuple[str, ...], classes: tuple[str, ...]
) -> dict[str, bool]:
    places: dict[str, list[int]] = {}
    for place, group in enumerate(groups):
        places.setdefault(group, []).append(place)
    right = {}
    for group, rows in places.items():
        labels = np.unique(truth[rows])
        if len(labels) > 1:
            both = " and ".join(repr(classes[label]) for label in labels[:2])
            raise ValueError(f"group {group!r} has pages of {both}; a group must have one label")
        right[group] = bool(shares[rows].mean(axis=0).argmax() == labels[0])
    return right

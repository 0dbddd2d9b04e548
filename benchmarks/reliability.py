"""Are confidences and probabilities right on kinds of writing that nothing was fitted on?

    python benchmarks/reliability.py HANDS --keep FOLDER [--picture FILE]

The training pages of HANDS come in three folds of sources (see ``make_default.py``). The pages of
each are described by a describer that was fitted on the other two, and judged by a calibration that
was fitted on the other two: nothing has seen the fold. Collections are drawn from it and grouped,
whole pages and patches of 256 px, and confidences are compared with how often groups are right,
probabilities of the five nearest pages with how often these are by the same writer. The same with
patches of 64 to 256 px shows what is gained by not answering where there is too little writing.
FOLDER holds the describers and descriptors between runs; the first run takes half an hour.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from hand_labels import open_hands
from make_default import fold_of, look_at_pages

from dgmp.describers import (
    FusedRecipe,
    describe_pages,
    load_describer,
    load_descriptors,
    make_fused,
    save_descriptors,
    save_fused,
)
from dgmp.engines import Processes, cores
from dgmp.hands import Background, Calibration, fit_calibration, group_pages, with_probabilities
from dgmp.hands.evidence import part
from dgmp.pixels.scale import CANONICAL
from dgmp.plotting import picture
from dgmp.records import Descriptors, Hit, Page

RESULTS = Path(__file__).parent / "results" / "reliability.md"
PICTURE = Path(__file__).parent.parent / "docs" / "img" / "reliability.png"
FOLDS = ("mixed", "modern", "other")
COLLECTIONS = 60  # of each fold, whole pages and patches in turn
BINS = np.linspace(0, 1, 11)


@dataclass(frozen=True, eq=False)
class Fold:
    """The pages of some sources, described without having been fitted on."""

    pages: tuple[Page, ...]
    views: dict[int | None, Descriptors]  # by the side of patches; None: whole pages


def described(hands: Path, keep: Path) -> dict[str, Fold]:
    with (hands / "writers.csv").open(encoding="utf-8") as file:
        sources = {row["file"]: row["source_repo"] for row in csv.DictReader(file)}
    pages = open_hands(hands).in_split("train")
    distances = {page.id: CANONICAL for page in pages}  # as the set was made
    in_fold = {name: [p for p in pages if fold_of(sources[p.id]) == name] for name in FOLDS}
    if not all((keep / name / "describer.json").is_file() for name in FOLDS):
        recipe = FusedRecipe()
        seen = look_at_pages(pages, distances, recipe, "looking at pages")
        for name in FOLDS:
            others = [s for s in seen if fold_of(sources[s.page.id]) != name]
            save_fused(make_fused(others, recipe), keep / name)
    found = {}
    for name in FOLDS:
        describer = load_describer(keep / name)
        views = {}
        for side in (None, 256, 128, 64):
            path = keep / f"{name}-{side}.npz"
            if not path.exists():
                made = describe_pages(
                    in_fold[name],
                    describer,
                    crop=side,
                    distances=distances,
                    halves=True,
                    engine=Processes(cores()),
                )
                save_descriptors(made.descriptors, path)
            views[side] = load_descriptors(path)
        found[name] = Fold(tuple(in_fold[name]), views)
    return found


def calibrated_without(name: str, folds: dict[str, Fold]) -> Calibration:
    ids: list[str] = []
    writers, scans, names = [], [], []
    parts = []
    for other, fold in folds.items():
        if other == name:
            continue
        by_id = {page.id: page for page in fold.pages}
        for side in (None, 256):
            view = fold.views[side]
            parts.append(view)
            for id in view.page_ids:
                ids.append(f"{other} {side} {id}")
                writers.append((side, by_id[id].writer))
                scans.append(by_id[id].scan)
                names.append((other, side))
    vectors = np.concatenate([view.vectors for view in parts])
    halves = np.concatenate([view.halves for view in parts])  # type: ignore[misc]
    together = Descriptors(tuple(ids), vectors, {}, halves=halves)
    return fit_calibration(
        together, writers, scans, folds=names, collections=FusedRecipe().collections
    )


def collections(
    fold: Fold, side: int | None, number: int, most_pages: tuple[int, ...] = (1, 2, 5)
) -> Iterator[tuple[Descriptors, list[str]]]:
    """Drawn collections: some writers with up to so many pages in turn, of each scan one."""
    generator = np.random.default_rng(side or 0)
    view = fold.views[side]
    by_id = {page.id: page for page in fold.pages}
    pages = [by_id[id] for id in view.page_ids]
    writers = np.array([page.writer for page in pages])
    names = np.unique(writers)
    for turn in range(number):
        chosen = generator.choice(names, generator.integers(3, len(names) + 1), replace=False)
        most = most_pages[turn % len(most_pages)]
        rows: list[int] = []
        for writer in chosen:
            own = generator.permutation(np.flatnonzero(writers == writer))
            once = {pages[i].scan or pages[i].id: int(i) for i in own}
            rows += list(once.values())[: generator.integers(1, most + 1)]
        taken = np.array(sorted(rows))
        yield part(view, taken), writers[taken].tolist()


def judged_groups(
    collection: Descriptors, writers: Sequence[str], calibration: Calibration
) -> list[tuple[float, bool]]:
    of = dict(zip(collection.page_ids, writers, strict=True))
    judged = []
    for hand in group_pages(collection, calibration):
        inside = {of[id] for id in hand.page_ids}
        whole = sum(writer in inside for writer in writers) == len(hand.page_ids)
        judged.append((hand.confidence, len(inside) == 1 and whole))
    return judged


def judged_hits(
    collection: Descriptors, writers: Sequence[str], calibration: Calibration
) -> list[tuple[float | None, bool, bool]]:
    """For the five pages a search lists first: probability, whether it is right, whether first."""
    background = Background.of(collection, len(writers), calibration)
    placed = background.place(collection)
    alike = placed.in_order(placed)
    cosines = collection.vectors @ collection.vectors.T
    judged = []
    for row, id in enumerate(collection.page_ids):
        order = [i for i in np.argsort(-alike[row], kind="stable") if i != row][:5]
        hits = [Hit(collection.page_ids[i], "", float(cosines[row, i])) for i in order]
        query = part(collection, np.array([row]))
        found = with_probabilities(hits, part(collection, np.array(order)), query, id, background)
        for rank, (i, hit) in enumerate(zip(order, found, strict=True)):
            judged.append((hit.probability, writers[i] == writers[row], rank == 0))
    return judged


def binned(stated: np.ndarray, right: np.ndarray) -> list[tuple[float, float, int]]:
    """Mean of what was stated, share that was right, and how many, by bins."""
    places = np.clip(np.digitize(stated, BINS) - 1, 0, len(BINS) - 2)
    return [
        (
            float(stated[places == b].mean()),
            float(right[places == b].mean()),
            int((places == b).sum()),
        )
        for b in np.unique(places)
    ]


def calibration_error(bins: Sequence[tuple[float, float, int]]) -> float:
    total = sum(number for *_, number in bins)
    return sum(number * abs(stated - right) for stated, right, number in bins) / total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hands", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--picture", type=Path, default=PICTURE)
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    folds = described(arguments.hands, arguments.keep)
    groups: dict[str, list[tuple[float, bool]]] = {name: [] for name in FOLDS}
    hits: list[tuple[float, bool]] = []
    rejected: dict[int, list[tuple[bool, bool]]] = {}  # side: whether it answers, and rightly
    for name, fold in folds.items():
        calibration = calibrated_without(name, folds)
        for side in (None, 256):
            for collection, writers in collections(fold, side, COLLECTIONS // 2):
                groups[name] += judged_groups(collection, writers, calibration)
                found = judged_hits(collection, writers, calibration)
                hits += [(p, right) for p, right, _ in found if p is not None]
        for side in (256, 128, 64):
            for collection, writers in collections(fold, side, 6, (5,)):
                first = [hit[:2] for hit in judged_hits(collection, writers, calibration) if hit[2]]
                rejected.setdefault(side, []).extend(
                    (p is not None, right)
                    for (p, right), writer in zip(first, writers, strict=True)
                    if writers.count(writer) > 1
                )
    report(groups, hits, rejected)
    draw(groups, hits, arguments.picture)


def report(
    groups: dict[str, list[tuple[float, bool]]],
    hits: list[tuple[float, bool]],
    rejected: dict[int, list[tuple[bool, bool]]],
) -> None:
    everything = [pair for some in groups.values() for pair in some]
    lines = ["# Confidences and probabilities on sources that nothing was fitted on", ""]
    lines += ["| | number | calibration error | stated at 90 % or more | of these right |"]
    lines += ["|---|---|---|---|---|"]
    for name, pairs in (
        *((f"hands, sources {name}", pairs) for name, pairs in groups.items()),
        ("hands, all", everything),
        ("five nearest pages, all", hits),
    ):
        stated, right = (np.array(values, float) for values in zip(*pairs, strict=True))
        sure = stated >= 0.9
        share = f"{right[sure].mean():.1%}" if sure.any() else "–"
        error = calibration_error(binned(stated, right))
        lines.append(f"| {name} | {len(pairs)} | {error:.3f} | {int(sure.sum())} | {share} |")
    lines += [
        "",
        "| patches, queries with a page to find | nearest page right | answered | of these right |",
    ]
    lines += ["|---|---|---|---|"]
    for side, answers in rejected.items():
        says, right = (np.array(values) for values in zip(*answers, strict=True))
        of_these = f"{right[says].mean():.1%}" if says.any() else "–"
        lines.append(f"| {side} px | {right.mean():.1%} | {says.mean():.1%} | {of_these} |")
    text = "\n".join(lines) + "\n"
    print(text)
    RESULTS.write_text(text)


def draw(
    groups: dict[str, list[tuple[float, bool]]], hits: list[tuple[float, bool]], file: Path
) -> None:
    everything = [pair for some in groups.values() for pair in some]
    with picture(file, width=8.0, height=3.8) as figure:
        axes = figure.subplots(1, 2)
        for axis, pairs, title in zip(
            axes,
            (everything, hits),
            ("confidence of hands", "same hand, five nearest"),
            strict=True,
        ):
            stated, right = (np.array(values, float) for values in zip(*pairs, strict=True))
            bins = binned(stated, right)
            axis.plot([0, 1], [0, 1], color="0.7", linewidth=1)
            axis.plot([b[0] for b in bins], [b[1] for b in bins], "o-")
            axis.set_xlabel("stated")
            axis.set_ylabel("right")
            axis.set_title(title)
            for x, y, number in bins:
                axis.annotate(
                    str(number), (x, y), textcoords="offset points", xytext=(4, -10), size=7
                )


if __name__ == "__main__":
    main()

"""How many decisions of an expert put the hands of a collection right, by the order of questions.

    python benchmarks/deciding.py HANDS [--split test] [--keep FOLDER] [--picture FILE]

HANDS is a corpus with splits; of its test pages patches of 256 px are grouped. An expert who knows
the writers answers one question at a time, pages are grouped anew after each, and the adjusted Rand
index is written down. Asked are the first of the review queue; any of its questions; any two
pages. --keep holds descriptors between runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hand_labels import open_hands
from hands import Collection, Describing

from dgmp.describers import load_describer
from dgmp.evaluation import adjusted_rand_index
from dgmp.hands import Evidence, Grouped, group_evidence
from dgmp.hands.evidence import part
from dgmp.plotting import BLUE, INK, ORANGE, SKY, picture
from dgmp.records import Decision

RESULTS = Path(__file__).parent / "results" / "deciding.md"
PICTURE = Path(__file__).parent.parent / "docs" / "img" / "deciding.png"
GOAL = 0.97
SEEDS = 3

Pair = tuple[str, str]
Ask = Callable[[Grouped], Pair | None]


@dataclass(frozen=True, eq=False)
class Known(Evidence):
    """Evidence that was worked out before, so that grouping again and again is quick."""

    odds: np.ndarray  # (pages, pages)

    def between(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        return self.odds[np.ix_(rows, columns)]


@dataclass(frozen=True)
class Expert:
    """Somebody who knows the writers."""

    evidence: Known
    page_ids: tuple[str, ...]
    writers: tuple[str, ...]

    @classmethod
    def of(cls, collection: Collection) -> Expert:
        calibration = collection.describer.calibration
        assert calibration is not None
        ids = collection.descriptors.page_ids
        order = np.argsort(np.array(ids, dtype=object), kind="stable")
        evidence = Evidence.of(part(collection.descriptors, order), calibration)
        every = np.arange(len(order))
        known = Known(
            evidence.calibration,
            evidence.placed,
            evidence.spread,
            evidence.prior,
            evidence.between(every, every),
        )
        writers = tuple(str(collection.pages[i].writer) for i in order)
        return cls(known, tuple(ids[i] for i in order), writers)

    def decide(self, ask: Ask, most: int, questions: int) -> list[float]:
        """The adjusted Rand index before the first decision and after each, until the goal."""
        writer = dict(zip(self.page_ids, self.writers, strict=True))
        decisions: list[Decision] = []
        curve: list[float] = []
        while True:
            grouped = group_evidence(self.evidence, self.page_ids, decisions, questions=questions)
            number = {id: hand.number for hand in grouped.hands for id in hand.page_ids}
            groups = [number[id] for id in self.page_ids]
            curve.append(adjusted_rand_index(self.writers, groups))
            pair = ask(grouped)
            if curve[-1] >= GOAL or len(decisions) >= most or pair is None:
                return curve
            one, other = pair
            verdict = "same" if writer[one] == writer[other] else "different"
            decisions.append(Decision(verdict, (one,), (other,)))


def first(grouped: Grouped) -> Pair | None:
    return next(((q.first, q.second) for q in grouped.questions), None)


def any_question(generator: np.random.Generator) -> Ask:
    def ask(grouped: Grouped) -> Pair | None:
        if not grouped.questions:
            return None
        question = grouped.questions[int(generator.integers(len(grouped.questions)))]
        return question.first, question.second

    return ask


def any_pair(generator: np.random.Generator, page_ids: Sequence[str]) -> Ask:
    asked: set[Pair] = set()

    def ask(grouped: Grouped) -> Pair | None:
        while True:
            one, other = sorted(generator.choice(len(page_ids), 2, replace=False).tolist())
            pair = page_ids[one], page_ids[other]
            if pair not in asked:
                asked.add(pair)
                return pair

    return ask


def draw(curves: dict[str, list[list[float]]], pages: int, path: Path) -> None:
    with picture(path, 6.4, 3.6) as figure:
        axes = figure.add_subplot()
        for (name, several), colour in zip(curves.items(), (BLUE, ORANGE, SKY), strict=True):
            for number, curve in enumerate(several):
                label = name if number == 0 else None
                axes.plot(range(len(curve)), curve, color=colour, label=label, linewidth=1.5)
        axes.axhline(GOAL, color=INK, linewidth=0.8, linestyle=":")
        axes.axvline(pages / 3, color=INK, linewidth=0.8, linestyle=":")
        axes.annotate(
            "one decision per three pages",
            (pages / 3, 0.3),
            (4, 0),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            fontsize=8,
        )
        axes.set_xlabel("decisions")
        axes.set_ylabel("adjusted Rand index")
        axes.set_title(f"{pages} patches of 256 px")
        figure.legend(loc="outside lower center", ncols=3)


def needed(curve: Sequence[float]) -> str:
    return str(len(curve) - 1) if curve[-1] >= GOAL else f"more than {len(curve) - 1}"


def report(curves: dict[str, list[list[float]]], pages: int, writers: int) -> str:
    lines = [
        "# Decisions of a simulated expert",
        "",
        f"{pages} patches of 256 px by {writers} writers. The expert answers one question at a",
        f"time; pages are grouped anew after each, until the adjusted Rand index is {GOAL}.",
        "",
        "| asked | start | after 10 | 20 | 40 | a third of the pages | decisions needed |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, several in curves.items():
        for curve in several:
            at = [curve[min(k, len(curve) - 1)] for k in (0, 10, 20, 40, pages // 3)]
            values = " | ".join(f"{value:.3f}" for value in at)
            lines.append(f"| {name} | {values} | {needed(curve)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hands", type=Path)
    parser.add_argument("--split", default="test")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--picture", type=Path, default=PICTURE)
    arguments = parser.parse_args()
    pages = open_hands(arguments.hands).in_split(arguments.split)
    with TemporaryDirectory() as folder:
        keep = arguments.keep or Path(folder)
        keep.mkdir(parents=True, exist_ok=True)
        name = f"hands {arguments.split} 256 px"
        collection = Describing(keep)(name, pages, load_describer("default"), 256)
    expert = Expert.of(collection)
    number = len(expert.page_ids)
    generators = [np.random.default_rng(seed) for seed in range(SEEDS)]
    curves = {"the first of the queue": [expert.decide(first, number, 1)]}
    print(f"in the order of the queue: {needed(curves['the first of the queue'][0])} decisions")
    curves["any question of the queue"] = [
        expert.decide(any_question(generator), number, 10**6) for generator in generators
    ]
    curves["any two pages"] = [
        expert.decide(any_pair(generator, expert.page_ids), number, 1) for generator in generators
    ]
    RESULTS.write_text(report(curves, number, len(set(expert.writers))), encoding="utf-8")
    draw(curves, number, arguments.picture)


if __name__ == "__main__":
    main()

"""The report of the demo: plain values, laid out by the templates as one page of HTML.

The templates hold the words and escape every value; here numbers are taken, rounded and put into
rows. Of the values only the charts are HTML, namely SVG.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..describers import LearnedDescriber
from ..evaluation import Difference, compare
from ..names import need
from ..pixels import PageStore
from ..plotting import BLUE, ORANGE
from ..records import Page, Ranking, Scores
from ..training import Run, error_curve, plot_error_curves
from .inline_pictures import draw_svg, inline_png
from .plan import AVERAGE, GMP, HINGE, PATCH, DemoPlan
from .planted import PlantedTable
from .thumbnails import show_ranking, show_scan

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SAMPLES = 6  # pages that show what the corpora are
_CHART = (4.6, 3.4)  # inches
_SCRIPT_MEASURES = {"accuracy": "accuracy", "balanced_accuracy": "balanced accuracy"}


@dataclass(frozen=True)
class Told:
    """All that the report says."""

    plan: DemoPlan
    planted: tuple[PlantedTable, ...]
    planted_picture: bytes
    unseen: PageStore
    describer: LearnedDescriber  # with GMP
    runs: Mapping[str, Run]  # of the learned describers by name
    pages: tuple[Page, ...]  # that all describers describe
    scores: Mapping[str, Scores]  # of the describers by name
    rankings: Mapping[str, Ranking]
    script_run: Run
    script_scores: Scores
    seconds: Mapping[str, float]


def report_page(told: Told) -> str:
    """The whole page."""
    jinja2 = need("jinja2")
    templates = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__),
        autoescape=True,
        undefined=jinja2.StrictUndefined,  # a value that is missing is an error, not a gap
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return templates.get_template("report.html").render(report_values(told))


def report_values(told: Told) -> dict[str, Any]:
    """What the templates lay out, by the names they use."""
    over_hinge, over_average = (
        compare(told.scores[GMP], told.scores[other])["map"] for other in (HINGE, AVERAGE)
    )
    return {
        "version": __version__,
        "patch": PATCH,
        "known": told.plan.known,
        "unseen": told.plan.unseen,
        "names": {"gmp": GMP, "average": AVERAGE},
        "numbers": {
            "map": percent(told.scores[GMP].map),
            "over_hinge": points(over_hinge.value),
            "over_average": points(over_average.value),
            "scripts": percent(told.script_scores.accuracy),
        },
        "planted": _planted(told),
        "samples": [show_scan(page) for page in _samples(told.pages)],
        "training": _training(told),
        "test": _test(told.scores, over_hinge, over_average),
        "rankings": _rankings(told),
        "scripts": _scripts(told),
        "times": _times(told.seconds),
    }


def percent(share: float) -> str:
    """A share in percent, with one decimal."""
    return f"{100 * share:.1f}"


def points(difference: float, decimals: int = 1) -> str:
    """A difference of shares in percentage points, with its sign."""
    return f"{100 * difference:+.{decimals}f}".replace("-", "−")


def _planted(told: Told) -> dict[str, Any]:
    return {
        "picture": inline_png(told.planted_picture),
        "story": told.planted[0].scene.story,
        "scenes": [
            {
                "name": table.scene.name,
                "story": table.scene.story,
                "rows": [
                    (
                        row.pooling,
                        f"{row.writer:.0f} %",
                        f"{row.writing:.0f} %",
                        f"{row.top1:.0f} %",
                        f"{row.mean_average_precision:.0f} %",
                    )
                    for row in table.rows
                ],
                "best": _largest([row.mean_average_precision for row in table.rows]),
            }
            for table in told.planted
        ],
    }


def _samples(pages: Sequence[Page]) -> Sequence[Page]:
    step = max(len(pages) // SAMPLES, 1)
    return pages[::step][:SAMPLES]


def _training(told: Told) -> dict[str, Any]:
    recipe = told.plan.writer_recipe
    steps = recipe.epoch_steps
    curves = [error_curve(name, [run]) for name, run in told.runs.items()]
    return {
        "backbone": recipe.model.backbone,
        "writers": recipe.classes_per_batch,
        "patches": recipe.batch // recipe.classes_per_batch,
        "length": f"{recipe.epochs} epochs" + (f" of {steps} batches" if steps else ""),
        "losses": draw_svg(*_CHART, "Loss by epoch", partial(_plot_losses, runs=told.runs)),
        "errors": draw_svg(
            *_CHART,
            "Validation error by epoch",
            partial(plot_error_curves, curves=curves, what="1 − mAP"),
        ),
        "rows": [(name, *_run_cells(run)) for name, run in told.runs.items()],
    }


def _plot_losses(axes: Axes, runs: Mapping[str, Run]) -> None:
    for (name, run), colour in zip(runs.items(), (BLUE, ORANGE), strict=True):
        epochs = run.metrics()
        numbers = [epoch["epoch"] + 1 for epoch in epochs]
        axes.plot(numbers, [epoch["loss"] for epoch in epochs], color=colour, label=name)
    axes.set_xlabel("epoch")
    axes.set_ylabel("loss")
    axes.locator_params(axis="x", integer=True)
    axes.set_ylim(bottom=0)
    axes.grid(axis="y", linewidth=0.5)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)


def _run_cells(run: Run) -> tuple[str, ...]:
    """Loss, active triplets, ridge, best validation and minutes of a run."""
    epochs = run.metrics()
    last = epochs[-1]
    ridge = last["relative_ridge"]
    checked = [epoch["validation"] for epoch in epochs if epoch["validation"] is not None]
    return (
        f"{last['loss']:.3f}",
        f"{last['active']:.0%}",
        "–" if ridge is None else f"{ridge:.3g}",
        f"{percent(max(checked))} %" if checked else "–",
        _minutes(run),
    )


def _test(
    scores: Mapping[str, Scores], over_hinge: Difference, over_average: Difference
) -> dict[str, Any]:
    names = (HINGE, AVERAGE, GMP)
    apart = {
        AVERAGE: _with_interval(compare(scores[AVERAGE], scores[HINGE])["map"]),
        GMP: _with_interval(over_hinge),
    }
    return {
        "queries": scores[GMP].queries,
        "rows": [
            (
                name,
                _measure(scores[name], "map"),
                _measure(scores[name], "top_1"),
                apart.get(name, "–"),
            )
            for name in names
        ],
        "best": _largest([scores[name].map for name in names]),
        "over_average": _with_interval(over_average, unit=" points of mAP"),
        "verdict": _verdict(over_average),
    }


def _verdict(difference: Difference) -> str:
    """What the 95 % interval says of the difference: "better", "worse" or "open"."""
    if difference.low > 0:
        return "better"
    return "worse" if difference.high < 0 else "open"


def _rankings(told: Told) -> list[dict[str, Any]]:
    """The query that gains most by GMP and that which loses most, each as both describers rank."""
    gains = _gains(told.scores[GMP], told.scores[AVERAGE])
    queries = {
        "gains": max(gains, key=gains.__getitem__),
        "loses": min(gains, key=gains.__getitem__),
    }
    return [
        {
            "what": what,
            "change": points(gains[query], decimals=0),
            "rows": [
                (
                    name,
                    show_ranking(
                        told.rankings[name],
                        query,
                        told.unseen,
                        told.describer if name == GMP else None,
                    ),
                )
                for name in (GMP, AVERAGE)
            ],
        }
        for what, query in queries.items()
    ]


def _gains(ours: Scores, others: Scores) -> dict[str, float]:
    """Average precision of one less that of the other, by query."""
    of = dict(zip(others.item_ids, others.item_values["map"], strict=True))
    return {
        name: value - of[name]
        for name, value in zip(ours.item_ids, ours.item_values["map"], strict=True)
    }


def _scripts(told: Told) -> dict[str, Any]:
    scores = told.script_scores
    return {
        "minutes": _minutes(told.script_run),
        "number": len(scores.classes),
        "pages": scores.queries,
        "rows": [
            (title, _measure(scores, name))
            for name, title in _SCRIPT_MEASURES.items()
            if name in scores.values
        ],
        "confusion": [
            (name, _confusion_cells(counts))
            for name, counts in zip(scores.classes, scores.confusion, strict=True)
        ],
    }


def _confusion_cells(counts: Sequence[int]) -> list[tuple[str, str]]:
    """Each count, nothing for zero, and its share of the row, which is its colour."""
    pages = max(sum(counts), 1)
    return [(str(count) if count else "", f"{count / pages:.2f}") for count in counts]


def _times(seconds: Mapping[str, float]) -> dict[str, Any]:
    rows = [(part, f"{spent:.0f}") for part, spent in seconds.items()]
    together = ("together", f"{sum(seconds.values()):.0f}")
    return {"rows": [*rows, together], "best": len(rows)}


def _minutes(run: Run) -> str:
    return f"{sum(epoch['seconds'] for epoch in run.metrics()) / 60:.1f}"


def _measure(scores: Scores, name: str) -> str:
    text = percent(scores[name])
    if name in scores.intervals:
        text += " ({}–{})".format(*map(percent, scores.intervals[name]))
    return text


def _with_interval(found: Difference, unit: str = "") -> str:
    return f"{points(found.value)}{unit} ({points(found.low)} to {points(found.high)})"


def _largest(values: Sequence[float]) -> int:
    return max(range(len(values)), key=values.__getitem__)

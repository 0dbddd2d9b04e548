"""The report of the demo: what was told, as one page of HTML."""

from __future__ import annotations

from collections.abc import Sequence

from .. import __version__
from ..evaluation import Difference, compare
from ..records import Scores
from .curves import error_curve, plot_error_curves
from .demo import AVERAGE, GMP, HINGE, Told
from .pictures import BLUE, ORANGE
from .planted import PlantedTable
from .reports import percent
from .testing import SQUARE
from .thumbnails import ranking_row, scan_thumbnail
from .webpage import Html, drawing, element, page, png, table

SAMPLES = 6  # pages that show what the corpora are


def report_page(told: Told) -> str:
    """The whole page."""
    return page(
        {
            "lead": _lead(told),
            "numbers": _numbers(told),
            "planted": _planted(told),
            "hands": _hands(told),
            "training": _training(told),
            "unseen": _unseen(told),
            "rankings": _rankings(told),
            "scripts": _scripts(told),
            "times": _times(told),
            "footer": f"Made by dgmp {__version__} from seeds alone: the same on every machine up "
            "to rounding. This file needs no network and no other file.",
        }
    )


def _lead(told: Told) -> str:
    plan = told.plan
    return (
        f"A small network learned from {plan.hands.writers} synthetic hands to tell writers apart. "
        f"Here it meets {plan.unseen.writers} writers it has never seen, with {SQUARE} × {SQUARE} "
        "pixels of writing from each page."
    )


def _numbers(told: Told) -> Html:
    gain = compare(told.scores[GMP], told.scores[HINGE])["map"]
    apart = compare(told.scores[GMP], told.scores[AVERAGE])["map"]
    shown = [
        (percent(told.scores[GMP].map) + " %", f"mAP of {GMP} on unseen writers"),
        (_points(gain), "points of mAP over the contour hinge, which learns nothing"),
        (_points(apart), f"points of mAP of {GMP} over {AVERAGE}, one run each"),
        (percent(told.script_scores.accuracy) + " %", "of pages put into the right script of 12"),
    ]
    cards = [
        element("div", element("b", big), element("span", words), kind="number")
        for big, words in shown
    ]
    return element("div", *cards, kind="numbers")


def _planted(told: Told) -> Html:
    first = told.planted[0]
    parts = [
        _p(
            "Average pooling lets what is frequent drown what is rare. Generalized max pooling "
            "(GMP) solves one small ridge problem per image, so that every position of the map "
            "gets about an equal say. On made-up maps one can see what that does, and where it "
            "does harm: rare is not always what matters."
        ),
        element(
            "figure",
            png(
                told.planted_picture,
                "A made-up page, the weights of GMP, and what poolings keep",
                1800,
                615,
            ),
            element("figcaption", first.scene.story),
        ),
    ]
    for scene in told.planted:
        inside = [
            element("summary", f"Table: {scene.scene.name}"),
            _p(scene.scene.story),
            _planted_table(scene),
        ]
        parts.append(element("details", *inside))
    parts.append(
        element(
            "p",
            "Differ in: where the differences between descriptors of unit length point to. Every "
            "map asks for the others of its hand; the best mAP is marked.",
            kind="note",
        )
    )
    return _join(parts)


def _planted_table(scene: PlantedTable) -> Html:
    best = max(range(len(scene.rows)), key=lambda n: scene.rows[n].mean_average_precision)
    rows = [
        (
            row.pooling,
            f"{row.hand:.0f} %",
            f"{row.writing:.0f} %",
            f"{row.top1:.0f} %",
            f"{row.mean_average_precision:.0f} %",
        )
        for row in scene.rows
    ]
    head = ("pooling", "differ in the hand", "in how much is written", "top-1", "mAP")
    return table(head, rows, best)


def _hands(told: Told) -> Html:
    plan = told.plan
    step = max(len(told.pages) // SAMPLES, 1)
    samples = told.pages[::step][:SAMPLES]
    return _join(
        [
            _p(
                "Letters are drawn stroke by stroke from a hand's own habits, on paper of changing "
                f"colour. {plan.hands.writers} hands wrote {plan.hands.pages} pages each to learn "
                f"from, {plan.unseen.writers} others {plan.unseen.pages} pages each to be tested "
                "on, each in one of twelve scripts. Pages are binarised before anything looks at "
                "them: the colour of the paper tells nothing."
            ),
            element(
                "div",
                *(scan_thumbnail(page) for page in samples),
                kind="ranking",
            ),
        ]
    )


def _training(told: Told) -> Html:
    recipe = told.plan.writer_recipe
    steps = recipe.epoch_steps
    length = f"{recipe.epochs} epochs" + (f" of {steps} batches" if steps else "")
    curves = [error_curve(name, [run]) for name, run in told.runs.items()]
    with drawing(4.6, 3.4, "Loss by epoch") as (figure, losses):
        axes = figure.subplots()
        for (name, run), colour in zip(told.runs.items(), (BLUE, ORANGE), strict=True):
            epochs = run.metrics()
            numbers = [epoch["epoch"] + 1 for epoch in epochs]
            axes.plot(numbers, [epoch["loss"] for epoch in epochs], color=colour, label=name)
        axes.set_xlabel("epoch")
        axes.set_ylabel("loss")
        axes.locator_params(axis="x", integer=True)
        axes.set_ylim(bottom=0)
        axes.grid(axis="y", linewidth=0.5)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    with drawing(4.6, 3.4, "Validation error by epoch") as (figure, errors):
        plot_error_curves(figure.subplots(), curves, "1 − mAP")
    drawn = [element("figure", *losses), element("figure", *errors)]
    rows = []
    for name, run in told.runs.items():
        epochs = run.metrics()
        minutes = sum(epoch["seconds"] for epoch in epochs) / 60
        ridge = epochs[-1]["relative_ridge"]
        best = max((e["validation"] for e in epochs if e["validation"] is not None), default=None)
        rows.append(
            (
                name,
                f"{epochs[-1]['loss']:.3f}",
                f"{epochs[-1]['active']:.0%}",
                "–" if ridge is None else f"{ridge:.3g}",
                "–" if best is None else percent(best) + " %",
                f"{minutes:.1f}",
            )
        )
    head = ("pooling", "loss", "active triplets", "ρ", "best validation mAP", "minutes")
    return _join(
        [
            _p(
                f"Two networks ({recipe.model.backbone}) with the same start and the same batches, "
                f"{recipe.classes_per_batch} writers × {recipe.batch // recipe.classes_per_batch} "
                f"squares, {length}. They differ in the pooling alone. "
                "Some of the writers were held out to choose the best epoch."
            ),
            element("div", *drawn, kind="charts"),
            table(head, rows),
        ]
    )


def _unseen(told: Told) -> Html:
    names = (HINGE, AVERAGE, GMP)
    best = max(range(3), key=lambda n: told.scores[names[n]].map)
    rows = []
    for name in names:
        scores = told.scores[name]
        apart = "–"
        if name != HINGE:
            apart = _with_interval(compare(scores, told.scores[HINGE])["map"])
        rows.append((name, _measure(scores, "map"), _measure(scores, "top_1"), apart))
    pair = compare(told.scores[GMP], told.scores[AVERAGE])["map"]
    first = told.scores[GMP]
    return _join(
        [
            _p(
                f"Every page asks for the others of its writer; each describer sees one square of "
                f"{SQUARE} pixels from the middle of the binarised page. {first.queries} queries."
            ),
            table(("describer", "mAP", "top-1", "mAP over the hinge"), rows, best),
            _p(_verdict(pair)),
            element(
                "p",
                "In percent; in brackets 95 % intervals, bootstrap over writers, paired for "
                "differences. They tell what the choice of writers explains, not what another "
                "seed of the training would change: dgmp reproduce runs several.",
                kind="note",
            ),
        ]
    )


def _verdict(pair: Difference) -> str:
    low, high = _points_of(pair.low), _points_of(pair.high)
    words = f"{GMP} against {AVERAGE}: {_points(pair)} points of mAP ({low} to {high}). "
    if pair.low > 0:
        return words + "The interval excludes zero: on these writers, this run of GMP is better."
    if pair.high < 0:
        return words + "The interval excludes zero: on these writers, this run of GMP is worse."
    return words + "The interval includes zero: these writers cannot tell the two apart."


def _rankings(told: Told) -> Html:
    gains = _gains(told)
    best, worst = max(gains, key=lambda name: gains[name]), min(gains, key=lambda name: gains[name])
    parts = [
        _p(
            "The query that gains most by GMP, and the one that loses most. Warm colours show "
            "where the weights α of GMP lie: full colour is three times the mean weight. Average "
            "pooling would colour every place alike. ✓ and a green frame: by the writer of the "
            "query; ✗ and a red frame: by another. Below each page: its writer and its similarity."
        )
    ]
    for title, query in (("GMP gains most", best), ("GMP loses most", worst)):
        change = f"{100 * gains[query]:+.0f}".replace("-", "−") + " points of average precision"
        parts.append(element("h3", f"{title}: {change}"))
        for name in (GMP, AVERAGE):
            parts.append(element("p", name, kind="note"))
            parts.append(ranking_row(told, told.rankings[name], query, heat=name == GMP))
    return _join(parts)


def _gains(told: Told) -> dict[str, float]:
    """Average precision of GMP less that of the average, by query."""
    ours, others = told.scores[GMP], told.scores[AVERAGE]
    of = dict(zip(others.item_ids, others.item_values["map"], strict=True))
    return {
        name: value - of[name]
        for name, value in zip(ours.item_ids, ours.item_values["map"], strict=True)
    }


def _scripts(told: Told) -> Html:
    scores, run = told.script_scores, told.script_run
    epochs = run.metrics()
    minutes = sum(epoch["seconds"] for epoch in epochs) / 60
    rows = [(name, _measure(scores, key)) for key, name in _SCRIPT_ROWS if key in scores.values]
    return _join(
        [
            _p(
                f"The same kind of network, now with GMP and a classifier, learned the twelve "
                f"scripts from the same {told.plan.hands.writers} hands in {minutes:.1f} minutes. "
                f"It began with what the first had learned of hands. Tested on "
                f"{scores.queries} pages by {told.plan.unseen.writers} other hands."
            ),
            table(("", "percent"), rows),
            _confusion(scores),
            element(
                "p",
                "Rows: the true script. Columns: what the network says, by number.",
                kind="note",
            ),
        ]
    )


_SCRIPT_ROWS = (("accuracy", "accuracy"), ("balanced_accuracy", "balanced accuracy"))


def _confusion(scores: Scores) -> Html:
    numbers = range(1, len(scores.classes) + 1)
    head = element("tr", element("th", ""), *(element("th", n, scope="col") for n in numbers))
    lines = []
    for number, (name, counts) in enumerate(zip(scores.classes, scores.confusion, strict=True), 1):
        total = max(sum(counts), 1)
        cells = [
            element("td", count or "", style=f"--share:{count / total:.2f}") for count in counts
        ]
        lines.append(element("tr", element("th", f"{number} {name}", scope="row"), *cells))
    inside = element("table", element("thead", head), element("tbody", *lines), kind="confusion")
    return element("div", inside, kind="scroll")


def _times(told: Told) -> Html:
    rows = [(part, f"{seconds:.0f}") for part, seconds in told.seconds.items()]
    rows.append(("together", f"{sum(told.seconds.values()):.0f}"))
    note = "Parts that an earlier, interrupted demo had finished count almost nothing."
    return _join([table(("part", "seconds"), rows, len(rows) - 1), element("p", note, kind="note")])


def _measure(scores: Scores, name: str) -> str:
    text = percent(scores[name])
    if name in scores.intervals:
        text += " ({}–{})".format(*map(percent, scores.intervals[name]))
    return text


def _with_interval(found: Difference) -> str:
    return f"{_points(found)} ({_points_of(found.low)} to {_points_of(found.high)})"


def _points(found: Difference) -> str:
    return _points_of(found.value)


def _points_of(share: float) -> str:
    return percent(share, sign=True).replace("-", "−")


def _p(text: str) -> Html:
    return element("p", text)


def _join(parts: Sequence[Html]) -> Html:
    return Html("\n".join(parts))

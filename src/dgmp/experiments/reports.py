"""A table as Markdown, CSV and PNG, the paper's figures beside ours."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..files import replacing, write_text
from ..plotting import BLUE, INK, ORANGE, PALE, picture
from ..storage import as_path
from .outcomes import Outcome
from .rows import PaperTable
from .settings import Setting
from .table_folder import PATCH, is_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

VIEW_NAMES = {
    "page": "whole pages",
    "square": f"one patch of {PATCH} px from the middle of each page",
}
_SHORT = {"page": "whole pages", "square": f"{PATCH} px patches"}
Views = Mapping[str, Sequence[Outcome]]


def write_report(table: PaperTable, setting: Setting, views: Views, out: Path) -> list[Path]:
    """Write TABLE.md, TABLE.csv and TABLE.png into ``out``."""
    paths = [out / f"{table.name}{suffix}" for suffix in (".md", ".csv", ".png")]
    write_text(paths[0], _markdown(table, setting, views))
    with replacing(paths[1]) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows(_records(table, setting, views))
    _draw(table, setting, views, paths[2])
    return paths


def percent(share: float, sign: bool = False) -> str:
    """A share in percent, with one decimal."""
    return f"{100 * share:+.1f}" if sign else f"{100 * share:.1f}"


def _markdown(table: PaperTable, setting: Setting, views: Views) -> str:
    recipe = setting.recipe
    steps = recipe.epoch_steps
    length = f"{recipe.epochs} epochs" + (f" of {steps} steps" if steps else "")
    began = _beginning(setting.weights)
    lines = [
        f"# {table.title}",
        "",
        f"Data: {setting.data} (`{as_path(setting.corpus.root).name}`), tested on "
        f"{len(setting.test)} pages of `{as_path(setting.test.root).name}`. Figures of the paper "
        "are of the sets that their columns name and are to be compared with ours only where the "
        "data is the same.",
        "",
        f"Every row: recipe {setting.recipe_name}, {recipe.model.backbone} from {began}, {length} "
        f"of {recipe.batch} patches, the same seeds and the same pages held out for validation.",
    ]
    if table.remark:
        lines += ["", table.remark]
    for view, found in views.items():
        lines += ["", f"## On {VIEW_NAMES[view]}", ""]
        rows = _cells(table, found)
        lines += _pipes(rows)
    lines += ["", _NOTE[table.task]]
    return "\n".join(lines) + "\n"


def _beginning(weights: Path | None) -> str:
    if weights is None:
        return "random weights"
    if is_table(weights):
        return f"its own run in the table `{weights.name}` (seed 0)"
    return f"the weights `{weights.name}`"


_NOTE = {
    "writer": "In percent. ±: standard deviation over the seeds. In brackets: 95 % interval, "
    "bootstrap over writers of the mean over the seeds; differences are paired by query and seed. "
    "ρ: the relative ridge at the end. Minutes: training of one run, without validation.",
    "script": "In percent. ±: standard deviation over the seeds. In brackets: 95 % interval, "
    "bootstrap over manuscripts (pages, where no manuscript is known) of the mean over the seeds; "
    "differences are paired by page and seed. ρ: the relative ridge at the end. Minutes: training "
    "of one run, without validation.",
}


def _cells(table: PaperTable, found: Sequence[Outcome]) -> list[list[str]]:
    names = [name for name in table.measures if any(name in o.scores.values for o in found)]
    main = names[0] if names else ""
    together = any(outcome.ensemble for outcome in found)
    head = ["pooling", *(table.measures[name] for name in names)]
    head += ["ensemble"] * together + [f"Δ {table.measures.get(main, '')}", "ρ", "runs", "minutes"]
    papers = [
        (data, name)
        for data in table.paper_sets
        for name in dict.fromkeys(m for row in table.rows for m in row.paper.get(data, {}))
    ]
    head += [f"paper, {data}: {table.measures.get(name, name)}" for data, name in papers]
    rows = [head]
    for outcome in found:
        cells = [outcome.row.title]
        cells += [_value(outcome, name) for name in names]
        if together:
            cells.append(percent(outcome.ensemble.accuracy) if outcome.ensemble else "–")
        cells.append(_difference(outcome, main))
        cells.append("–" if outcome.ridge is None else f"{outcome.ridge:.2g}")
        cells.append(str(len(outcome.seeds)))
        cells.append("–" if outcome.minutes is None else f"{outcome.minutes:.1f}")
        for data, name in papers:
            figure = outcome.row.paper.get(data, {}).get(name)
            cells.append("–" if figure is None else f"{figure:.1f}")
        rows.append(cells)
    return rows


def _value(outcome: Outcome, name: str) -> str:
    scores = outcome.scores
    text = percent(scores[name])
    if name in outcome.spread:
        text += f" ± {percent(outcome.spread[name])}"
    if name in scores.intervals:
        text += " ({}–{})".format(*map(percent, scores.intervals[name]))
    return text


def _difference(outcome: Outcome, name: str) -> str:
    found = outcome.differences.get(name)
    if found is None:
        return "–"
    low, high = (percent(value, sign=True) for value in (found.low, found.high))
    text = f"{percent(found.value, sign=True)} ({low} to {high})"
    return f"**{text}**" if found.low > 0 or found.high < 0 else text


def _pipes(rows: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|---" + "|---:" * (len(rows[0]) - 1) + "|")
    return lines


_COLUMNS = (
    *("data", "view", "row", "pooling", "measure", "value", "low", "high", "std"),
    *("difference", "difference_low", "difference_high", "runs", "minutes", "relative_ridge"),
    *("paper_set", "paper"),
)


def _records(table: PaperTable, setting: Setting, views: Views) -> list[list[str]]:
    """One line per row, view and measure."""
    rows = [list(_COLUMNS)]
    for view, found in views.items():
        for outcome in found:
            for name in table.measures:
                if name in outcome.scores.values:
                    rows.append([setting.data, view, *_record(outcome, name)])
            if outcome.ensemble is not None:
                low, high = outcome.ensemble.intervals.get("accuracy", ("", ""))
                head = [outcome.row.name, outcome.row.title, "ensemble"]
                values = [outcome.ensemble.accuracy, low, high, "", "", "", "", len(outcome.seeds)]
                record = [*head, *map(_number, values), "", ""]
                rows.append([setting.data, view, *record, *_papers(outcome, "ensemble")])
    return rows


def _record(outcome: Outcome, name: str) -> list[str]:
    low, high = outcome.scores.intervals.get(name, ("", ""))
    found = outcome.differences.get(name)
    apart = ["", "", ""] if found is None else [found.value, found.low, found.high]
    values = [outcome.scores[name], low, high, outcome.spread.get(name, ""), *apart]
    values += [len(outcome.seeds), outcome.minutes, outcome.ridge]
    head = [outcome.row.name, outcome.row.title, name]
    return [*head, *map(_number, values), *_papers(outcome, name)]


def _papers(outcome: Outcome, name: str) -> list[str]:
    known = {
        data: figures[name] / 100 for data, figures in outcome.row.paper.items() if name in figures
    }
    return ["; ".join(known), "; ".join(_number(value) for value in known.values())]


def _number(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def _draw(table: PaperTable, setting: Setting, views: Views, path: Path) -> None:
    main, heading = next(iter(table.measures.items()))
    papers = [
        data for data in table.paper_sets if any(main in r.paper.get(data, {}) for r in table.rows)
    ]
    shown = [(view, found) for view, found in views.items() if found]
    count = max((len(found) for _, found in shown), default=1)
    with picture(path, 3.2 + 3 * (len(shown) + len(papers)), 1.3 + 0.36 * count) as figure:
        panels = figure.subplots(1, len(shown) + len(papers), sharey=True, squeeze=False)[0]
        for axes, (view, found) in zip(panels, shown, strict=False):
            _dots(axes, found, main)
            axes.set_title(f"{_SHORT[view]},\n{setting.data}", fontsize=8)
            axes.set_xlabel(f"{heading}, %")
        for axes, data in zip(panels[len(shown) :], papers, strict=True):
            rows = [outcome.row for outcome in shown[0][1]]
            for name, marker, colour in ((main, "D", ORANGE), ("ensemble", "s", INK)):
                figures = [row.paper.get(data, {}).get(name) for row in rows]
                places = [place for place, figure in enumerate(figures) if figure is not None]
                values = [figures[place] for place in places]
                axes.plot(values, places, marker, color=colour, ms=5)
            axes.set_title(f"paper,\n{data}", fontsize=8)
            axes.set_xlabel(f"{heading}, %")
            axes.grid(axis="x")
            axes.tick_params(axis="y", length=0)
            axes.margins(x=0.15)
        _legend(panels[0], any(outcome.ensemble for _, found in shown for outcome in found))


def _legend(axes: Axes, ensemble: bool) -> None:
    """Below the first panel, in words."""
    words = "dot: mean over seeds, with its deviation · band: 95 % interval over writers"
    if ensemble:
        words = words.replace("writers", "manuscripts") + " · square: ensemble"
    axes.figure.supxlabel(words, fontsize=8, x=0.01, ha="left")


def _dots(axes: Axes, found: Sequence[Outcome], main: str) -> None:
    for place, outcome in enumerate(found):
        value = 100 * outcome.scores[main]
        low, high = (100 * v for v in outcome.scores.intervals.get(main, (value / 100,) * 2))
        axes.plot([low, high], [place, place], color=PALE, lw=6, solid_capstyle="butt")
        spread = 100 * outcome.spread.get(main, 0.0)
        axes.errorbar(value, place, xerr=spread, fmt="o", color=BLUE, ms=5, elinewidth=1.5)
        if outcome.ensemble is not None:
            axes.plot(100 * outcome.ensemble.accuracy, place, "s", color=INK, ms=4)
    axes.set_yticks(range(len(found)), [outcome.row.title for outcome in found])
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    axes.set_axisbelow(True)

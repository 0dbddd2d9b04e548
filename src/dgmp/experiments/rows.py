"""What a table of the paper is made of: rows, each a change of one recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..names import check_name
from ..training import Recipe

Figures = Mapping[str, float]  # measure -> percent


@dataclass(frozen=True)
class Row:
    """A pooling in its place at the end of the network of a recipe; all else stays the same."""

    name: str  # of its runs
    title: str
    pooling: str
    options: Mapping[str, Any] = field(default_factory=dict)
    normalize: bool = True
    margin: float | None = None  # of batch-hard triplets; None: the loss of the recipe
    whitened: str | None = None  # the row whose descriptors it whitens: it trains nothing itself
    baseline: str | None = None  # the row it is compared with
    paper: Mapping[str, Figures] = field(default_factory=dict)  # by data set

    def recipe(self, base: Recipe) -> Recipe:
        """The recipe of this row's runs."""
        model = replace(
            base.model,
            pooling=self.pooling,
            pooling_options=dict(self.options),
            normalize=self.normalize,
        )
        if self.margin is None:
            return replace(base, model=model)
        return replace(base, model=model, mining="hard", soft_margin=False, margin=self.margin)


@dataclass(frozen=True)
class PaperTable:
    """Rows that are trained and tested alike."""

    name: str
    title: str
    task: str  # "writer" or "script"
    rows: tuple[Row, ...]
    seeds: int
    measures: Mapping[str, str]  # name in Scores -> heading; the first is the one that counts
    remark: str = ""

    @property
    def paper_sets(self) -> tuple[str, ...]:
        """The data sets of which the paper gives figures."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row.paper))

    def chosen(self, names: Sequence[str] | None) -> tuple[Row, ...]:
        """The rows of these names, in the table's order; None: all."""
        if names is None:
            return self.rows
        known = [row.name for row in self.rows]
        for name in names:
            check_name(name, known, f"row of the table {self.name}")
        # A row that whitens another's descriptors needs that one's runs.
        needed = {row.whitened for row in self.rows if row.name in names}
        return tuple(row for row in self.rows if row.name in {*names, *needed})


WRITER_MEASURES = {"map": "mAP", "top_1": "top-1"}
SCRIPT_MEASURES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "group_accuracy": "per manuscript",
}

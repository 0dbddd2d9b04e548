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
    """A pooling at the end of the network of a recipe, or what the networks of other rows give.

    All else stays the same.
    """

    name: str  # of its runs
    title: str
    pooling: str
    options: Mapping[str, Any] = field(default_factory=dict)
    normalize: bool = True
    margin: float | None = None  # of batch-hard triplets; None: the loss of the recipe
    whitened: str | None = None  # the row whose descriptors it whitens: it trains nothing itself
    members: tuple[str, ...] = ()  # rows whose probabilities it averages: it trains nothing itself
    sizes: tuple[float, ...] = (1.0,)  # image sizes at which it is tested, of each member
    size: float = 1.0  # image size at which it is trained and tested
    zca: int | None = None  # pixels along the filter that whitens its patches
    baseline: str | None = None  # the row it is compared with
    paper: Mapping[str, Figures] = field(default_factory=dict)  # by data set

    @property
    def trains(self) -> bool:
        """Whether it has runs of its own."""
        return self.whitened is None and not self.members

    def recipe(self, base: Recipe) -> Recipe:
        """The recipe of this row's runs."""
        looks_at = base.input if self.size == 1 else base.input.at_size(self.size)
        if self.zca is not None:
            looks_at = replace(looks_at, view="patches", zca=self.zca)
        base = replace(base, input=looks_at)
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
        # A row that trains nothing needs the runs of others.
        needed = {
            other
            for row in self.rows
            if row.name in names
            for other in (row.whitened, *row.members)
        }
        return tuple(row for row in self.rows if row.name in {*names, *needed})


WRITER_MEASURES = {"map": "mAP", "top_1": "top-1"}
SCRIPT_MEASURES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "group_accuracy": "per manuscript",
}

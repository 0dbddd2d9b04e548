"""What all rows of a table share: data, recipe, weights to begin with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..corpora import Corpus
from ..errors import CorpusError, DgmpError
from ..files import to_plain
from ..storage import as_path
from ..training import Recipe, find_recipe, override
from .rows import PaperTable, Row
from .table_folder import finished_seeds, is_table, run_folder

_PAPER_RECIPES = {
    "historical-wi": "writer-paper",
    "clamm16": "script16-paper",
    "clamm17": "script17-paper",
}
_OFFICIAL = {
    "historical-wi": "the official Historical-WI set (ICDAR 2017)",
    "clamm16": "the official CLaMM 2016 set",
    "clamm17": "the official CLaMM 2017 set",
}


@dataclass(frozen=True)
class Setting:
    """What all rows of a table share."""

    corpus: Corpus  # trained on, its test pages left alone
    test: Corpus  # tested on
    recipe: Recipe
    recipe_name: str
    weights: Path | None = None  # a file, the folder of a run, or that of a table
    device: str = "auto"

    @classmethod
    def choose(
        cls,
        table: PaperTable,
        corpus: Corpus,
        *,
        test: Corpus | None = None,
        recipe: str | None = None,
        changes: Sequence[str] = (),
        weights: Path | None = None,
        device: str = "auto",
    ) -> Setting:
        """The paper's recipe on the paper's sets and a small one elsewhere, unless one is named."""
        name = recipe or _PAPER_RECIPES.get(corpus.kind, f"{table.task}-small")
        chosen = override(find_recipe(name), changes)
        if chosen.task != table.task:
            raise DgmpError(
                f"the table {table.name} is of {table.task}s, the recipe {name} learns "
                f"{chosen.task}s"
            )
        if weights is not None and not (
            weights.is_file() or (weights / "model.json").is_file() or is_table(weights)
        ):
            raise DgmpError(f"{weights}: is no weight file, and no folder of a run or a table")
        tested = _test_pages(table, corpus, test)
        shown = name if not changes else f"{name} with {', '.join(changes)}"
        return cls(corpus, tested, chosen, shown, weights, device)

    def start(self, row: Row) -> Path | None:
        """What the runs of a row begin with: where that is a table, the row's own first run."""
        if self.weights is None or not is_table(self.weights):
            return self.weights
        if 0 not in finished_seeds(self.weights, row, "page"):
            raise DgmpError(
                f"{self.weights}: has no finished run of {row.name} with seed 0 to begin with; "
                f"make it first, or leave the row out by --rows"
            )
        return run_folder(self.weights, row, 0)

    @property
    def data(self) -> str:
        """Which data this is, in words."""
        if (as_path(self.corpus.root) / "synthetic.json").exists():
            return "synthetic handwriting"
        return _OFFICIAL.get(self.corpus.kind, "a stand-in, none of the paper's sets")

    def to_json(self) -> dict[str, Any]:
        """What must not change while a table grows."""
        return {
            "data": str(self.corpus.root),
            "test": str(self.test.root),
            "test_pages": len(self.test),
            "weights": None if self.weights is None else str(self.weights),
            "recipe": to_plain(self.recipe),
        }


def _test_pages(table: PaperTable, corpus: Corpus, test: Corpus | None) -> Corpus:
    """The pages in split test with a label; of a corpus that is only for testing, all of them."""
    tested = test or corpus
    pages = tuple(page for page in tested if page.split == "test")
    if test is not None and not pages:
        pages = test.pages
    if not pages:
        raise CorpusError(
            f"{corpus.root}: has no pages in split test; name a second corpus to test on by "
            "--test-data"
        )
    pages = tuple(page for page in pages if getattr(page, table.task) is not None)
    if not pages:
        raise CorpusError(f"{tested.root}: none of its test pages has a {table.task}")
    return replace(tested, pages=pages)

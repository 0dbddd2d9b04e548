"""How much of everything the demo makes, and what its describers are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..synthetic import CorpusPlan
from ..training import Recipe, find_recipe, override

GMP, AVERAGE, HINGE = "GMP", "Avg + ℓ2", "contour hinge, no learning"
PATCH = 256  # pixels of each page that are described: with more text all describers are right

# Sized for six minutes on two cores.
_KNOWN = CorpusPlan(writers=160, pages=3, seed=11, scripts=True)
_UNSEEN = CorpusPlan(writers=60, pages=4, seed=12, scripts=True)
# These pages are all of one scan size already; their size of writing is the writer's own. Of a
# script the proportions count, so its pages are brought to one scale.
_WRITERS = ["input.preparation.canonical=none"]
_SCRIPTS = ["epochs=20", "decay_from=6", "validate_every=10"]


def _small(task: str, changes: Sequence[str]) -> Recipe:
    return override(find_recipe(f"{task}-small"), changes)


@dataclass(frozen=True)
class DemoPlan:
    """How much of everything."""

    known: CorpusPlan = _KNOWN  # to learn from
    unseen: CorpusPlan = _UNSEEN  # to be tested on
    writer_recipe: Recipe = field(default_factory=lambda: _small("writer", _WRITERS))
    script_recipe: Recipe = field(default_factory=lambda: _small("script", _SCRIPTS))
    seed: int = 0

    @property
    def corpora(self) -> Mapping[str, CorpusPlan]:
        """The corpora by the names of their folders."""
        return {"known": self.known, "unseen": self.unseen}

    @property
    def average_recipe(self) -> Recipe:
        """The writers' recipe with average pooling to unit length, and nothing else changed."""
        average = replace(
            self.writer_recipe.model, pooling="avg", pooling_options={}, normalize=True
        )
        return replace(self.writer_recipe, model=average)

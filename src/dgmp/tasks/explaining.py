"""Where on a page its descriptor comes from, or what makes two pages alike, as a picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..describers import (
    ExplainedPage,
    LearnedDescriber,
    draw_likeness,
    draw_weights,
    explain_page,
    load_network,
    reader,
)
from ..files import check_place
from ..records import Floats
from .opening import one_page


@dataclass(frozen=True, eq=False)
class Explanation:
    """A picture that was drawn, and what it shows."""

    picture: Path
    pages: tuple[ExplainedPage, ...]
    values: tuple[Floats, ...]  # of the positions of each page: weights, or parts of the cosine
    cosine: float | None = None  # of two pages


def explain(
    page: Path | str,
    describer: str | Path,
    out: Path | str,
    *,
    other: Path | str | None = None,
    device: str = "auto",
) -> Explanation:
    """Draw the weights of a page's positions, or what makes it like ``other``, as PNG."""
    out = Path(out)
    check_place(out)
    learned = LearnedDescriber(load_network(describer), device=device)
    read = reader(learned)
    one = explain_page(learned, read(one_page(page)))
    if other is None:
        return Explanation(draw_weights(one, out), (one,), (one.relative_weights,))
    two = explain_page(learned, read(one_page(other)))
    parts = one.contributions(two.vector), two.contributions(one.vector)
    return Explanation(
        draw_likeness(one, two, out), (one, two), parts, float(one.vector @ two.vector)
    )

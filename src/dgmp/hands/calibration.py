"""What a cosine says about hands: log-evidence, and a probability once a prior is stated.

A cosine s is first stretched to t = artanh s, Fisher's transform of a correlation, by which a step
from .98 to .99 counts for more than one from .10 to .11. And cosines shift from one collection to
the next: charters of one chancery are all alike, a mixed library is not. So that of pages a and b
is measured against the collection they lie in,

    z = ½ (t − m_a)/σ_a + ½ (t − m_b)/σ_b,

m_a being the median of a's t to (a sample of) the collection and σ_a the distance from there down
to their 16th percentile. Both look at the lower half only, where pages by the same hand do not
lie as long as no hand has written half of the collection. In a small collection they lean on the
values m₀, σ₀ of the pages of known writers, as if ``LEAN`` such pages had been added.

On pairs by known writers a logistic curve turns z into the log-evidence w·z + c, the logarithm of
how much more often z is met with one hand than with two. It rises with the cosine. A probability
needs a prior besides: of the other pages of the collection a query is expected to have ``mates`` by
its own hand, so that

    P(same hand) = σ(w·z + c + log odds),    odds = mates / (pages − 1 − mates), at most even.

The same cosine is therefore worth less in a large catalogue, which has more look-alikes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CatalogueError, DgmpError
from ..files import Format, from_plain, to_plain
from ..records import Descriptors, Floats, Hit

FORMAT = Format("dgmp-calibration", 2, "calibration")
LEAN = 20  # pages
_BLOCK = 2048  # pages
_ALIKE = 0.9998  # the cosine from which two pages are as good as copies


@dataclass(frozen=True)
class Calibration:
    """Fitted by :func:`fit_calibration` on pages by known writers, for one describer."""

    location: float  # m₀
    spread: float  # σ₀
    weight: float  # w
    bias: float  # c
    threshold: float  # mean log-odds above which groups of pages are one hand
    lone_threshold: float  # the same for a page alone and a group
    confidence: tuple[float, float, float]  # of a group: see grouping.py
    single_confidence: tuple[float, float]  # of a page alone
    mates: float = 3.0  # other pages by its hand that a page is expected to have in a collection

    def __post_init__(self) -> None:
        values = [x for value in asdict(self).values() for x in np.atleast_1d(value)]
        if not np.isfinite(values).all() or min(self.spread, self.weight, self.mates) <= 0:
            raise ValueError(
                f"values must be finite, with spread, weight and mates above 0: {self}"
            )

    def to_json(self) -> dict[str, Any]:
        """As JSON has it, with a format version."""
        return FORMAT.stamp(to_plain(self))

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Calibration:
        """What :meth:`to_json` gave."""
        try:
            found = FORMAT.check(dict(stored), "the calibration")
            values = {
                key: value for key, value in found.items() if key not in ("format", "version")
            }
            return from_plain(values, cls, "the calibration")
        except DgmpError as error:
            raise CatalogueError(str(error)) from error

    def evidence(self, cosines: NDArray[Any], first: Background, second: Background) -> Floats:
        """Log-evidence for one hand; backgrounds are broadcast against the cosines."""
        t = stretched(cosines)
        z = (t - first.location) / first.spread + (t - second.location) / second.spread
        return np.asarray(self.weight * z / 2 + self.bias, np.float64)

    def prior_log_odds(self, pages: int) -> float:
        """Before looking: the log-odds that two pages of a collection are by one hand."""
        return math.log(self.mates / max(pages - 1 - self.mates, self.mates))

    def probabilities(self, cosines: NDArray[Any], background: Background, pages: int) -> Floats:
        """P(same hand) of a query and its hits; the background is that of the query, then hits."""
        evidence = self.evidence(cosines, background[:1], background[1:])
        return sigmoid(evidence + self.prior_log_odds(pages))


@dataclass(frozen=True, eq=False)
class Background:
    """How like its collection each page is: m and σ of the docstring above."""

    location: Floats  # (pages,)
    spread: Floats  # (pages,)

    def __getitem__(self, part: slice | NDArray[Any]) -> Background:
        return Background(self.location[part], self.spread[part])

    @classmethod
    def of(
        cls,
        vectors: NDArray[np.float32],  # (pages, dim)
        sample: NDArray[np.float32],  # (sampled, dim)
        location: float,
        spread: float,
        page_ids: Sequence[str | None],
        sample_ids: Sequence[str],
    ) -> Background:
        """Measure pages against a sample of their collection; a page is not held against itself."""
        place = {id: column for column, id in enumerate(sample_ids)}
        own = np.array([place.get(id, -1) if id is not None else -1 for id in page_ids])
        low, middle = np.full(len(vectors), np.nan), np.full(len(vectors), np.nan)
        others = len(sample) - (own >= 0)  # (pages,)
        for start in range(0, len(vectors), _BLOCK):
            rows = slice(start, start + _BLOCK)
            cosines = stretched(vectors[rows] @ sample.T).astype(np.float64)
            inside = np.flatnonzero(own[rows] >= 0)
            cosines[inside, own[rows][inside]] = np.nan
            some = others[rows] > 0
            if some.any():
                low[rows][some], middle[rows][some] = _quantiles(cosines[some], (0.16, 0.5))
        share = others / (others + LEAN)
        middle = np.where(others > 0, middle, location)
        width = np.where(others > 0, middle - low, spread)
        return cls(
            share * middle + (1 - share) * location,
            np.maximum(share * width + (1 - share) * spread, spread / 10),
        )


def with_probabilities(
    hits: Sequence[Hit],
    vectors: NDArray[np.float32],  # (hits, dim)
    query: NDArray[np.float32],  # (dim,)
    query_id: str | None,  # of a query that lies in the collection
    sample: Descriptors,  # of the collection
    pages: int,  # of the whole collection
    calibration: Calibration,
) -> tuple[Hit, ...]:
    """The hits of a search with the probability of each that query and page are by one hand."""
    if not hits:
        return ()
    background = Background.of(
        np.vstack([query[None], vectors]),
        sample.vectors,
        calibration.location,
        calibration.spread,
        (query_id, *(hit.page_id for hit in hits)),
        sample.page_ids,
    )
    cosines = np.array([hit.cosine for hit in hits])
    found = calibration.probabilities(cosines, background, pages).tolist()
    return tuple(replace(hit, probability=p) for hit, p in zip(hits, found, strict=True))


def stretched(cosines: NDArray[Any]) -> NDArray[Any]:
    """artanh; cosines near 1 are not told apart, where pages are as good as copies."""
    return np.arctanh(np.clip(cosines, -_ALIKE, _ALIKE))


def sigmoid(x: NDArray[Any]) -> Floats:
    """1 / (1 + exp(−x)), without overflow."""
    return 0.5 * (1 + np.tanh(np.asarray(x, np.float64) / 2))


def _quantiles(rows: Floats, shares: Sequence[float]) -> Floats:
    """Quantiles along rows, some of whose entries are NaN: at most one in each."""
    ordered = np.sort(rows, axis=1)  # NaN last
    last = (~np.isnan(ordered)).sum(axis=1) - 1  # (rows,)
    found = []
    for share in shares:
        at = share * last
        below = np.floor(at).astype(int)
        above = np.minimum(below + 1, last)
        row = np.arange(len(rows))
        part = at - below
        found.append((1 - part) * ordered[row, below] + part * ordered[row, above])
    return np.array(found)

"""Whether the pages of a collection are better brought to one scale or each to its own.

Estimates of line distances differ within a collection for two reasons. Hands write at different
sizes, which belongs to a hand and must be kept: one scale for all. Or scans were made or cut to
different sizes, which must be taken out: a scale for each. The estimates alone do not tell which,
but the writing does. A sample of pages is described both ways; under the right one, pages are more
like their most similar page. Where no two pages of the sample are by one hand, neither way gains,
and the scale stays shared.

On `hands`, whose pages share a resolution, and on pages in another alphabet the mean of these
cosines falls by 0.00 to 0.01 where each page has its own scale, on synthetic pages whose sizes vary
it rises by 0.03 to 0.05, and four pages in five gain (benchmarks/results/shared_scale.md).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ...describers import Describer, describe_pages
from ...engines import Engine
from ...errors import CorpusError
from ...records import Floats, Page, Stage

SAMPLE = 60  # pages
RUN = 5  # of them that follow each other: neighbours in a folder are often by one hand
FEWEST = 8  # pages that say anything
LEAST_DIFFERENCE = 0.04  # median, of logarithms: resampling by less changes next to nothing
LEAST_GAIN = 0.01  # of the cosine with the most similar page, mean over the sample
LEAST_SHARE = 2 / 3  # of its pages gain


def own_scales_are_better(
    pages: Sequence[Page],
    describer: Describer,
    shared: Mapping[str, float],  # distances by page id, as are the others
    own: Mapping[str, float],
    *,
    engine: Engine | None = None,
    stage: Stage | None = None,
) -> bool:
    """Whether the pages that have two distances are more alike when each keeps its own."""
    both = [page for page in pages if page.id in shared and page.id in own]
    if len(both) < FEWEST:
        return False
    differences = [abs(math.log(own[page.id] / shared[page.id])) for page in both]
    if np.median(differences) < LEAST_DIFFERENCE:
        return False
    sample = _sample(both)
    progress = None if stage is None else stage("comparing scales", 2 * len(sample))
    found = []
    for distances in (shared, own):
        try:
            made = describe_pages(
                sample, describer, distances=distances, engine=engine, progress=progress
            )
        except CorpusError:  # none can be described, which is said when all are
            return False
        found.append(dict(zip(made.descriptors.page_ids, made.descriptors.vectors, strict=True)))
    ids = [page.id for page in sample if page.id in found[0] and page.id in found[1]]
    if len(ids) < FEWEST:
        return False
    before, after = (_nearest(np.stack([vectors[id] for id in ids])) for vectors in found)
    gains = after - before
    return bool(gains.mean() >= LEAST_GAIN and (gains > 0).mean() >= LEAST_SHARE)


def _sample(pages: Sequence[Page]) -> list[Page]:
    """All of a small collection, else runs of neighbours from everywhere in it."""
    ordered = sorted(pages, key=lambda page: page.id)
    if len(ordered) <= SAMPLE:
        return ordered
    starts = np.linspace(0, len(ordered) - RUN, SAMPLE // RUN).astype(int)
    return [page for start in starts for page in ordered[start : start + RUN]]


def _nearest(vectors: Floats) -> Floats:  # (pages, dim) -> (pages,)
    """The cosine of each page with the one most like it."""
    cosines = (vectors @ vectors.T).astype(np.float64)
    np.fill_diagonal(cosines, -1)
    return np.asarray(cosines.max(axis=1))

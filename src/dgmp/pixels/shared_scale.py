"""One scale for the scans of a collection that share a resolution.

The estimate of a single page's line distance is off by 5 to 15 %, and a scale of its own takes from
every page the size of its writing, which is part of a hand. Scans of one collection mostly come at
one resolution, or at a few. The estimates x of such scans, taken as logarithms, gather in modes,
one per resolution, whose spread comes from the writers:

    p(x) = Σ_k w_k [(1 − q) N(x; m_k, s² + e²) + q N(x; m_k, 0.5²)] + a / range

e is the error of the page's estimate and q the chance that it is wrong by far, both by how sure it
is; s is one spread for all modes, at most 0.3; a is the share of pages at resolutions of their own.
None to four modes are fitted by expectation maximisation, and their number is that of the highest
likelihood less a penalty per mode (BIC). The pages of a mode get one distance, exp(m_k). A page
that is more probably alone keeps its own, as all do where the estimates spread evenly; but the
pages of one folder and about one size get their median, if they agree.

Distances of pages with a resolution tag are divided by it, and these are fitted by themselves. What
was learned is a :class:`CollectionScale`, which is kept: a page that comes later is treated as
those that were there. Two resolutions less than a factor of 1.4 apart are not told from writers of
different sizes, nor are two a factor of two apart where these differ by 20 % and more.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

MOST_MODES = 4
LARGEST_SPREAD = 0.3  # of a mode: of writers at one resolution 0.1 to 0.25
LARGEST_TAGGED_SPREAD = 0.5  # where tags say that the resolution is one
USUAL_SPREAD = 0.15  # what a mode's spread is taken to be before it is seen,
USUAL_WEIGHT = 4  # with the weight of so many pages
CLOSEST = 0.35  # modes: less is the difference between hands
FAR = 0.5  # the spread of estimates that are wrong by far
SMALLEST_RANGE = math.log(4)  # of resolutions that have nothing to do with each other
USUALLY = math.log(2)  # the log-odds that scans of a collection share their resolutions;
SAME_SIZE = 3.0  # added where they are all of one size in pixels,
TAGS = 10.0  # and where they have tags
LEAST_ALONE = 0.03  # share of pages alone, when a page is judged: pages may come from elsewhere
TAGGED = 300.0  # dots per inch that tagged distances are brought to
FOLDER_SPREAD = 0.15  # the pages of a folder agree if theirs is less
FOLDER_SIZES = 0.2  # and if their sizes in pixels differ by less, as logarithms
ROUNDS = 60

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Measured:
    """The estimated distance between the lines of a page, and what else tells its resolution."""

    distance: float  # in pixels of the scan
    sure: float = 1.0  # 0: a guess; 1: certain
    dpi: float | None = None  # from a tag
    folder: str | None = None
    size: tuple[int, int] | None = None  # of the scan in pixels


@dataclass(frozen=True)
class Mode:
    """A resolution that scans share: the distance between their lines, and how many there are."""

    distance: float  # in pixels; of tagged pages at 300 dpi
    share: float  # of all pages
    pages: int


@dataclass(frozen=True)
class Modes:
    """The resolutions of pages that all have a tag, or none."""

    modes: tuple[Mode, ...] = ()
    spread: float = USUAL_SPREAD  # of logarithms of distances in a mode
    alone: float = 1.0  # share of pages at resolutions of their own; 0: all are known to share
    range: float = SMALLEST_RANGE  # that these have, as a logarithm

    def nearest(self, x: float, sure: float) -> Mode | None:
        """The mode that the logarithm of a distance belongs to; None: more probably to none."""
        if not self.modes:
            return None
        centres = np.array([math.log(mode.distance) for mode in self.modes])
        shares = np.array([mode.share for mode in self.modes])
        likely = _likelihoods(np.array([x]), np.array([sure]), centres, shares, self.spread)[0]
        best = int(np.argmax(likely))
        alone = max(self.alone, LEAST_ALONE) if self.alone else 0.0
        return self.modes[best] if likely[best] >= alone / self.range else None


@dataclass(frozen=True)
class Folder:
    """The distance between lines that the pages of a folder share, and their size in pixels."""

    distance: float
    side: float  # the root of width × height


@dataclass(frozen=True)
class CollectionScale:
    """What a collection says about the resolutions of its scans."""

    plain: Modes | None = None  # of pages without a tag; None: there were none
    tagged: Modes | None = None
    dpi: float | None = None  # the usual tag, or what all scans are known to have
    line_distance: float | None = None  # what all scans are known to have
    folders: dict[str, Folder] = field(default_factory=dict)  # of pages that belong to no mode

    def distance(self, page: Measured) -> float:
        """The line distance that a page is to be brought to scale by."""
        if self.line_distance is not None:
            return self.line_distance
        mode, dpi = self._mode(page)
        if mode is not None:
            return mode.distance if dpi is None else mode.distance * dpi / TAGGED
        folder = self.folders.get(page.folder or "")
        if folder is None or page.size is None:
            return page.distance
        off = abs(math.log(page.distance / folder.distance))
        alike = abs(math.log(_side(page.size) / folder.side)) < FOLDER_SIZES
        return folder.distance if alike and off < 2 * FOLDER_SPREAD else page.distance

    def with_dpi(self, page: Measured, dpi: float | None = None) -> Measured:
        """The page with the resolution that it is known to have, whatever its tag says."""
        known = dpi or (self.dpi if self.tagged is not None and not self.tagged.alone else None)
        return page if known is None else replace(page, dpi=known)

    def extended(self, pages: Sequence[Measured]) -> CollectionScale:
        """With what pages say of which nothing is known so far, as of the first that have tags."""
        found = learn_scale(pages)
        return replace(
            self,
            plain=self.plain or found.plain,
            tagged=self.tagged or found.tagged,
            dpi=self.dpi or found.dpi,
        )

    def _mode(self, page: Measured) -> tuple[Mode | None, float | None]:
        """The mode of a page, and the resolution that its distances are to be taken at."""
        dpi = page.dpi
        if self.tagged is None or (dpi is None and self.plain is not None):
            dpi = None  # there are no distances at known resolutions
        elif dpi is None:
            dpi = self.dpi
        modes = self.plain if dpi is None else self.tagged
        if modes is None:
            return None, dpi
        return modes.nearest(math.log(page.distance * TAGGED / (dpi or TAGGED)), page.sure), dpi


def learn_scale(pages: Sequence[Measured], *, dpi: float | None = None) -> CollectionScale:
    """The resolutions of a collection, whatever the order of its pages.

    ``dpi`` is what all scans are known to have: they share one distance, whatever their tags say.
    """
    if dpi is not None:
        x, sure = _sorted([replace(page, dpi=dpi) for page in pages])
        mode = Mode(math.exp(_middle(x, sure)), 1.0, len(x))
        return CollectionScale(tagged=Modes((mode,), LARGEST_TAGGED_SPREAD, 0.0), dpi=dpi)
    plain = [page for page in pages if page.dpi is None]
    tagged = [page for page in pages if page.dpi is not None]
    tags = sorted(page.dpi for page in tagged if page.dpi is not None)
    found = CollectionScale(
        _fit(plain, LARGEST_SPREAD, 0.0) if plain else None,
        _fit(tagged, LARGEST_TAGGED_SPREAD, TAGS) if tagged else None,
        tags[len(tags) // 2] if tags else None,
    )
    by_folder: dict[str, list[Measured]] = defaultdict(list)
    for page in pages:
        if page.folder is not None and page.size is not None and found._mode(page)[0] is None:
            by_folder[page.folder].append(page)
    folders = {name: _folder(inside) for name, inside in sorted(by_folder.items())}
    return replace(found, folders={name: at for name, at in folders.items() if at is not None})


def _folder(pages: Sequence[Measured]) -> Folder | None:
    """What the pages of a folder agree on: most of those of about one size, if three or more."""
    sides = np.array([_side(page.size or (1, 1)) for page in pages])
    side = float(np.median(sides))
    logs = np.log([page.distance for page in pages])
    logs = logs[np.abs(np.log(sides / side)) < FOLDER_SIZES]
    if len(logs) < max(3, 0.5 * len(pages)):
        return None
    middle = float(np.median(logs))
    near = np.abs(logs - middle) < FOLDER_SPREAD
    return Folder(math.exp(middle), side) if near.mean() >= 0.75 else None


def _fit(pages: Sequence[Measured], most: float, evidence: float) -> Modes:
    """Modes of a spread of ``most`` or less; ``evidence`` is the log-odds of there being any."""
    x, sure = _sorted(pages)
    width = max(SMALLEST_RANGE, float(np.quantile(x, 0.99) - np.quantile(x, 0.01)))
    sizes = {page.size for page in pages}
    same = SAME_SIZE if len(sizes) == 1 and None not in sizes else 0.0
    unlike = -len(x) * math.log(width) - USUALLY - same - evidence
    found = [(unlike, Modes(range=width))]
    for number in range(1, min(MOST_MODES, len(x)) + 1):
        found += [_maximised(x, sure, starts, width, most) for starts in _starts(x, number)]
    return max(found, key=lambda pair: pair[0])[1]


def _sorted(pages: Sequence[Measured]) -> tuple[Numbers, Numbers]:
    """Logarithms of distances, at 300 dpi where that is known, and how sure they are."""
    x = np.log([page.distance * TAGGED / (page.dpi or TAGGED) for page in pages])
    sure = np.array([page.sure for page in pages])
    order = np.lexsort((sure, x))
    return x[order], sure[order]


def _starts(x: Numbers, number: int) -> list[Numbers]:
    """Where modes may lie: at quantiles, and where most pages are."""
    first = np.quantile(x, (np.arange(number) + 0.5) / number)
    grid = np.arange(x[0], x[-1] + 0.05, 0.05)
    counts = np.searchsorted(x, grid + 0.1) - np.searchsorted(x, grid - 0.1)
    peaks: list[float] = []
    for i in np.argsort(-counts, kind="stable"):
        if all(abs(grid[i] - peak) >= CLOSEST for peak in peaks):
            peaks.append(float(grid[i]))
    return [first, np.array(peaks[:number])] if len(peaks) >= number else [first]


def _maximised(
    x: Numbers, sure: Numbers, centres: Numbers, width: float, most: float
) -> tuple[float, Modes]:
    """The modes that expectation maximisation comes to, and how likely, less a penalty."""
    n, number = len(x), len(centres)
    shares, spread, alone = np.full(number, 0.9 / number), USUAL_SPREAD, 0.1
    error, wrong = _errors(sure)
    for _ in range(ROUNDS):
        likely = _likelihoods(x, sure, centres, shares, spread)  # (n, number)
        total = likely.sum(1) + alone / width
        members = likely / total[:, None]
        # Of a page with a wrong estimate, the place says nothing.
        near = _normal(x[:, None] - centres, np.sqrt(spread**2 + error**2)[:, None])
        told = members * _right(x, centres, near, wrong)
        weights = told / (spread**2 + error**2)[:, None]
        centres = (weights * x[:, None]).sum(0) / np.maximum(weights.sum(0), 1e-9)
        shares = (members.sum(0) + 1) / (n + number + 0.5)
        alone = 1 - shares.sum()
        squares = (told * ((x[:, None] - centres) ** 2 - error[:, None] ** 2)).sum()
        variance = (USUAL_WEIGHT * USUAL_SPREAD**2 + max(squares, 0)) / (USUAL_WEIGHT + told.sum())
        spread = min(math.sqrt(variance), most)
    order = np.argsort(centres)
    centres, shares = centres[order], shares[order]
    likely = _likelihoods(x, sure, centres, shares, spread)
    score = float(np.log(likely.sum(1) + alone / width).sum()) - number * math.log(n)
    if number > 1 and np.diff(centres).min() < CLOSEST:
        score = -math.inf
    together = likely.max(1) >= max(alone, LEAST_ALONE) / width
    pages = np.bincount(likely.argmax(1), together, number)
    modes = tuple(
        Mode(math.exp(centre), float(share), int(count))
        for centre, share, count in zip(centres, shares, pages, strict=True)
    )
    return score, Modes(modes, spread, float(alone), width)


def _right(x: Numbers, centres: Numbers, near: Numbers, wrong: Numbers) -> Numbers:
    right = (1 - wrong)[:, None] * near
    return right / (right + wrong[:, None] * _normal(x[:, None] - centres, FAR))


def _likelihoods(
    x: Numbers, sure: Numbers, centres: Numbers, shares: Numbers, spread: float
) -> Numbers:  # (pages, modes)
    error, wrong = _errors(sure)
    off = x[:, None] - centres
    near = _normal(off, np.sqrt(spread**2 + error**2)[:, None])
    return shares * ((1 - wrong)[:, None] * near + wrong[:, None] * _normal(off, FAR))


def _errors(sure: Numbers) -> tuple[Numbers, Numbers]:
    """The error of an estimate as a logarithm, and the chance that it is wrong by far."""
    return 0.03 + 0.15 * np.exp(-sure / 0.25), 0.02 + 0.25 * np.exp(-sure / 0.15)


def _normal(off: Numbers, spread: Numbers | float) -> Numbers:
    return np.exp(-0.5 * (off / spread) ** 2) / (spread * math.sqrt(2 * math.pi))


def _middle(x: Numbers, sure: Numbers) -> float:
    """The median of sorted x, by how sure they are."""
    weights = np.cumsum(1 / (USUAL_SPREAD**2 + _errors(sure)[0] ** 2))
    return float(x[np.searchsorted(weights, weights[-1] / 2)])


def _side(size: tuple[int, int]) -> float:
    return math.sqrt(size[0] * size[1])

"""Pieces of pages that a person can compare, and what they add to the cosine of two pages.

A piece is a square patch, as large as the largest descriptor looks; it has the keypoints whose
centres lie in it. What a pair of pieces adds to a cosine is the sum over the pairs of their
keypoints (:mod:`dgmp.classical.contributions`). So the shares of pairs add up, as long as no two of
them overlap on both pages.

Two pages have some hundred million pairs of keypoints. Those that share a word, about a million,
are looked at; those of them of which one has no better partner, the best ``_TRIED``, are the
middles of pairs of pieces; of these the strongest are chosen that do not overlap. What a chosen
pair adds is exact; that no better one was passed over is not certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..classical import Contributions, pair_shares, unit_rows
from ..names import need
from ..pixels import PageImage
from ..records import Floats, Matrix, Region
from .describer import Describer

_TRIED = 600  # a tenth of a second; five times as many add 4 % to what is found
_LIKE = 0.06  # cosine of what two pieces add: most pieces of one letterform have more, others less


@dataclass(frozen=True, eq=False)
class PieceShares:
    """Pairs of pieces by their middles on the prepared pages, strongest first."""

    first: Matrix  # (pairs, 2): x, y
    second: Matrix  # (pairs, 2)
    shares: Floats  # (pairs,)

    def __len__(self) -> int:
        return len(self.shares)


@dataclass(frozen=True, eq=False)
class SharedCosine:
    """What pairs of keypoints add to a cosine, and the pairs of pieces that add or take most."""

    total: float  # over all pairs of keypoints
    same: PieceShares
    against: PieceShares


def share_cosine(one: Contributions, other: Contributions, number: int) -> SharedCosine:
    """The ``number`` pairs of pieces that add most to a cosine, and those that take most.

    Pieces of one kind do not overlap on either page, and no pair of keypoints counts twice.
    """
    shares = pair_shares(one, other)
    same = _strongest(one, other, shares, number)
    against = _strongest(one, other, -shares, number, apart_from=same)
    return SharedCosine(
        float(shares.data.sum(dtype=np.float64)),
        same,
        PieceShares(against.first, against.second, -against.shares),
    )


def strongest_pieces(
    one: Contributions,
    values: Floats,  # (keypoints,)
    number: int,
) -> tuple[Matrix, Floats]:  # (pieces, 2), (pieces,)
    """The middles of the pieces whose keypoints have the largest sums, and these; none overlap."""
    tried = np.argsort(-values, kind="stable")[:_TRIED]
    middles = one.positions[tried]
    sums = inside(middles, one.positions, one.side) @ values
    kept: list[int] = []
    for piece in np.argsort(-sums, kind="stable"):
        if len(kept) == number or sums[piece] <= 0:
            break
        if not overlap(middles[piece], middles[kept], one.side).any():
            kept.append(int(piece))
    return middles[kept], sums[kept]


def piece_vectors(one: Contributions, middles: Matrix, dim: int) -> Matrix:  # (pieces, dim)
    """What the keypoints of pieces add to the vector of their page."""
    return one.sums(inside(middles, one.positions, one.side).toarray(), dim)


def unlike_first(vectors: Matrix) -> list[int]:  # (pieces, dim), the strongest first
    """Places of pieces that are unlike all chosen before them, then those of the others."""
    units = unit_rows(vectors)
    chosen: list[int] = []
    left: list[int] = []
    for place, unit in enumerate(units):
        seen = (units[chosen] @ unit).max(initial=0) > _LIKE
        (left if seen else chosen).append(place)
    return chosen + left


def contributions_of(describer: Describer, image: PageImage) -> Contributions | None:
    """The shares of keypoints in the vector of a page; None where it is no sum over them."""
    own = getattr(describer, "contributions", None)
    return None if own is None else own(image)


def on_page(image: PageImage, middles: Matrix, side: float) -> tuple[Region, ...]:  # (n, 2)
    """The patches of pieces as regions of the displayed scan."""
    squares = np.concatenate([middles - side / 2, middles + side / 2], axis=1)
    return image.on_scan(np.maximum(squares, 0), "piece")


def inside(middles: Matrix, positions: Matrix, side: float) -> Any:  # (pieces, keypoints)
    """Which keypoints lie in the pieces with these middles, as a sparse matrix of ones."""
    tree = need("scipy.spatial").KDTree(positions)
    found = tree.query_ball_point(middles, side / 2, p=np.inf, return_sorted=True)
    ends = np.cumsum([0, *map(len, found)], dtype=np.int32)
    keypoints = np.concatenate([*found, []]).astype(np.int32)
    ones = np.ones(len(keypoints), np.float32)
    shape = (len(middles), len(positions))
    return need("scipy.sparse").csr_array((ones, keypoints, ends), shape=shape)


def overlap(middle: Matrix, others: Matrix, side: float) -> NDArray[np.bool_]:  # (2,), (n, 2)
    """Whether a piece has a keypoint in common with others, or could have."""
    return np.asarray(np.abs(others - middle).max(axis=1) <= side)


def _strongest(
    one: Contributions,
    other: Contributions,
    shares: Any,  # (keypoints, keypoints)
    number: int,
    apart_from: PieceShares | None = None,
) -> PieceShares:
    rows, columns = _best_partners(shares)
    first, second = one.positions[rows], other.positions[columns]
    here, there = (
        inside(first, one.positions, one.side),
        inside(second, other.positions, other.side),
    )
    sums = (here @ shares).multiply(there).sum(axis=1)
    order = np.argsort(-sums, kind="stable")
    kept: list[int] = []
    for pair in order[: np.searchsorted(-sums[order], 0)]:  # those above zero
        if len(kept) == number:
            break
        clash = overlap(first[pair], first[kept], one.side)
        clash |= overlap(second[pair], second[kept], other.side)
        if clash.any():
            continue
        if apart_from is not None:
            both = overlap(first[pair], apart_from.first, one.side)
            both &= overlap(second[pair], apart_from.second, other.side)
            if both.any():
                continue
        kept.append(int(pair))
    return PieceShares(first[kept], second[kept], sums[kept].astype(np.float64))


def _best_partners(shares: Any) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs of keypoints one of which has no better partner, the best ``_TRIED`` of them."""
    entries = shares.tocoo()
    best = np.zeros(len(entries.data), np.bool_)
    for keypoints, number in zip(entries.coords, entries.shape, strict=True):
        most = np.zeros(number, entries.data.dtype)
        np.maximum.at(most, keypoints, entries.data)
        best |= entries.data == most[keypoints]
    found = np.flatnonzero(best)
    chosen = found[np.argsort(-entries.data[found], kind="stable")][:_TRIED]
    rows, columns = entries.coords
    return rows[chosen], columns[chosen]

"""Points in two dimensions such that neighbours stay neighbours: t-SNE by interpolation.

Row i of P (sparse, symmetric, sum 1) says how near the other pages are to page i: a Gaussian of
their cosines among the nearest, as wide as makes ``PERPLEXITY`` of them count. With
w_ij = 1/(1 + ‖y_i − y_j‖²) and Z = Σ w, gradient descent on the divergence of w/Z from P follows

    g_i = Σ_j p_ij w_ij (y_i − y_j)  −  Σ_j w_ij² (y_i − y_j) / Z

The first sum has few terms. The second is a convolution with (1 + r²)⁻², computed on a grid: the
charges 1, x, y, x² + y² of the points go to three nodes per box and direction (Lagrange), are
convolved by FFT, and come back (Linderman et al., Nature Methods 2019). A step costs O(points +
grid). Where the points spread wider than the grid has boxes, the second sum is approximate: within
a tenth for 20 000 points at the end. Of up to ``FEW`` points it is summed as it stands.
Everything is deterministic: the start is the two leading principal components.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...names import need
from ...records import Floats, Matrix, Stage

PERPLEXITY = 15.0  # a hand often has no more pages
NEIGHBOURS = 45  # pages beyond three times the perplexity count nothing
FEW = 800
EARLY, LATE = 200, 400  # steps with attraction made larger, and as it is
_LARGER = 12.0
_BOXES = (20, 100)  # least and most boxes of the grid in a direction
_NODES = 3  # in a box
_BLOCK = 500  # rows of cosines at once

Places = NDArray[np.intp]  # (pages, neighbours)


def embed(vectors: Matrix, stage: Stage | None = None) -> Matrix:  # (pages, dim) -> (pages, 2)
    """Lay pages out by vectors of unit length."""
    if len(vectors) < 4:
        return np.stack([np.arange(len(vectors)), np.zeros(len(vectors))], axis=1).astype("f4")
    places, cosines = neighbours(vectors, vectors, NEIGHBOURS, stage, itself=True)
    joint = affinities(places, cosines)
    progress = None if stage is None else stage("laying out the map", EARLY + LATE)
    points = _start(vectors)
    speed, gains = np.zeros_like(points), np.ones_like(points)
    rate = max(len(points) / _LARGER / 4, 50.0)  # in units of 4 g, as usual
    for step in range(EARLY + LATE):
        early = step < EARLY
        slope = 4 * gradient(joint, points, _LARGER if early else 1.0)
        gains = np.where(slope * speed < 0, gains + 0.2, gains * 0.8).clip(0.01)
        speed = (0.5 if early else 0.8) * speed - rate * 4 * gains * slope
        points = points + speed
        points -= points.mean(axis=0)
        if progress is not None:
            progress(1)
    return points.astype(np.float32)


def neighbours(
    queries: Matrix, pages: Matrix, number: int, stage: Stage | None = None, *, itself: bool = False
) -> tuple[Places, Matrix]:  # both (queries, number)
    """The nearest pages of each query and their cosines; ``itself``: a page is not its own."""
    number = min(number, len(pages) - itself)
    places = np.empty((len(queries), number), np.intp)
    cosines = np.empty((len(queries), number), np.float32)
    progress = None if stage is None else stage("finding neighbours", len(queries))
    for start in range(0, len(queries), _BLOCK):
        found = queries[start : start + _BLOCK] @ pages.T  # (block, pages)
        rows = np.arange(len(found))
        if itself:
            found[rows, start + rows] = -np.inf
        nearest = np.argpartition(-found, number - 1, axis=1)[:, :number]
        places[start : start + len(found)] = nearest
        cosines[start : start + len(found)] = found[rows[:, None], nearest]
        if progress is not None:
            progress(len(found))
    return places, cosines


def affinities(places: Places, cosines: Matrix) -> Any:  # scipy CSR (pages, pages)
    """How near pages are to each other: symmetric, with sum 1."""
    squares = 2.0 - 2.0 * cosines.astype(np.float64)  # of distances
    squares -= squares.min(axis=1, keepdims=True)
    wanted = np.log(min(PERPLEXITY, 0.6 * squares.shape[1] + 0.4))
    low, high = np.zeros(len(squares)), np.full(len(squares), np.inf)
    width = np.ones(len(squares))  # β of exp(−β d²)
    for _ in range(60):
        weights = np.exp(-squares * width[:, None])
        total = weights.sum(axis=1)
        entropy = np.log(total) + width * (weights * squares).sum(axis=1) / total
        wide = entropy > wanted
        low, high = np.where(wide, width, low), np.where(wide, high, width)
        middle = np.where(np.isinf(high), 2 * width, (low + high) / 2)
        width = np.clip(middle, 0, 1e12)
    weights = np.exp(-squares * width[:, None])
    weights /= weights.sum(axis=1, keepdims=True)
    pages, number = places.shape
    shape, ends = (pages, pages), np.arange(0, pages * number + 1, number)
    one_way = need("scipy.sparse").csr_matrix((weights.ravel(), places.ravel(), ends), shape)
    both = (one_way + one_way.T).tocsr()
    both.data /= both.data.sum()
    return both


def gradient(joint: Any, points: Floats, larger: float = 1.0) -> Floats:  # (pages, 2)
    """The g of the module's docstring, its attraction ``larger`` times."""
    rows = np.repeat(np.arange(len(points)), np.diff(joint.indptr))
    x, y = np.ascontiguousarray(points.T)
    squares = (x[rows] - x[joint.indices]) ** 2 + (y[rows] - y[joint.indices]) ** 2
    pull = need("scipy.sparse").csr_matrix(
        (joint.data / (1 + squares), joint.indices, joint.indptr), joint.shape
    )
    attraction = points * np.asarray(pull.sum(axis=1)) - pull @ points
    repulsion = summed_repulsion if len(points) <= FEW else grid_repulsion
    return larger * attraction - repulsion(points)


def summed_repulsion(points: Floats) -> Floats:  # (pages, 2)
    """The second sum of g, over every pair of points."""
    x, y = points.T
    near = 1 / (1 + (x[:, None] - x) ** 2 + (y[:, None] - y) ** 2)
    total = near.sum() - len(points)  # a point does not push itself
    near *= near
    return (points * near.sum(axis=1)[:, None] - near @ points) / max(float(total), 1e-9)


def grid_repulsion(points: Floats) -> Floats:  # (pages, 2)
    """The same by interpolation on a grid."""
    lowest, spread = points.min(axis=0), float(np.ptp(points, axis=0).max()) + 1e-9
    boxes = int(np.clip(np.ceil(spread), *_BOXES))
    nodes, step = boxes * _NODES, spread / (boxes * _NODES)
    place = (points - lowest) / (step * _NODES)
    box = np.minimum(place.astype(np.intp), boxes - 1)
    weights = _lagrange(place - box)  # (pages, 2, nodes of a box)
    at = box[:, :, None] * _NODES + np.arange(_NODES)  # (pages, 2, nodes of a box)
    columns = (at[:, 0, :, None] * nodes + at[:, 1, None, :]).reshape(len(points), -1)
    values = (weights[:, 0, :, None] * weights[:, 1, None, :]).reshape(len(points), -1)
    ends = np.arange(0, columns.size + 1, columns.shape[1])
    to_points = need("scipy.sparse").csr_matrix(
        (values.ravel(), columns.ravel(), ends), (len(points), nodes**2)
    )
    squares = (points**2).sum(axis=1)
    charges = np.column_stack([np.ones(len(points)), points, squares])  # (pages, 4)
    fields = to_points @ _convolved(to_points.T @ charges, nodes, step)  # (pages, 4)
    ones, xs, ys, both = fields.T
    total = ((1 + squares) * ones - 2 * (points[:, 0] * xs + points[:, 1] * ys) + both).sum()
    total -= len(points)
    return (points * ones[:, None] - fields[:, 1:3]) / max(float(total), 1e-9)


def _convolved(grids: Floats, nodes: int, step: float) -> Floats:  # (nodes², charges)
    """Each grid of charges convolved with (1 + r²)⁻²."""
    fft = need("scipy.fft")
    size = fft.next_fast_len(2 * nodes, real=True)
    away = np.minimum(np.arange(size), size - np.arange(size)) * step
    kernel = 1 / (1 + away[:, None] ** 2 + away**2) ** 2
    charges = np.ascontiguousarray(grids.T).reshape(-1, nodes, nodes)
    spectra = fft.rfft2(charges, (size, size), axes=(1, 2)) * fft.rfft2(kernel)
    fields = fft.irfft2(spectra, (size, size), axes=(1, 2))[:, :nodes, :nodes]
    return np.ascontiguousarray(fields.reshape(len(charges), -1).T)


def _lagrange(inside: Floats) -> Floats:  # (pages, 2) in [0, 1] -> (pages, 2, nodes of a box)
    nodes = (np.arange(_NODES) + 0.5) / _NODES
    weights = np.ones((*inside.shape, _NODES))
    for one in range(_NODES):
        for other in range(_NODES):
            if one != other:
                weights[..., one] *= (inside - nodes[other]) / (nodes[one] - nodes[other])
    return weights


def _start(vectors: Matrix) -> Floats:
    """The two leading principal components, made small."""
    centred = vectors - vectors.mean(axis=0)
    _, directions = np.linalg.eigh((centred.T @ centred).astype(np.float64))
    leading = directions[:, :-3:-1]
    leading = leading * np.sign(leading[np.abs(leading).argmax(axis=0), [0, 1]])
    points = centred.astype(np.float64) @ leading
    return points / max(float(points[:, 0].std()), 1e-12) * 1e-4

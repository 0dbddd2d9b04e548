"""One ridge problem per image in its smaller form: laid out, solved, doubted, brought into range.

The letters are those of :mod:`dgmp.pooling.ridge`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor
from torch.linalg import vector_norm

from . import solvers
from .solvers import Solve, less_rows_times, rows_times, upper_gram

# The smallest ρ = λ / Σwᵢ‖φᵢ‖² that is solved for, in units of machine epsilon (float32: 1.9e-6).
RIDGE_FLOOR = 16
# The smallest ρ that is factorised: the Gram matrix is off by several epsilons of its trace where
# positions are alike, and the Cholesky factorisation must not meet a negative pivot. Between the
# two floors the factor belongs to a larger ridge, and refinement solves for the one asked for.
_FACTOR_FLOOR = 128
_DOUBT = 200  # machine epsilons: the relative error above which a solution is refined
_REFINE_ELEMENTS = 2**23  # features refined together, which bounds their float64 copy


class Problem(NamedTuple):
    """Ψ as the matrix M (B, K, n) of the smaller system MᵀM + λI, which may be the dual."""

    scale: Tensor  # s: (B, N)
    matrix: Tensor
    dual: bool


def assemble(phi: Tensor, weights: Tensor | None) -> tuple[Problem, Tensor, Tensor]:
    """The problem, its Gram matrix (B, n, n) and the trace of that (B,)."""
    problem = lay_out(phi, weights)
    gram = upper_gram(problem.matrix)
    return problem, gram, gram.diagonal(dim1=1, dim2=2).sum(dim=1)


def lay_out(phi: Tensor, weights: Tensor | None) -> Problem:
    """The smaller of the two forms."""
    if weights is None:
        scale, psi = phi.new_ones(phi.shape[0], phi.shape[2]), phi
    else:
        scale = weights.sqrt()
        psi = phi * scale.unsqueeze(1)
    dual = psi.shape[2] < psi.shape[1]
    return Problem(scale, psi if dual else psi.mT, dual)


def lay_out_wide(phi: Tensor, weights: Tensor | None, rows: Tensor | slice) -> Problem:
    """The same in float64, before the product of weights and features is rounded."""
    return lay_out(phi[rows].double(), None if weights is None else weights[rows].double())


def pool_with(problem: Problem, penalty: Tensor, solve: Solve) -> tuple[Tensor, Tensor]:
    """ξ (B, C) and β (B, N)."""
    scale, matrix, dual = problem
    if dual:
        beta = solve(scale)
        return rows_times(beta, matrix.mT), beta
    pooled = solve(scale, through_matrix=True)
    return pooled, less_rows_times(scale, pooled, matrix.mT) / penalty.unsqueeze(1)


def apply_with(
    problem: Problem, penalty: Tensor, outer: Tensor, inner: Tensor | None, solve: Solve
) -> tuple[Tensor, Tensor]:
    """x = (ΨΨᵀ + λI)⁻¹(λp − Ψq) (B, C), p ``outer``, q ``inner``; without q also Ψᵀx/λ (B, N)."""
    ridge = penalty.unsqueeze(1)
    if problem.dual:
        u = solve(outer, through_matrix=True)
        if inner is not None:
            u = u + solve(inner)
        return less_rows_times(outer, u, problem.matrix.mT), u
    right = outer * ridge
    if inner is not None:
        right = less_rows_times(right, inner, problem.matrix)
    x = solve(right)
    return x, rows_times(x, problem.matrix.mT) / ridge


def penalties(
    ridge: Tensor, energy: Tensor, size: Tensor | None, relative: bool
) -> tuple[Tensor, Tensor, float]:  # (B,), (B,)
    """λ of each image, the λ that its matrix is factorised with, and the largest 1/ρ.

    Both are raised to their floors where they must be; then, and where 1/ρ is not read, it is ∞.
    """
    if relative:
        penalty = ridge * energy
    elif size is None:
        penalty = ridge.expand_as(energy).clone()
    else:
        penalty = ridge / size / size
    epsilon = torch.finfo(energy.dtype).eps
    if size is None:
        least, most = (strain.item() for strain in (energy / penalty).aminmax())
        if least > 0 and most * _FACTOR_FLOOR * epsilon < 1:
            return penalty, penalty, most
    penalty = torch.maximum(penalty, RIDGE_FLOOR * epsilon * energy)
    penalty = torch.where(penalty == 0, 1, penalty)  # no energy: any ridge gives zeros
    return penalty, torch.maximum(penalty, _FACTOR_FLOOR * epsilon * energy), math.inf


def surely_pooled(problem: Problem, strain: float, pooled: Tensor, energy: Tensor) -> bool:
    """Whether no primal solution can be in doubt, ``strain`` being the largest 1/ρ.

    Rounding moves Ψs by about ε·√tr·‖s‖ where it moves the Gram matrix by ε·tr.
    """
    positions = problem.scale.shape[1]
    if problem.dual or not surely_solved(positions, strain):
        return False
    share = energy.sqrt() * vector_norm(pooled, dim=1) / vector_norm(problem.scale, dim=1)
    return surely_solved(positions, strain + strain / share.amin().item())


def surely_solved(positions: int, strain: float) -> bool:
    """Whether rounding of the Gram matrix alone cannot bring a primal solution into doubt.

    That moves a solution x by at most ‖x‖/ρ times the error of the matrix relative to its trace,
    which is about ε, and grows with the number of positions where all of them are alike.
    """
    return (1 + positions / 64) * strain < _DOUBT


def dual_doubt(pooled: Tensor, beta: Tensor, penalty: Tensor, energy: Tensor) -> Tensor:  # (B,)
    """Whether the expected error is above some hundreds of machine epsilons ε.

    The Gram matrix is off by up to about ε·tr. This moves ξ = Ψβ by at most ε·tr·‖β‖/(2√λ), and
    forming Ψβ by ε·√tr·‖β‖; the gradient's g − Ψu is off by about ε/ρ. Every ρ below
    `_FACTOR_FLOOR` is among these.
    """
    rho = penalty / energy
    spread = energy.sqrt() * vector_norm(beta, dim=1) / vector_norm(pooled, dim=1)
    return (spread / rho.sqrt() > 300) | (1 / rho > 1000)


def primal_doubt(residual: Tensor, solution: Tensor) -> Tensor:  # (B, C), (B, C) -> (B,)
    """Whether a solution x is off by more than some hundreds of machine epsilons.

    The ``residual`` is that of (ΨΨᵀ + λI)x = b, divided by λ, and taken without the Gram matrix.
    As no eigenvalue is below λ, the error of x is at most as long.
    """
    allowed = _DOUBT * torch.finfo(solution.dtype).eps
    return vector_norm(residual, dim=1) > allowed * vector_norm(solution, dim=1)


def doubted_rows(doubt: Tensor, energy: Tensor, phi: Tensor) -> Iterator[Tensor | slice]:
    """The images to refine, in groups of bounded size."""
    if not solvers.can_read(phi):
        yield slice(None)
        return
    if doubt.any() and (doubt := doubt & (energy > 0)).any():  # no rows would still be one group
        yield from doubt.nonzero().squeeze(1).split(_together(phi, _REFINE_ELEMENTS))


def parts(phi: Tensor, elements: int) -> list[slice]:
    """All images in groups that have about so many features."""
    images = _together(phi, elements)
    return [slice(start, start + images) for start in range(0, max(1, len(phi)), images)]


def _together(phi: Tensor, elements: int) -> int:
    return max(1, elements // (phi.shape[1] * phi.shape[2]))


def in_range(energy: Tensor) -> Tensor:  # (B,) -> (B,), boolean
    """Whether no product of two features can have left the range of their type."""
    least, most = _range(energy)
    return (energy > least) & (energy < most)


def all_in_range(energy: Tensor) -> bool:
    """The same of all images, read back."""
    least, most = _range(energy)
    lowest, highest = (x.item() for x in energy.aminmax())
    return least < lowest and highest < most


def _range(energy: Tensor) -> tuple[float, float]:
    info = torch.finfo(energy.dtype)
    return info.tiny * 2**60, info.max / 2**30


def feature_size(
    phi: Tensor, weights: Tensor | None, ridge: Tensor, relative: bool
) -> Tensor:  # (B,), powers of two
    """The largest |√wᵢφᵢ|, or √λ if that is larger; 1 where that is no positive number."""
    peak = phi.abs()
    if weights is not None:
        peak = peak * weights.sqrt().unsqueeze(1)
    peak = peak.amax(dim=(1, 2))
    if not relative:
        peak = torch.maximum(peak, ridge.clamp(min=0).sqrt())
    info = torch.finfo(phi.dtype)
    peak = torch.where((peak > 0) & peak.isfinite(), peak.clamp(min=info.tiny), 1)
    return peak / 2 / torch.frexp(peak).mantissa


def divided(phi: Tensor, size: Tensor) -> Tensor:  # (B, C, N), (B,) -> (B, C, N)
    """The features by their size; themselves where that is 1 and can be seen to be."""
    return phi if all_one(size) else phi / size[:, None, None]


def all_one(size: Tensor) -> bool:
    """Whether all sizes are 1 and can be seen to be."""
    return solvers.can_read(size) and bool((size == 1).all())

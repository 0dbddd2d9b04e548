"""One ridge problem per image in its smaller form: laid out, solved, doubted, brought into range.

The letters are those of :mod:`dgmp.pooling.ridge`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from . import solvers
from .solvers import Solve, lower_gram, rows_times

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
    gram = lower_gram(problem.matrix)
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
    return pooled, (scale - rows_times(pooled, matrix.mT)) / penalty.unsqueeze(1)


def apply_with(
    problem: Problem, penalty: Tensor, outer: Tensor, inner: Tensor | None, solve: Solve
) -> tuple[Tensor, Tensor]:
    """x = (ΨΨᵀ + λI)⁻¹(λp − Ψq) (B, C), p ``outer``, q ``inner``; without q also Ψᵀx/λ (B, N)."""
    ridge = penalty.unsqueeze(1)
    if problem.dual:
        u = solve(outer, through_matrix=True)
        if inner is not None:
            u = u + solve(inner)
        return outer - rows_times(u, problem.matrix.mT), u
    right = outer * ridge
    if inner is not None:
        right = right - rows_times(inner, problem.matrix)
    x = solve(right)
    return x, rows_times(x, problem.matrix.mT) / ridge


def dual_doubt(pooled: Tensor, beta: Tensor, penalty: Tensor, energy: Tensor) -> Tensor:  # (B,)
    """Whether the expected error is above some hundreds of machine epsilons ε.

    The Gram matrix is off by up to about ε·tr. This moves ξ = Ψβ by at most ε·tr·‖β‖/(2√λ), and
    forming Ψβ by ε·√tr·‖β‖; the gradient's g − Ψu is off by about ε/ρ. Every ρ below
    `_FACTOR_FLOOR` is among these.
    """
    rho = penalty / energy
    spread = energy.sqrt() * beta.norm(dim=1) / pooled.norm(dim=1)
    return (spread / rho.sqrt() > 300) | (1 / rho > 1000)


def primal_doubt(residual: Tensor, solution: Tensor) -> Tensor:  # (B, C), (B, C) -> (B,)
    """Whether a solution x is off by more than some hundreds of machine epsilons.

    The ``residual`` is that of (ΨΨᵀ + λI)x = b, divided by λ, and taken without the Gram matrix.
    As no eigenvalue is below λ, the error of x is at most as long.
    """
    allowed = _DOUBT * torch.finfo(solution.dtype).eps
    return residual.norm(dim=1) > allowed * solution.norm(dim=1)


def doubted_rows(doubt: Tensor, energy: Tensor, phi: Tensor) -> Iterator[Tensor | slice]:
    """The images to refine, in groups of bounded size."""
    if not solvers.can_read(phi):
        yield slice(None)
        return
    doubt = doubt & (energy > 0)
    if doubt.any():  # an empty list of rows would still be one group
        yield from doubt.nonzero().squeeze(1).split(together(phi, _REFINE_ELEMENTS))


def together(phi: Tensor, elements: int) -> int:
    """How many images have about so many features."""
    return max(1, elements // (phi.shape[1] * phi.shape[2]))


def in_range(energy: Tensor) -> Tensor:  # (B,) -> (B,), boolean
    """Whether no product of two features can have left the range of their type."""
    info = torch.finfo(energy.dtype)
    return (energy > info.tiny * 2**60) & (energy < info.max / 2**30)


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
    if solvers.can_read(phi) and bool((size == 1).all()):
        return phi
    return phi / size[:, None, None]

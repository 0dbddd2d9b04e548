"""The ridge problem behind generalized max pooling, solved exactly, with its gradient.

Let the columns φᵢ of Φ (C×N) be the positions of one image and wᵢ ≥ 0 their weights. With
s = √w and Ψ = Φ diag(s), the problem and its two forms are

    minimise Σᵢ wᵢ(φᵢᵀξ − 1)² + λ‖ξ‖²  =  ‖Ψᵀξ − s‖² + λ‖ξ‖²

    primal   (ΨΨᵀ + λI) ξ = Ψs            a C×C system, used when C ≤ N
    dual     (ΨᵀΨ + λI) β = s,  ξ = Ψβ    an N×N system, used when N < C

In both, λβ = s − Ψᵀξ, and the weight of a position in the result ξ = Φα is αᵢ = sᵢβᵢ.

Gradient. For g = ∂L/∂ξ let v = (ΨΨᵀ + λI)⁻¹g and u = Ψᵀv = (ΨᵀΨ + λI)⁻¹Ψᵀg; the factor of the
forward pass gives either with two triangular solves. Then

    ∂L/∂Φ  = (λv)(s∘β)ᵀ − ξ(s∘u)ᵀ          λv = g − Ψu in the dual form
    ∂L/∂wᵢ = (φᵢᵀv)(1 − φᵢᵀξ)               finite at wᵢ = 0, where √w has no derivative
    ∂L/∂λ  = −vᵀξ = −uᵀβ

and where λ = ρ Σᵢwᵢ‖φᵢ‖² is relative, 2ρwᵢφᵢ and ρ‖φᵢ‖² times ∂L/∂λ on top of the first two.

Tangent. Along (dΦ, dw, dλ), with p = dΦ(s∘β) + Φ(dw∘(1 − Φᵀξ))/λ and q = s∘dΦᵀξ + dλ β,

    dξ = (ΨΨᵀ + λI)⁻¹(λp − Ψq) = p − Ψ(ΨᵀΨ + λI)⁻¹(Ψᵀp + q)

Precision. Gram matrix and factor are made in the type of the features. An image whose system is
too ill-conditioned for that is solved again, starting from the first solution, by conjugate
gradients in float64 with the factor as preconditioner; a handful of steps reach the last digit.
On the CPU only the images that need it are (`dual_doubt`, `primal_doubt`); elsewhere the
decision would wait for the device, so all are.

Range. ξ(Φ, λ) = ξ(Φ/c, λ/c²)/c for any c > 0. Where the squares of the features leave the range
of their type, c is the largest feature, rounded to a power of two so that no digit is lost, else
1. β, λ and energy of a :class:`Solved` are those of Φ/c.

The three steps are operators of torch's library, so that compilers and exporters see one node and
the form is chosen by the sizes that come, not by those that were traced.
:mod:`dgmp.pooling.differentiable` joins them.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import torch
from torch import Tensor

from ..errors import DgmpError
from . import solvers
from .precision import exactly
from .problem import (
    Problem,
    apply_with,
    assemble,
    divided,
    doubted_rows,
    dual_doubt,
    feature_size,
    in_range,
    lay_out,
    lay_out_wide,
    pool_with,
    primal_doubt,
    together,
)
from .solvers import cholesky_in_place, direct_solver, refining_solver, rows_times

# The smallest ρ = λ / Σwᵢ‖φᵢ‖² that is solved for, in units of machine epsilon (float32: 1.9e-6).
RIDGE_FLOOR = 16
# The smallest ρ that is factorised: the Gram matrix is off by several epsilons of its trace where
# positions are alike, and the Cholesky factorisation must not meet a negative pivot. Between the
# two floors the factor belongs to a larger ridge, and refinement solves for the one asked for.
_FACTOR_FLOOR = 128
_CACHED_ELEMENTS = 2**20  # features whose gradient is written together


class Solved(NamedTuple):
    """What :func:`ridge_pool` returns: the solution, and what its derivatives need."""

    pooled: Tensor  # ξ: (B, C)
    beta: Tensor  # β: (B, N)
    penalty: Tensor  # λ: (B,)
    energy: Tensor  # Σwᵢ‖φᵢ‖²: (B,)
    factor: Tensor  # (B, n, n)
    size: Tensor  # c: (B,)


@torch.library.custom_op("dgmp::ridge_pool", mutates_args=())
def ridge_pool(
    phi: Tensor,  # (B, C, N)
    weights: Tensor | None,  # (B, N)
    ridge: Tensor,  # (), (1,) or (B,): λ, or ρ where relative
    relative: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Solve each image; returns the fields of :class:`Solved`."""
    with exactly(phi):
        readable = solvers.can_read(phi)
        size = phi.new_ones(len(phi)) if readable else feature_size(phi, weights, ridge, relative)
        phi = phi if readable else divided(phi, size)
        problem, gram, energy = assemble(phi, weights)
        if readable and not (inside := in_range(energy)).all():
            size = torch.where(inside, 1, feature_size(phi, weights, ridge, relative))
            phi = divided(phi, size)
            problem, gram, energy = assemble(phi, weights)
        epsilons = torch.finfo(phi.dtype).eps * energy
        penalty = ridge * energy if relative else ridge.expand_as(energy) / size / size
        penalty = torch.maximum(penalty, RIDGE_FLOOR * epsilons)
        penalty = torch.where(penalty == 0, 1, penalty)  # no energy: any ridge gives zeros
        gram.diagonal(dim1=1, dim2=2).add_(
            torch.maximum(penalty, _FACTOR_FLOOR * epsilons).unsqueeze(1)
        )
        factor, broken = cholesky_in_place(gram)

        pooled, beta = pool_with(problem, penalty, direct_solver(problem.matrix, factor))
        if problem.dual:
            doubt = dual_doubt(pooled, beta, penalty, energy)
        else:
            doubt = primal_doubt(rows_times(beta, problem.matrix) - pooled, pooled)
        for rows in doubted_rows(doubt, energy, phi):
            wide = lay_out_wide(phi, weights, rows)
            solve = refining_solver(wide.matrix, penalty[rows], factor[rows])
            pooled[rows], beta[rows] = (
                result.to(phi.dtype) for result in pool_with(wide, penalty[rows], solve)
            )
        # Neither infinities nor a factorisation that broke down may pass as a number.
        lost = (broken != 0) | ~energy.isfinite() | ~penalty.isfinite()
        pooled = (pooled / size.unsqueeze(1)).masked_fill_(lost.unsqueeze(1), torch.nan)
    return pooled, beta, penalty, energy, factor, size


@ridge_pool.register_fake
def _ridge_pool_fake(
    phi: Tensor, weights: Tensor | None, ridge: Tensor, relative: bool
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    if torch.onnx.is_in_onnx_export() and f"{__package__}.onnx_ridge" not in sys.modules:
        raise DgmpError(
            "torch.onnx.export does not know generalized max pooling; use "
            "dgmp.pooling.export_onnx, or dynamo=True and "
            "custom_translation_table=dgmp.pooling.onnx_translations()"
        )
    batch, channels, positions = phi.shape
    order = torch.sym_min(channels, positions)
    return (
        phi.new_empty(batch, channels),
        phi.new_empty(batch, positions),
        phi.new_empty(batch),
        phi.new_empty(batch),
        phi.new_empty(batch, order, order),
        phi.new_empty(batch),
    )


@torch.library.custom_op("dgmp::ridge_pool_backward", mutates_args=())
def ridge_pool_backward(
    phi: Tensor,
    weights: Tensor | None,
    relative: bool,
    for_weights: bool,
    grad: Tensor,  # g: (B, C)
    pooled: Tensor,
    beta: Tensor,
    penalty: Tensor,
    energy: Tensor,
    factor: Tensor,
    size: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of features (B, C, N), weights (B, N) and ridge (B,)."""
    with exactly(phi):
        of_size, phi = phi, divided(phi, size)
        scaled = phi is not of_size
        if scaled:
            pooled, grad = pooled * size.unsqueeze(1), grad / size.unsqueeze(1)
        problem = lay_out(phi, weights)
        v, u = _apply(  # v stands for λv
            problem, phi, weights, grad, None, Solved(pooled, beta, penalty, energy, factor, size)
        )
        by_penalty = -(u * beta).sum(1) if problem.dual else -(v * pooled).sum(1) / penalty  # (B,)

        by_phi = torch.empty_like(phi)
        columns = (v.unsqueeze(2), pooled.unsqueeze(2))  # (B, C, 1)
        lines = ((problem.scale * beta).unsqueeze(1), (problem.scale * u).unsqueeze(1))  # (B, 1, N)
        # A few images at a time: the second product then finds the first in the cache.
        step = together(phi, _CACHED_ELEMENTS)
        for part in (slice(start, start + step) for start in range(0, len(phi), step)):
            torch.mul(columns[0][part], lines[0][part], out=by_phi[part])
            by_phi[part].addcmul_(columns[1][part], lines[1][part], value=-1)
        by_weights = phi.new_empty(0)
        if for_weights:
            by_weights = rows_times(v, phi) * _misfit(phi, pooled) / penalty.unsqueeze(1)
        if relative:
            rho = torch.where(energy > 0, penalty / energy, 0)
            slope = (rho * by_penalty).unsqueeze(1)  # (B, 1)
            by_phi.addcmul_(phi, (2 * slope * problem.scale.square()).unsqueeze(1))
            if for_weights:
                by_weights += slope * phi.square().sum(1)
        by_ridge = by_penalty * energy if relative else by_penalty / size / size
        if scaled:
            by_phi /= size[:, None, None]
    return by_phi, by_weights, by_ridge


@ridge_pool_backward.register_fake
def _ridge_pool_backward_fake(
    phi: Tensor,
    weights: Tensor | None,
    relative: bool,
    for_weights: bool,
    grad: Tensor,
    pooled: Tensor,
    beta: Tensor,
    penalty: Tensor,
    energy: Tensor,
    factor: Tensor,
    size: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    by_weights = phi.new_empty(phi.shape[0], phi.shape[2]) if for_weights else phi.new_empty(0)
    return torch.empty_like(phi), by_weights, torch.empty_like(penalty)


@torch.library.custom_op("dgmp::ridge_pool_tangent", mutates_args=())
def ridge_pool_tangent(
    phi: Tensor,
    weights: Tensor | None,
    relative: bool,
    along_phi: Tensor,  # dΦ: (B, C, N)
    along_weights: Tensor | None,  # dw: (B, N)
    along_ridge: Tensor,  # dλ or dρ: (B,)
    pooled: Tensor,
    beta: Tensor,
    penalty: Tensor,
    energy: Tensor,
    factor: Tensor,
    size: Tensor,
) -> Tensor:  # dξ: (B, C)
    """How the result moves when features, weights and ridge do."""
    with exactly(phi):
        phi, along_phi = divided(phi, size), divided(along_phi, size)
        pooled = pooled * size.unsqueeze(1)
        problem = lay_out(phi, weights)
        counts = problem.scale.square()
        if relative:
            growth = 2 * (rows_times(counts, phi.mT * along_phi.mT)).sum(1)
            if along_weights is not None:
                growth += (along_weights * phi.square().sum(1)).sum(1)
            rho = torch.where(energy > 0, penalty / energy, 0)
            along_penalty = along_ridge * energy + rho * growth
        else:
            along_penalty = along_ridge / size / size
        outer = rows_times(problem.scale * beta, along_phi.mT)  # p
        if along_weights is not None:
            change = along_weights * _misfit(phi, pooled) / penalty.unsqueeze(1)
            outer = outer + rows_times(change, phi.mT)
        inner = problem.scale * rows_times(pooled, along_phi) + along_penalty.unsqueeze(1) * beta
        solved = Solved(pooled, beta, penalty, energy, factor, size)
        return _apply(problem, phi, weights, outer, inner, solved)[0] / size.unsqueeze(1)


@ridge_pool_tangent.register_fake
def _ridge_pool_tangent_fake(
    phi: Tensor,
    weights: Tensor | None,
    relative: bool,
    along_phi: Tensor,
    along_weights: Tensor | None,
    along_ridge: Tensor,
    pooled: Tensor,
    beta: Tensor,
    penalty: Tensor,
    energy: Tensor,
    factor: Tensor,
    size: Tensor,
) -> Tensor:
    return torch.empty_like(pooled)


def _apply(
    problem: Problem,
    phi: Tensor,
    weights: Tensor | None,
    outer: Tensor,  # p: (B, C)
    inner: Tensor | None,  # q: (B, N)
    solved: Solved,
) -> tuple[Tensor, Tensor]:
    """x = (ΨΨᵀ + λI)⁻¹(λp − Ψq) (B, C) and, without q, Ψᵀx/λ (B, N)."""
    penalty, factor = solved.penalty, solved.factor
    x, u = apply_with(problem, penalty, outer, inner, direct_solver(problem.matrix, factor))
    if problem.dual:
        doubt = dual_doubt(solved.pooled, solved.beta, penalty, solved.energy)
    else:
        moved = u if inner is None else u + inner / penalty.unsqueeze(1)
        doubt = primal_doubt(outer - x - rows_times(moved, problem.matrix), x)
    for rows in doubted_rows(doubt, solved.energy, phi):
        wide = lay_out_wide(phi, weights, rows)
        solve = refining_solver(wide.matrix, penalty[rows], factor[rows])
        part = None if inner is None else inner[rows].double()
        results = apply_with(wide, penalty[rows], outer[rows].double(), part, solve)
        x[rows], u[rows] = (result.to(phi.dtype) for result in results)
    return x, u


def _misfit(phi: Tensor, pooled: Tensor) -> Tensor:  # (B, N)
    return 1 - rows_times(pooled, phi)

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

import math
import sys
from typing import NamedTuple

import torch
from torch import Tensor

from ..errors import DgmpError
from . import solvers
from .precision import exactly
from .problem import (
    Problem,
    all_in_range,
    all_one,
    apply_with,
    assemble,
    divided,
    doubted_rows,
    dual_doubt,
    feature_size,
    in_range,
    lay_out,
    lay_out_wide,
    parts,
    penalties,
    pool_with,
    primal_doubt,
    surely_pooled,
    surely_solved,
)
from .solvers import cholesky_in_place, direct_solver, less_rows_times, refining_solver, rows_times

_CACHED_ELEMENTS = 2**20  # features whose gradient is computed together


class Solved(NamedTuple):
    """What :func:`ridge_pool` returns: the solution, and what its derivatives need."""

    pooled: Tensor  # ξ: (B, C)
    beta: Tensor  # β: (B, N)
    penalty: Tensor  # λ: (B,)
    energy: Tensor  # Σwᵢ‖φᵢ‖²: (B,)
    factor: Tensor  # (B, n, n)
    size: Tensor  # c: (B,)


def pool_images(
    phi: Tensor,  # (B, C, N)
    weights: Tensor | None,  # (B, N)
    ridge: Tensor,  # (), (1,) or (B,): λ, or ρ where relative
    relative: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Solve each image; returns the fields of :class:`Solved`."""
    with exactly(phi):
        readable = solvers.can_read(phi) and len(phi) > 0
        size = None if readable else feature_size(phi, weights, ridge, relative)
        phi = phi if size is None else divided(phi, size)
        problem, gram, energy = assemble(phi, weights)
        if readable and not all_in_range(energy):
            size = torch.where(in_range(energy), 1, feature_size(phi, weights, ridge, relative))
            phi = divided(phi, size)
            problem, gram, energy = assemble(phi, weights)
        penalty, factored, strain = penalties(ridge, energy, size, relative)
        gram.diagonal(dim1=1, dim2=2).add_(factored.unsqueeze(1))
        factor, broken = cholesky_in_place(gram)

        pooled, beta = pool_with(problem, penalty, direct_solver(problem.matrix, factor))
        if not surely_pooled(problem, strain, pooled, energy):
            if problem.dual:
                doubt = dual_doubt(pooled, beta, penalty, energy)
            else:
                doubt = primal_doubt(less_rows_times(pooled, beta, problem.matrix), pooled)
            for rows in doubted_rows(doubt, energy, phi):
                wide = lay_out_wide(phi, weights, rows)
                solve = refining_solver(wide.matrix, penalty[rows], factor[rows])
                pooled[rows], beta[rows] = (
                    result.to(phi.dtype) for result in pool_with(wide, penalty[rows], solve)
                )
        if size is not None:
            pooled = pooled / size.unsqueeze(1)
        # Neither infinities nor a factorisation that broke down may pass as a number.
        if math.isinf(strain) or bool(broken.any()):
            lost = (broken != 0) | ~energy.isfinite() | ~penalty.isfinite()
            pooled.masked_fill_(lost.unsqueeze(1), torch.nan)
        size = torch.ones_like(energy) if size is None else size
    return pooled, beta, penalty, energy, factor, size


ridge_pool = torch.library.custom_op("dgmp::ridge_pool", pool_images, mutates_args=())


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


def pull_images(
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
        if scaled := not all_one(size):
            pooled, grad = pooled * size.unsqueeze(1), grad / size.unsqueeze(1)
        solved = Solved(pooled, beta, penalty, energy, factor, size)
        trusted = _trusted(phi, solved)
        by_phi = torch.empty_like(phi)
        rest = []
        # A few images at a time: what reads their features again then finds them in the cache.
        groups = parts(phi, _CACHED_ELEMENTS)
        for part in groups:
            # Six views of a whole batch would take as long as a product of a small one.
            few = solved if len(groups) == 1 else Solved(*(field[part] for field in solved))
            psi = phi[part] / few.size[:, None, None] if scaled else phi[part]
            counts = None if weights is None else weights[part]
            rest.append(
                _fill(by_phi[part], psi, counts, relative, for_weights, grad[part], few, trusted)
            )
        by_weights, by_penalty = (
            torch.cat(x) if len(x) > 1 else x[0] for x in zip(*rest, strict=True)
        )
        by_ridge = by_penalty * energy if relative else by_penalty
        if scaled:
            by_phi /= size[:, None, None]
            by_ridge = by_ridge if relative else by_ridge / size / size
    return by_phi, by_weights, by_ridge


def _fill(
    by_phi: Tensor,
    phi: Tensor,
    weights: Tensor | None,
    relative: bool,
    for_weights: bool,
    grad: Tensor,
    solved: Solved,
    trusted: bool,
) -> tuple[Tensor, Tensor]:
    """Write the gradient of the features to ``by_phi``; returns those of weights and λ."""
    pooled, beta, penalty, energy, *_ = solved
    problem = lay_out(phi, weights)
    v, u = _apply(problem, phi, weights, grad, None, solved, trusted)  # v stands for λv
    by_penalty = -(u * beta).sum(1) if problem.dual else -(v * pooled).sum(1) / penalty  # (B,)

    inner, outer = (beta, u) if weights is None else (problem.scale * beta, problem.scale * u)
    torch.mul(v.unsqueeze(2), inner.unsqueeze(1), out=by_phi)
    by_phi.addcmul_(pooled.unsqueeze(2), outer.unsqueeze(1), value=-1)
    by_weights = phi.new_empty(0)
    if for_weights:
        by_weights = rows_times(v, phi) * _misfit(phi, pooled) / penalty.unsqueeze(1)
    if relative:
        rho = torch.where(energy > 0, penalty / energy, 0)
        slope = (rho * by_penalty).unsqueeze(1)  # (B, 1)
        by_phi.addcmul_(phi, (2 * slope * problem.scale.square()).unsqueeze(1))
        if for_weights:
            by_weights += slope * phi.square().sum(1)
    return by_weights, by_penalty


ridge_pool_backward = torch.library.custom_op(
    "dgmp::ridge_pool_backward", pull_images, mutates_args=()
)


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
        trusted = _trusted(phi, solved)
        return _apply(problem, phi, weights, outer, inner, solved, trusted)[0] / size.unsqueeze(1)


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
    trusted: bool,
) -> tuple[Tensor, Tensor]:
    """x = (ΨΨᵀ + λI)⁻¹(λp − Ψq) (B, C) and, without q, Ψᵀx/λ (B, N)."""
    penalty, factor = solved.penalty, solved.factor
    x, u = apply_with(problem, penalty, outer, inner, direct_solver(problem.matrix, factor))
    if trusted:
        return x, u
    if problem.dual:
        doubt = dual_doubt(solved.pooled, solved.beta, penalty, solved.energy)
    else:
        moved = u if inner is None else u + inner / penalty.unsqueeze(1)
        doubt = primal_doubt(less_rows_times(outer - x, moved, problem.matrix), x)
    for rows in doubted_rows(doubt, solved.energy, phi):
        wide = lay_out_wide(phi, weights, rows)
        solve = refining_solver(wide.matrix, penalty[rows], factor[rows])
        part = None if inner is None else inner[rows].double()
        results = apply_with(wide, penalty[rows], outer[rows].double(), part, solve)
        x[rows], u[rows] = (result.to(phi.dtype) for result in results)
    return x, u


def _trusted(phi: Tensor, solved: Solved) -> bool:
    """Whether no solution with these factors can be in doubt; False where it is not known."""
    if not solvers.can_read(phi) or len(phi) == 0:
        return False
    pooled, beta, penalty, energy, *_ = solved
    if phi.shape[2] < phi.shape[1]:
        return not dual_doubt(pooled, beta, penalty, energy).any()
    return surely_solved(phi.shape[2], (energy / penalty).amax().item())


def _misfit(phi: Tensor, pooled: Tensor) -> Tensor:  # (B, N)
    return 1 - rows_times(pooled, phi)

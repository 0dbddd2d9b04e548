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

Precision. Gram matrix and factor are made in the type of the features. An image whose system is
too ill-conditioned for that (see `_needs_refinement`) is solved again, starting from the first
solution, by conjugate gradients in float64 with the factor as preconditioner; a handful of steps
reach the last digit. On the CPU only the images that need it are; elsewhere the decision
would wait for the device, so all are.

It is an operator of torch's library, so that compilers and exporters see one node and the form
is chosen by the sizes that come, not by those that were traced.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from . import solvers
from .solvers import (
    Solve,
    cholesky_in_place,
    direct_solver,
    lower_gram,
    refining_solver,
    rows_times,
)

# The smallest ρ = λ / Σwᵢ‖φᵢ‖² that is solved for, in units of machine epsilon (float32: 1.9e-6).
RIDGE_FLOOR = 16
# The smallest ρ that is factorised: the Gram matrix is off by several epsilons of its trace where
# positions are alike, and the Cholesky factorisation must not meet a negative pivot. Between the
# two floors the factor belongs to a larger ridge, and refinement solves for the one asked for.
_FACTOR_FLOOR = 128

# How many features are worked on together: of images refined, which bounds the float64 copy, and
# of images whose gradient is written.
_REFINE_ELEMENTS = 2**23
_CACHED_ELEMENTS = 2**20


@torch.library.custom_op("dgmp::ridge_pool", mutates_args=())
def ridge_pool(
    phi: Tensor,  # (B, C, N)
    weights: Tensor | None,  # (B, N)
    ridge: Tensor,  # () or (B,): λ, or ρ where relative
    relative: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Solve each image; returns ξ (B, C), β (B, N), λ (B,), Σwᵢ‖φᵢ‖² (B,), factor, refined (B,)."""
    with torch.autocast(phi.device.type, enabled=False):
        scale, psi = _weighted(phi, weights)
        matrix, dual = _system(psi)
        gram = lower_gram(matrix)
        diagonal = gram.diagonal(dim1=1, dim2=2)
        energy = diagonal.sum(dim=1)
        epsilons = torch.finfo(phi.dtype).eps * energy
        penalty = ridge * energy if relative else ridge.expand_as(energy)
        penalty = torch.maximum(penalty, RIDGE_FLOOR * epsilons)
        penalty = torch.where(penalty > 0, penalty, 1)  # no energy: any ridge gives zeros
        diagonal.add_(torch.maximum(penalty, _FACTOR_FLOOR * epsilons).unsqueeze(1))
        factor, broken = cholesky_in_place(gram)

        pooled, beta = _pool(matrix, scale, penalty, dual, direct_solver(matrix, factor))
        refined = _needs_refinement(pooled, beta, penalty, energy, dual)
        for rows in _refinable(refined, phi):
            wide = matrix[rows].double()
            solve = refining_solver(wide, penalty[rows], factor[rows])
            pooled[rows], beta[rows] = (
                result.to(phi.dtype)
                for result in _pool(wide, scale[rows].double(), penalty[rows], dual, solve)
            )
        # Neither infinities nor a factorisation that broke down may pass as a number.
        lost = (broken != 0) | ~energy.isfinite()
        pooled = pooled.masked_fill(lost.unsqueeze(1), torch.nan)
    return pooled, beta, penalty, energy, factor, refined


@ridge_pool.register_fake
def _ridge_pool_fake(
    phi: Tensor, weights: Tensor | None, ridge: Tensor, relative: bool
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    batch, channels, positions = phi.shape
    order = torch.sym_min(channels, positions)
    factor = phi.new_empty(batch, order, order)
    per_image = phi.new_empty(batch)
    return (
        phi.new_empty(batch, channels),
        phi.new_empty(batch, positions),
        per_image,
        torch.empty_like(per_image),
        factor,
        torch.empty_like(per_image, dtype=torch.bool),
    )


@torch.library.custom_op("dgmp::ridge_pool_backward", mutates_args=())
def _ridge_pool_backward(
    grad: Tensor,  # (B, C)
    phi: Tensor,
    weights: Tensor | None,
    pooled: Tensor,
    beta: Tensor,
    penalty: Tensor,
    energy: Tensor,
    factor: Tensor,
    refined: Tensor,
    relative: bool,
    for_weights: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of features (B, C, N), weights (B, N) and ridge (B,)."""
    with torch.autocast(phi.device.type, enabled=False):
        scale, psi = _weighted(phi, weights)
        matrix, dual = _system(psi)
        v, u = _adjoint(
            matrix, grad, penalty, dual, direct_solver(matrix, factor)
        )  # v stands for λv
        for rows in _refinable(refined, phi):
            wide = matrix[rows].double()
            solve = refining_solver(wide, penalty[rows], factor[rows])
            v[rows], u[rows] = (
                result.to(phi.dtype)
                for result in _adjoint(wide, grad[rows].double(), penalty[rows], dual, solve)
            )
        by_penalty = -(u * beta).sum(1) if dual else -(v * pooled).sum(1) / penalty  # (B,)

        by_phi = torch.empty_like(phi)
        columns = (v.unsqueeze(2), pooled.unsqueeze(2))  # (B, C, 1)
        lines = ((scale * beta).unsqueeze(1), (scale * u).unsqueeze(1))  # (B, 1, N)
        # A few images at a time: the second product then finds the first in the cache.
        step = _together(phi, _CACHED_ELEMENTS)
        for part in (slice(start, start + step) for start in range(0, len(phi), step)):
            torch.mul(columns[0][part], lines[0][part], out=by_phi[part])
            by_phi[part].addcmul_(columns[1][part], lines[1][part], value=-1)
        by_weights = phi.new_empty(0)
        if for_weights:
            misfit = 1 - rows_times(pooled, phi)  # (B, N)
            by_weights = rows_times(v, phi) * misfit / penalty.unsqueeze(1)
        if relative:
            rho = torch.where(energy > 0, penalty / energy, 0)
            slope = (rho * by_penalty).unsqueeze(1)  # (B, 1)
            by_phi.addcmul_(phi, (2 * slope * scale.square()).unsqueeze(1))
            if for_weights:
                by_weights += slope * phi.square().sum(1)
        by_ridge = by_penalty * energy if relative else by_penalty
    return by_phi, by_weights, by_ridge


@_ridge_pool_backward.register_fake
def _ridge_pool_backward_fake(
    grad: Tensor,
    phi: Tensor,
    weights: Tensor | None,
    pooled: Tensor,
    beta: Tensor,
    penalty: Tensor,
    energy: Tensor,
    factor: Tensor,
    refined: Tensor,
    relative: bool,
    for_weights: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    by_weights = phi.new_empty(phi.shape[0], phi.shape[2]) if for_weights else phi.new_empty(0)
    return torch.empty_like(phi), by_weights, torch.empty_like(penalty)


def _setup_context(ctx, inputs, output) -> None:  # type: ignore[no-untyped-def]
    phi, weights, ridge, ctx.relative = inputs
    ctx.ridge_shape = ridge.shape
    ctx.save_for_backward(phi, weights, *output)


def _backward(ctx, grad, *_):  # type: ignore[no-untyped-def]
    by_phi, by_weights, by_ridge = _ridge_pool_backward(
        grad.contiguous(), *ctx.saved_tensors, ctx.relative, ctx.needs_input_grad[1]
    )
    return (
        by_phi,
        by_weights if ctx.needs_input_grad[1] else None,
        by_ridge.sum() if len(ctx.ridge_shape) == 0 else by_ridge,
        None,
    )


ridge_pool.register_autograd(_backward, setup_context=_setup_context)


def _weighted(phi: Tensor, weights: Tensor | None) -> tuple[Tensor, Tensor]:
    """s (B, N) and Ψ (B, C, N)."""
    if weights is None:
        return phi.new_ones(phi.shape[0], phi.shape[2]), phi
    scale = weights.sqrt()
    return scale, phi * scale.unsqueeze(1)


def _system(psi: Tensor) -> tuple[Tensor, bool]:
    """The matrix M (B, K, n) of the smaller system MᵀM + λI, and whether that is the dual."""
    dual = psi.shape[2] < psi.shape[1]
    return (psi, True) if dual else (psi.mT, False)


def _pool(
    matrix: Tensor, scale: Tensor, penalty: Tensor, dual: bool, solve: Solve
) -> tuple[Tensor, Tensor]:  # ξ (B, C), β (B, N)
    if dual:
        beta = solve(scale)
        return rows_times(beta, matrix.mT), beta
    pooled = solve(scale, through_matrix=True)
    return pooled, (scale - rows_times(pooled, matrix.mT)) / penalty.unsqueeze(1)


def _adjoint(
    matrix: Tensor, grad: Tensor, penalty: Tensor, dual: bool, solve: Solve
) -> tuple[Tensor, Tensor]:  # λv (B, C), u (B, N)
    if dual:
        u = solve(grad, through_matrix=True)
        return grad - rows_times(u, matrix.mT), u
    v = solve(grad)
    return v * penalty.unsqueeze(1), rows_times(v, matrix.mT)


def _needs_refinement(
    pooled: Tensor, beta: Tensor, penalty: Tensor, energy: Tensor, dual: bool
) -> Tensor:  # (B,), boolean
    """Whether the expected error is above some hundreds of machine epsilons ε.

    The Gram matrix is off by up to about ε·tr. In the dual this moves ξ = Ψβ by at most
    ε·tr·‖β‖/(2√λ), and forming Ψβ by ε·√tr·‖β‖; the gradient's g − Ψu is off by about ε/ρ. In the
    primal it moves ξ by up to ε·√N/ρ of its length where the N positions are so alike that their
    rounding errors add up. Every ρ below `_FACTOR_FLOOR` is among these.
    """
    rho = penalty / energy  # not finite for an image without energy, which needs nothing
    if dual:
        spread = energy.sqrt() * beta.norm(dim=1) / pooled.norm(dim=1)
        needed = (spread / rho.sqrt() > 300) | (1 / rho > 1000)
    else:
        needed = beta.shape[1] ** 0.5 / rho > 1000
    return needed & (energy > 0)


def _refinable(refined: Tensor, phi: Tensor) -> Iterator[Tensor | slice]:
    """The images to refine, in groups of bounded size."""
    if not solvers.can_read(phi):
        yield slice(None)
    elif refined.any():  # an empty list of rows would still be one group
        yield from refined.nonzero().squeeze(1).split(_together(phi, _REFINE_ELEMENTS))


def _together(phi: Tensor, elements: int) -> int:
    """How many images have about so many features."""
    return max(1, elements // (phi.shape[1] * phi.shape[2]))

"""The solver of :mod:`dgmp.pooling.ridge` with every derivative that torch can ask for.

Gradient and tangent are operators of their own, which reuse the factor of the solution. What is
asked beyond them, second derivatives of any kind, is taken by autograd through :func:`plain_pool`,
the textbook solution: several times slower, and for features that are not too many at once.

A compiled or exported graph holds the operator itself, which knows its gradient only; compiled
tangents go through the textbook, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._C import _are_functorch_transforms_active
from torch._functorch.utils import unwrap_dead_wrappers
from torch.autograd import forward_ad
from torch.utils._pytree import tree_map

from .problem import RIDGE_FLOOR
from .ridge import (
    Solved,
    pool_images,
    pull_images,
    ridge_pool,
    ridge_pool_backward,
    ridge_pool_tangent,
)
from .solvers import at_once

# mypy: disable-error-code="no-untyped-def"


def solve_ridge(
    phi: Tensor,  # (B, C, N)
    weights: Tensor | None,  # (B, N)
    ridge: Tensor,  # (), (1,) or (B,): λ, or ρ where relative
    relative: bool,
) -> Solved:
    """The solution of each image; only ``pooled`` has derivatives."""
    if not torch.compiler.is_compiling():
        return Solved(*_RidgePool.apply(phi, weights, ridge, relative))
    solved = Solved(*ridge_pool(phi, weights, ridge, relative))
    if forward_ad._current_level < 0:
        return solved
    return solved._replace(pooled=plain_pool(phi, ridge, weights, relative=relative))


def plain_pool(
    phi: Tensor,  # (B, C, N)
    ridge: Tensor,
    weights: Tensor | None = None,  # (B, N)
    *,
    relative: bool,
) -> Tensor:  # (B, C)
    """ξ by the textbook, in float64 and operators that autograd knows.

    √w has no derivative at 0, so the dual form is (WΦᵀΦ + λI)α = w, which is not symmetric.
    """
    wide = phi.double()
    counts = torch.ones_like(wide[:, 0]) if weights is None else weights.double()
    size = wide.detach().abs().amax(dim=(1, 2), keepdim=True)
    size = torch.where((size > 0) & size.isfinite(), size, 1)
    wide = wide / size
    energy = (counts * wide.square().sum(1)).sum(1)
    ridge = ridge.double().expand_as(energy)
    penalty = ridge * energy if relative else ridge / size[:, 0, 0].square()
    floor = RIDGE_FLOOR * torch.finfo(phi.dtype).eps * energy
    floor = torch.where(floor > 0, floor, 1)
    penalty = penalty + (torch.maximum(penalty, floor) - penalty).detach()
    weighted = counts.unsqueeze(2) * wide.mT  # (B, N, C)
    dual = phi.shape[2] < phi.shape[1]
    gram = weighted @ wide if dual else wide @ weighted
    identity = torch.eye(gram.shape[-1], dtype=gram.dtype, device=gram.device)
    right = counts.unsqueeze(2) if dual else wide @ counts.unsqueeze(2)
    solution = torch.linalg.solve_ex(gram + penalty[:, None, None] * identity, right)[0]
    pooled = wide @ solution if dual else solution
    return (pooled / size).squeeze(2).to(phi.dtype)


class _Function(torch.autograd.Function):
    """Without the binding of default arguments, which takes as long as a small image."""

    generate_vmap_rule = True

    @classmethod
    def apply(cls, *arguments):
        if _are_functorch_transforms_active():
            return super().apply(*arguments)
        base = super(torch.autograd.Function, cls)
        return base.apply(*unwrap_dead_wrappers(arguments))  # type: ignore[attr-defined]


class _RidgePool(_Function):
    @staticmethod
    def forward(phi, weights, ridge, relative):
        return (pool_images if at_once(phi) else ridge_pool)(phi, weights, ridge, relative)

    @staticmethod
    def setup_context(ctx, inputs, output):
        phi, weights, ridge, ctx.relative = inputs
        ctx.mark_non_differentiable(*output[1:])
        ctx.save_for_backward(phi, weights, ridge, *output)
        ctx.save_for_forward(phi, weights, ridge, *output)

    @staticmethod
    def backward(ctx, grad, *_):
        phi, weights, ridge, *solved = ctx.saved_tensors
        relative, for_weights = ctx.relative, ctx.needs_input_grad[1]
        inputs = _inputs(phi, ridge, weights)
        count = len(inputs)

        def fast(grad, *tensors):
            phi, ridge, *weights = tensors[:count]
            pull = pull_images if at_once(phi, grad) else ridge_pool_backward
            by_phi, by_weights, by_ridge = pull(
                phi,
                weights[0] if weights else None,
                relative,
                for_weights,
                grad.contiguous(),
                *tensors[count:],
            )
            by_ridge = by_ridge.sum_to_size(ridge.shape)
            return (by_phi, by_ridge, by_weights) if for_weights else (by_phi, by_ridge)

        def plain(grad, *inputs):
            gradients = torch.func.vjp(_plain(relative), *inputs)[1](grad)
            return gradients if for_weights else gradients[:2]

        if torch.is_grad_enabled() or forward_ad._current_level >= 0:  # derivatives of these
            gradients = _Derivative.apply(fast, plain, 1 + count, grad, *inputs, *solved)
        else:
            gradients = fast(grad, *inputs, *solved)
        by_phi, by_ridge, *by_weights = gradients
        return by_phi, by_weights[0] if for_weights else None, by_ridge, None

    @staticmethod
    def jvp(ctx, along_phi, along_weights, along_ridge, _):
        phi, weights, ridge, *solved = ctx.saved_tensors
        relative = ctx.relative
        inputs = _inputs(phi, ridge, weights)
        along = _along(inputs, (along_phi, along_ridge, along_weights)[: len(inputs)])
        count = len(inputs)

        def fast(*tensors):
            phi, _ridge, *weights = tensors[:count]
            along_phi, along_ridge, *along_weights = tensors[count : 2 * count]
            return ridge_pool_tangent(
                phi,
                weights[0] if weights else None,
                relative,
                along_phi,
                along_weights[0] if weights else None,
                along_ridge.expand(len(phi)),
                *tensors[2 * count :],
            )

        def plain(*tensors):
            return _tangent(_plain(relative), tensors[:count], tensors[count:])

        tangent = _Derivative.apply(fast, plain, 2 * count, *inputs, *along, *solved)
        return tangent, *[None] * (len(solved) - 1)


class _Derivative(_Function):
    """``fast(*inputs, *cached)``, to be differentiated as ``plain(*inputs)``."""

    @staticmethod
    def forward(fast, plain, count, *tensors):
        return fast(*tensors)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.plain, ctx.count, *tensors = inputs
        ctx.cached = len(tensors) - ctx.count
        ctx.save_for_backward(*tensors[: ctx.count])
        ctx.save_for_forward(*tensors[: ctx.count])

    @staticmethod
    def backward(ctx, *grads):
        outputs, pull = torch.func.vjp(ctx.plain, *ctx.saved_tensors)  # type: ignore[misc]
        by_inputs = pull(grads if isinstance(outputs, tuple) else grads[0])
        return None, None, None, *by_inputs, *[None] * ctx.cached

    @staticmethod
    def jvp(ctx, _fast, _plain, _count, *along):
        inputs = ctx.saved_tensors
        return _tangent(ctx.plain, inputs, _along(inputs, along[: ctx.count]))


def _inputs(phi: Tensor, ridge: Tensor, weights: Tensor | None) -> tuple[Tensor, ...]:
    return (phi, ridge) if weights is None else (phi, ridge, weights)


def _along(inputs: Sequence[Tensor], along: Sequence[Tensor | None]) -> tuple[Tensor, ...]:
    """The tangents of the inputs, zeros where there is none."""
    pairs = zip(inputs, along, strict=True)
    return tuple(torch.zeros_like(x) if tangent is None else tangent for x, tangent in pairs)


def _tangent(
    function: Callable[..., Any], inputs: Sequence[Tensor], along: Sequence[Tensor]
) -> Any:
    """The tangent from two gradients, as torch does not nest its forward mode.

    The gradient Jᵀg is linear in g, and the gradient of that for ``along`` is J·``along``.
    """
    outputs, pull = torch.func.vjp(function, *inputs)  # type: ignore[misc]
    anything = tree_map(torch.zeros_like, outputs)
    return torch.func.vjp(pull, anything)[1](tuple(along))[0]


def _plain(relative: bool) -> Callable[..., Tensor]:
    return lambda *inputs: plain_pool(*inputs, relative=relative)


def _setup_operator(ctx, inputs, output) -> None:
    phi, weights, ridge, ctx.relative = inputs
    ctx.ridge_shape = ridge.shape
    ctx.save_for_backward(phi, weights, *output)


def _operator_backward(ctx, grad, *_):
    phi, weights, *solved = ctx.saved_tensors
    for_weights = ctx.needs_input_grad[1]
    by_phi, by_weights, by_ridge = ridge_pool_backward(
        phi, weights, ctx.relative, for_weights, grad.contiguous(), *solved
    )
    by_ridge = by_ridge.sum_to_size(ctx.ridge_shape)
    return by_phi, by_weights if for_weights else None, by_ridge, None


# For compilers, which see the operator; `_RidgePool` is what runs otherwise.
ridge_pool.register_autograd(_operator_backward, setup_context=_setup_operator)


def _register_batches(operator: Any) -> None:
    """Let ``operator`` run for a batch of batches, which ``torch.vmap`` makes, as one."""

    def rule(info, in_dims, *arguments):
        batch = info.batch_size
        phi, dim = arguments[0], in_dims[0]
        images = phi.shape[0 if dim != 0 else 1]

        def folded(argument, dim):
            if not isinstance(argument, Tensor):
                return argument
            if dim is None:
                argument = argument.expand(batch, *argument.shape)
            else:
                argument = argument.movedim(dim, 0)
            if argument.ndim == 1 or argument.shape[1] != images:  # one ridge for all images
                argument = argument.reshape(batch, 1).expand(batch, images)
            return argument.flatten(0, 1)

        results = operator(*[folded(x, dim) for x, dim in zip(arguments, in_dims, strict=True)])
        several = results if isinstance(results, tuple) else (results,)
        apart = [x.unflatten(0, (batch, images)) if x.numel() else x for x in several]
        dims = [0 if x.numel() else None for x in several]
        return (tuple(apart), tuple(dims)) if isinstance(results, tuple) else (apart[0], 0)

    operator.register_vmap(rule)


for _operator in (ridge_pool, ridge_pool_backward, ridge_pool_tangent):
    _register_batches(_operator)

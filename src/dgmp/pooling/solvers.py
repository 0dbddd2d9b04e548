"""Solving (MᵀM + λI)x = b for a batch of images, from a Cholesky factor of that matrix.

Vectors are rows throughout: ``rows_times(x, m)`` is xᵀM.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Protocol

import torch
from torch import Tensor
from torch._C import _are_functorch_transforms_active, _len_torch_dispatch_stack
from torch._C._functorch import is_legacy_batchedtensor
from torch.jit._trace import is_tracing

_STRIP = 96  # columns; a multiple of what the CPU's kernels take at a time, others are slower
_REFINE_STEPS = 8  # on the CPU mostly one or two are run


class Solve(Protocol):
    """Solves for b = ``vectors`` (B, n), or for b = Mᵀ``vectors`` with ``vectors`` (B, K)."""

    def __call__(self, vectors: Tensor, *, through_matrix: bool = False) -> Tensor:
        """The solution x (B, n)."""


def direct_solver(
    matrix: Tensor,  # M: (B, K, n)
    factor: Tensor,  # (B, n, n)
) -> Solve:
    """Two triangular solves, in the type of the factor."""

    def solve(vectors: Tensor, *, through_matrix: bool = False) -> Tensor:
        return _solve(factor, rows_times(vectors, matrix) if through_matrix else vectors)

    return solve


def refining_solver(
    matrix: Tensor,  # (B, K, n), float64
    penalty: Tensor,  # λ: (B,)
    factor: Tensor,  # (B, n, n), of any type, and of a matrix that may be a little off
) -> Solve:
    """Conjugate gradients in float64, preconditioned by the factor."""
    ridge = penalty.double().unsqueeze(1)
    readable = can_read(matrix)
    tolerance = 1e-3 * torch.finfo(factor.dtype).eps

    def coarse(residual: Tensor) -> Tensor:
        return _solve(factor, residual.to(factor.dtype)).double()

    def solve(vectors: Tensor, *, through_matrix: bool = False) -> Tensor:
        right = rows_times(vectors, matrix) if through_matrix else vectors
        x = coarse(right)
        image = rows_times(x, matrix.mT)
        if through_matrix:
            # Subtracted before the second product: where x meets its target nearly everywhere,
            # the difference of the two products would be rounding alone.
            residual = rows_times(vectors - image, matrix) - ridge * x
        else:
            residual = right - rows_times(image, matrix) - ridge * x
        enough = _dots(x, right) * tolerance**2
        direction = torch.zeros_like(x)
        previous = torch.ones_like(enough)
        for _ in range(_REFINE_STEPS):
            z = coarse(residual)
            current = _dots(residual, z)
            if readable and bool((current <= enough).all()):
                break
            direction = z + direction * (current / previous)
            image = rows_times(rows_times(direction, matrix.mT), matrix) + ridge * direction
            curvature = _dots(direction, image)
            step = torch.where(curvature > 0, current / curvature, 0)
            x = x + step * direction
            residual = residual - step * image
            previous = torch.where(current > 0, current, 1)
        return x

    return solve


def can_read(tensor: Tensor) -> bool:
    """Whether looking at a value is free; on an accelerator it waits for all that is queued."""
    return tensor.device.type == "cpu"


def at_once(*tensors: Tensor) -> bool:
    """Whether values may be read, as nobody traces, transforms or queues what is computed."""
    return (
        not torch.compiler.is_compiling()
        and not is_tracing()
        and not _are_functorch_transforms_active()
        and not _len_torch_dispatch_stack()
        and all(type(x) is Tensor and can_read(x) for x in tensors)
        and not any(map(is_legacy_batchedtensor, tensors))
    )


def rows_times(vectors: Tensor, matrices: Tensor) -> Tensor:  # (B, K), (B, K, n) -> (B, n)
    """A row vector from the left of each matrix.

    The same product as a column from the right is several times slower in the batched kernels of
    the CPU.
    """
    return torch.bmm(vectors.unsqueeze(1), matrices).squeeze(1)


def less_rows_times(start: Tensor, vectors: Tensor, matrices: Tensor) -> Tensor:  # (B, n)
    """``start`` (B, n) less that product."""
    product = torch.baddbmm(start.unsqueeze(1), vectors.unsqueeze(1), matrices, alpha=-1)
    return product.squeeze(1)


def upper_gram(matrix: Tensor) -> Tensor:  # (B, K, n) -> (B, n, n)
    """The upper triangle of the products of all pairs of columns; below it stands anything.

    In strips of rows, each multiplied only with the columns from its start: little more than half
    of the arithmetic of the full product.
    """
    order = matrix.shape[2]
    if order <= _STRIP or matrix.device.type != "cpu":
        return torch.bmm(matrix.mT, matrix).contiguous()
    width = _STRIP * max(1, round(order / (8 * _STRIP)))
    # A last strip of a few rows would cost nearly as much as a full one.
    edges = [*range(0, order - width // 2, width), order]
    gram = matrix.new_empty(matrix.shape[0], order, order)
    for start, end in pairwise(edges):
        gram[:, start:end, start:] = torch.bmm(matrix[:, :, start:end].mT, matrix[:, :, start:])
    return gram


def cholesky_in_place(gram: Tensor) -> tuple[Tensor, Tensor]:  # (B, n, n) -> the same, (B,)
    """Overwrite an upper triangle by its factor; and whether that broke down, if not 0.

    Read as its transpose, it is a lower triangle that lies in memory as LAPACK wants it, and is not
    copied. LAPACK takes small matrices, which are whole, faster by the other triangle.
    """
    broken = torch.empty(len(gram), dtype=torch.int32, device=gram.device)
    turned = gram.mT
    torch.linalg.cholesky_ex(turned, upper=_is_small(gram), out=(turned, broken))
    return gram, broken


def _solve(factor: Tensor, right: Tensor) -> Tensor:  # (B, n, n), (B, n) -> (B, n)
    lower, upper = (factor, factor.mT) if _is_small(factor) else (factor.mT, factor)
    half = torch.linalg.solve_triangular(lower, right.unsqueeze(2), upper=False)
    return torch.linalg.solve_triangular(upper, half, upper=True).squeeze(2)


def _is_small(gram: Tensor) -> bool:
    return gram.shape[2] <= _STRIP


def _dots(a: Tensor, b: Tensor) -> Tensor:  # (B, n), (B, n) -> (B, 1)
    return (a * b).sum(dim=1, keepdim=True)

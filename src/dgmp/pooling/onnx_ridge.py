"""The operator ``dgmp::ridge_pool`` written in ordinary ONNX operators.

ONNX has no Cholesky factorisation and no solver, but it has loops: the Gram matrix of the
smaller form, chosen by the sizes that come, then conjugate gradients until nothing is left of the
residual, all in float64.
"""

# mypy: ignore-errors
# The annotations below are read by the converter, and postponed ones it cannot read.

import onnxscript
import torch
from onnxscript import DOUBLE
from onnxscript import opset18 as op

from .ridge import RIDGE_FLOOR

OPSET = 18
FLOAT_64, INT_32, BOOL = 11, 6, 9  # the numbers of these types in ONNX
_FUNCTIONS = onnxscript.values.Opset("dgmp", 1)


def ridge_pool(phi, weights, ridge, relative):
    """The operator ``dgmp::ridge_pool`` in ONNX; runs while the graph is built."""

    def axes(*numbers):
        return op.Constant(value_ints=numbers)

    def number(value):
        return op.Cast(op.Constant(value_float=value), to=FLOAT_64)

    wide = op.Cast(phi, to=FLOAT_64)
    if weights is None:
        shape = op.Concat(op.Shape(phi, end=1), axes(1), op.Shape(phi, start=2), axis=0)
        scale = op.Expand(number(1.0), shape)
    else:
        scale = op.Unsqueeze(op.Sqrt(op.Cast(weights, to=FLOAT_64)), axes(1))
    psi = op.Mul(wide, scale)
    energy = op.ReduceSumSquare(psi, axes(1, 2), keepdims=1)  # (B, 1, 1)
    ridge = op.Reshape(op.Cast(ridge, to=FLOAT_64), axes(-1, 1, 1))
    penalty = op.Mul(ridge, energy) if relative else op.Expand(ridge, op.Shape(energy))
    floor = RIDGE_FLOOR * torch.finfo(torch.float32).eps
    penalty = op.Max(penalty, op.Mul(energy, number(floor)))
    penalty = op.Where(op.Greater(penalty, number(0.0)), penalty, number(1.0))
    pooled, beta = _solve(psi, scale, penalty)
    results = [op.Squeeze(x, axes(1)) for x in (pooled, beta)]
    results += [op.Squeeze(x, axes(1, 2)) for x in (penalty, energy)]
    factor = op.MatMul(op.Transpose(psi, perm=[0, 2, 1]), psi)  # only the gradient asks for it
    outputs = [op.CastLike(x, phi) for x in (*results, factor)]
    return (*outputs, op.Greater(results[3], number(0.0)))


@onnxscript.script(_FUNCTIONS, default_opset=op)
def _solve(
    psi: DOUBLE[...], scale: DOUBLE[...], penalty: DOUBLE[...]
) -> tuple[DOUBLE[...], DOUBLE[...]]:
    """ξ (B, 1, C) and β (B, 1, N) of Ψ (B, C, N), s (B, 1, N) and λ (B, 1, 1)."""
    transposed = op.Transpose(psi, perm=[0, 2, 1])
    dual = op.Less(op.Shape(psi, start=2, end=3), op.Shape(psi, start=1, end=2))
    is_dual = op.Squeeze(dual)
    if is_dual:
        matrix = op.Identity(psi)
        right = op.Identity(scale)
    else:
        matrix = op.Identity(transposed)
        right = op.MatMul(scale, transposed)
    back = op.Transpose(matrix, perm=[0, 2, 1])
    gram = op.MatMul(back, matrix)
    zero = op.CastLike(0.0, psi)
    one = op.CastLike(1.0, psi)
    enough = op.Mul(op.ReduceSumSquare(right, [2], keepdims=1), op.CastLike(1e-26, psi))
    # One tensor holds solution, residual and direction: the converter does not keep the order of
    # several loop variables.
    state = op.Concat(op.Mul(right, zero), right, right, axis=1)  # (B, 3, n)
    steps = op.Add(op.Mul(op.Squeeze(op.Shape(right, start=2, end=3)), 2), 100)
    for _ in range(steps):
        x, residual, direction = op.Split(state, axis=1, num_outputs=3)
        size = op.ReduceSumSquare(residual, [2], keepdims=1)
        image = op.Add(op.MatMul(direction, gram), op.Mul(penalty, direction))
        curvature = op.ReduceSum(op.Mul(direction, image), [2], keepdims=1)
        moves = op.Greater(curvature, zero)
        pace = op.Where(moves, op.Div(size, op.Where(moves, curvature, one)), zero)
        x = op.Add(x, op.Mul(pace, direction))
        residual = op.Sub(residual, op.Mul(pace, image))
        following = op.ReduceSumSquare(residual, [2], keepdims=1)
        ratio = op.Where(moves, op.Div(following, op.Where(moves, size, one)), zero)
        state = op.Concat(x, residual, op.Add(residual, op.Mul(ratio, direction)), axis=1)
        unfinished = op.Cast(op.Greater(following, enough), to=INT_32)
        done = op.Not(op.Cast(op.ReduceMax(unfinished, keepdims=0), to=BOOL))
        if done:
            break
    x, residual, direction = op.Split(state, axis=1, num_outputs=3)
    if is_dual:
        pooled = op.MatMul(x, back)
        beta = op.Identity(x)
    else:
        pooled = op.Identity(x)
        beta = op.Div(op.Sub(scale, op.MatMul(x, back)), penalty)
    return pooled, beta

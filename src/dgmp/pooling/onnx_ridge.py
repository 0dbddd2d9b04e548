"""The operator ``dgmp::ridge_pool`` written in ordinary ONNX operators.

ONNX has no Cholesky factorisation and no solver, but it has loops. The Gram matrix of the smaller
form, chosen by the sizes that come, is made in float32, and conjugate gradients in float64 run
until nothing is left of the residual. Where float32 is not enough for that matrix (the doubt of
:mod:`dgmp.pooling.problem`) or its squares leave the range, the batch is solved once more with a
Gram matrix in float64, several times slower and to the last digit.

No name below may be that of an input or output of the file: checkers would take one for the other.
"""

# mypy: ignore-errors
# The annotations below are read by the converter, and postponed ones it cannot read.

import onnxscript
import torch
from onnxscript import BOOL, DOUBLE, FLOAT
from onnxscript import opset18 as op

from .problem import RIDGE_FLOOR

OPSET = 18
FLOAT_32, FLOAT_64, INT_32, BOOLEAN = 1, 11, 6, 9  # the numbers of these types in ONNX
FLOOR = RIDGE_FLOOR * torch.finfo(torch.float32).eps
_FUNCTIONS = onnxscript.values.Opset("dgmp", 1)


def ridge_pool(phi, weights, ridge, relative: bool):
    """The operator ``dgmp::ridge_pool`` in ONNX; runs while the graph is built."""
    narrow = op.Cast(phi, to=FLOAT_32)
    if weights is None:
        shape = op.Concat(op.Shape(phi, end=1), op.Shape(phi, start=2), axis=0)
        counts = op.Expand(op.Constant(value_float=1.0), shape)
        psi = narrow
    else:
        counts = op.Cast(weights, to=FLOAT_32)
        psi = op.Mul(narrow, op.Unsqueeze(op.Sqrt(counts), _axes(1)))
    roots = op.Unsqueeze(op.Sqrt(counts), _axes(1))  # s: (B, 1, N)
    ridge = op.Reshape(op.Cast(ridge, to=FLOAT_64), _axes(-1, 1, 1))

    energy = op.Cast(op.ReduceSumSquare(psi, _axes(1, 2), keepdims=1), to=FLOAT_64)
    penalty = _penalty(ridge, energy, relative)
    gram, aim = _system(psi, roots)
    xi, beta, doubt = _finish(psi, roots, _conjugate(gram, aim, penalty), penalty, energy)
    fine = op.And(
        op.LessOrEqual(doubt, _double(1.0)),
        op.And(op.Greater(energy, _double(1e-20)), op.Less(energy, _double(1e30))),
    )
    all_fine = op.Cast(op.ReduceMin(op.Cast(fine, to=INT_32), keepdims=0), to=BOOLEAN)

    wide, wide_gram, wide_aim, wide_energy = _wide_system(
        narrow, counts, gram, aim, energy, all_fine
    )
    wide_penalty = _penalty(ridge, wide_energy, relative)
    again = _conjugate(wide_gram, wide_aim, wide_penalty)
    xi, beta = _choose(xi, beta, wide, counts, again, wide_penalty, all_fine)

    results = [op.Squeeze(x, _axes(1)) for x in (xi, beta)]
    results += [op.Squeeze(x, _axes(1, 2)) for x in (wide_penalty, wide_energy)]
    factor = op.MatMul(op.Transpose(psi, perm=[0, 2, 1]), psi)  # only the gradient asks for it
    size = op.Add(op.Mul(results[3], _double(0.0)), _double(1.0))
    return tuple(op.CastLike(x, phi) for x in (*results, factor, size))


def _penalty(ridge, energy, relative: bool):
    """λ, at least the floor; 1 where there is no energy; NaN where the ridge is no number."""
    asked = op.Mul(ridge, energy) if relative else op.Expand(ridge, op.Shape(energy))
    lowest = op.Mul(energy, _double(FLOOR))
    raised = op.Where(op.Less(asked, lowest), lowest, asked)
    return op.Where(op.LessOrEqual(raised, _double(0.0)), _double(1.0), raised)


@onnxscript.script(_FUNCTIONS, default_opset=op)
def _system(psi: FLOAT[...], roots: FLOAT[...]) -> tuple[DOUBLE[...], DOUBLE[...]]:
    """Gram matrix (B, n, n) and right side (B, 1, n) of Ψ (B, C, N) and s (B, 1, N)."""
    turned = op.Transpose(psi, perm=[0, 2, 1])
    if op.Squeeze(op.Less(op.Shape(psi, start=2, end=3), op.Shape(psi, start=1, end=2))):
        products = op.MatMul(turned, psi)
        sums = op.Identity(roots)
    else:
        products = op.MatMul(psi, turned)
        sums = op.Transpose(op.MatMul(psi, op.Transpose(roots, perm=[0, 2, 1])), perm=[0, 2, 1])
    return op.Cast(products, to=FLOAT_64), op.Cast(sums, to=FLOAT_64)


@onnxscript.script(_FUNCTIONS, default_opset=op)
def _finish(
    psi: FLOAT[...], roots: FLOAT[...], x: DOUBLE[...], shift: DOUBLE[...], power: DOUBLE[...]
) -> tuple[DOUBLE[...], DOUBLE[...], DOUBLE[...]]:
    """ξ (B, 1, C), β (B, 1, N) and the doubt (B, 1, 1), above 1 where float32 is not enough."""
    inverse = op.Div(power, shift)  # 1/ρ
    if op.Squeeze(op.Less(op.Shape(psi, start=2, end=3), op.Shape(psi, start=1, end=2))):
        dual_b = op.Identity(x)
        # Cast in each branch: a cast before them gets another name, of which ONNX Runtime warns.
        column = op.MatMul(psi, op.Transpose(op.Cast(x, to=FLOAT_32), perm=[0, 2, 1]))
        dual_xi = op.Cast(op.Transpose(column, perm=[0, 2, 1]), to=FLOAT_64)
        below = op.ReduceSumSquare(dual_xi, [2], keepdims=1)
        spread = op.Mul(op.Div(op.ReduceSumSquare(x, [2], keepdims=1), below), power)
        squared = op.Mul(spread, inverse)  # against 300²
        first_xi = op.Identity(dual_xi)
        first_b = op.Identity(dual_b)
        first_doubt = op.Max(
            op.Div(squared, op.CastLike(9e4, squared)),
            op.Div(inverse, op.CastLike(1e3, inverse)),
        )
    else:
        met = op.Cast(op.MatMul(op.Cast(x, to=FLOAT_32), psi), to=FLOAT_64)
        first_xi = op.Identity(x)
        first_b = op.Div(op.Sub(op.Cast(roots, to=FLOAT_64), met), shift)
        many = op.Sqrt(op.Cast(op.Shape(psi, start=2, end=3), to=FLOAT_64))
        first_doubt = op.Div(op.Mul(inverse, many), op.CastLike(1e3, inverse))
    return first_xi, first_b, first_doubt


@onnxscript.script(_FUNCTIONS, default_opset=op)
def _wide_system(
    narrow: FLOAT[...],
    counts: FLOAT[...],
    gram: DOUBLE[...],
    aim: DOUBLE[...],
    power: DOUBLE[...],
    fine: BOOL,
) -> tuple[DOUBLE[...], DOUBLE[...], DOUBLE[...], DOUBLE[...]]:
    """Ψ in float64 with its system and energy; where all is fine, a system that is solved."""
    if fine:
        psi_64 = op.Identity(aim)
        gram_64 = op.Identity(gram)
        aim_64 = op.Mul(aim, op.CastLike(0.0, aim))
        power_64 = op.Identity(power)
    else:
        roots_64 = op.Unsqueeze(op.Sqrt(op.Cast(counts, to=FLOAT_64)), [1])
        psi_64 = op.Mul(op.Cast(narrow, to=FLOAT_64), roots_64)
        power_64 = op.ReduceSumSquare(psi_64, [1, 2], keepdims=1)
        turned_64 = op.Transpose(psi_64, perm=[0, 2, 1])
        if op.Squeeze(op.Less(op.Shape(narrow, start=2, end=3), op.Shape(narrow, start=1, end=2))):
            gram_64 = op.MatMul(turned_64, psi_64)
            aim_64 = op.Identity(roots_64)
        else:
            gram_64 = op.MatMul(psi_64, turned_64)
            aim_64 = op.MatMul(roots_64, turned_64)
    return psi_64, gram_64, aim_64, power_64


@onnxscript.script(_FUNCTIONS, default_opset=op)
def _choose(
    first_xi: DOUBLE[...],
    first_b: DOUBLE[...],
    wide: DOUBLE[...],
    counts: FLOAT[...],
    x: DOUBLE[...],
    shift: DOUBLE[...],
    fine: BOOL,
) -> tuple[DOUBLE[...], DOUBLE[...]]:
    """ξ (B, 1, C) and β (B, 1, N): the first solution, or the one in float64."""
    if fine:
        last_xi = op.Identity(first_xi)
        last_b = op.Identity(first_b)
    else:
        if op.Squeeze(op.Less(op.Shape(wide, start=2, end=3), op.Shape(wide, start=1, end=2))):
            last_xi = op.MatMul(x, op.Transpose(wide, perm=[0, 2, 1]))
            last_b = op.Identity(x)
        else:
            last_xi = op.Identity(x)
            roots_64 = op.Unsqueeze(op.Sqrt(op.Cast(counts, to=FLOAT_64)), [1])
            last_b = op.Div(op.Sub(roots_64, op.MatMul(x, wide)), shift)
    return last_xi, last_b


@onnxscript.script(_FUNCTIONS, default_opset=op)
def _conjugate(matrix: DOUBLE[...], aim: DOUBLE[...], shift: DOUBLE[...]) -> DOUBLE[...]:
    """x (B, 1, n) of x(G + λI) = b, by conjugate gradients."""
    zero = op.CastLike(0.0, aim)
    one = op.CastLike(1.0, aim)
    enough = op.Mul(op.ReduceSumSquare(aim, [2], keepdims=1), op.CastLike(1e-26, aim))
    # One tensor holds solution, residual and direction: the converter does not keep the order of
    # several loop variables.
    state = op.Concat(op.Mul(aim, zero), aim, aim, axis=1)  # (B, 3, n)
    steps = op.Add(op.Mul(op.Squeeze(op.Shape(aim, start=2, end=3)), 2), 100)
    for _ in range(steps):
        x, residual, direction = op.Split(state, axis=1, num_outputs=3)
        square = op.ReduceSumSquare(residual, [2], keepdims=1)
        image = op.Add(op.MatMul(direction, matrix), op.Mul(shift, direction))
        curvature = op.ReduceSum(op.Mul(direction, image), [2], keepdims=1)
        # Not "greater than": a NaN must show in the solution.
        stands = op.LessOrEqual(curvature, zero)
        pace = op.Where(stands, zero, op.Div(square, op.Where(stands, one, curvature)))
        x = op.Add(x, op.Mul(pace, direction))
        residual = op.Sub(residual, op.Mul(pace, image))
        following = op.ReduceSumSquare(residual, [2], keepdims=1)
        share = op.Where(stands, zero, op.Div(following, op.Where(stands, one, square)))
        state = op.Concat(x, residual, op.Add(residual, op.Mul(share, direction)), axis=1)
        unfinished = op.Cast(op.Greater(following, enough), to=INT_32)
        done = op.Not(op.Cast(op.ReduceMax(unfinished, keepdims=0), to=BOOLEAN))
        if done:
            break
    found, _left, _towards = op.Split(state, axis=1, num_outputs=3)
    return found


def _axes(*numbers):
    return op.Constant(value_ints=numbers)


def _double(value):
    return op.Cast(op.Constant(value_float=value), to=FLOAT_64)

"""Exported programs that run without dgmp, and compiled by AOTInductor without Python.

:func:`plain_program` writes the solver out in operators of torch itself: Gram matrix, Cholesky
factor and solution in float64, in which every float32 map is in range and well-conditioned. The
letters are those of :mod:`dgmp.pooling.ridge`.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.export import ExportedProgram

from .problem import RIDGE_FLOOR


def plain_program(program: ExportedProgram) -> ExportedProgram:
    """The program with none of dgmp's operators, which gives the same vectors.

    Both forms of the problem hold for all sizes; of sizes that are free, those of the example
    decide which is written. No gradient passes.
    """
    table = torch.export.default_decompositions()
    table[torch.ops.dgmp.ridge_pool.default] = _written_out
    return program.run_decompositions(table)


def _written_out(
    phi: Tensor,  # (B, C, N)
    weights: Tensor | None,  # (B, N)
    ridge: Tensor,
    relative: bool,
) -> tuple[Tensor, ...]:
    channels, positions = phi.shape[1:]
    # A comparison would fix which of the two is the larger.
    example = positions if isinstance(positions, int) else positions.node.hint
    dual = example is not None and example < channels
    psi = phi.double()
    scale = torch.ones_like(psi[:, 0]) if weights is None else weights.double().sqrt()  # s: (B, N)
    psi = psi * scale.unsqueeze(1)
    energy = psi.square().sum(dim=(1, 2))
    penalty = ridge.double() * (energy if relative else torch.ones_like(energy))
    penalty = torch.maximum(penalty, RIDGE_FLOOR * torch.finfo(phi.dtype).eps * energy)
    penalty = torch.where(penalty == 0, 1.0, penalty)
    gram = psi.mT @ psi if dual else psi @ psi.mT
    gram = gram + torch.diag_embed(penalty.unsqueeze(1).expand(-1, gram.shape[1]))
    factor, broken = torch.linalg.cholesky_ex(gram)
    right = scale.unsqueeze(2) if dual else psi @ scale.unsqueeze(2)
    solution = torch.cholesky_solve(right, factor)
    pooled = (psi @ solution if dual else solution).squeeze(2)
    lost = (broken != 0) | ~energy.isfinite() | ~penalty.isfinite()
    pooled = pooled.masked_fill(lost.unsqueeze(1), torch.nan)
    misfit = scale - (pooled.unsqueeze(1) @ psi).squeeze(1)
    beta = solution.squeeze(2) if dual else misfit / penalty.unsqueeze(1)
    found = pooled, beta, penalty, energy, factor, torch.ones_like(energy)
    return tuple(field.to(phi.dtype) for field in found)

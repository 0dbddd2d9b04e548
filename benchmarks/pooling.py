"""GMP against the textbook version, average pooling and the floor of an exact solve.

    python benchmarks/pooling.py

Every row is taken in one run, all candidates in turn, in processor time, so that a busy machine
changes the ratios little; with one thread, and with two. (a) is the textbook version: autograd
through torch.linalg.solve in the dual form, as the published code has it. (b) is average pooling.
(c) is the floor: the plain Gram matrix of the smaller form and its Cholesky factor, forward only.
Features are |N(0,1)| where positive, zero elsewhere; the ridge is 1e3, the paper's value.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import torch
import torch.nn.functional as F
from timing import keep_memory, median_ratio, rounds, side_by_side
from torch import Tensor

from dgmp.models import resnet50
from dgmp.pooling import GeneralizedMaxPool, generalized_max_pool, make_pooling

RIDGE = 1e3
SECONDS = 1.0  # of each comparison, and at least three rounds
SHAPES = {
    "56×2048×13×13": (56, 2048, 13, 13),
    "28×2048×24×24": (28, 2048, 24, 24),
    "56×512×13×13": (56, 512, 13, 13),
    "2×2048×48×48": (2, 2048, 48, 48),
    "64×64×8×8": (64, 64, 8, 8),
    "4×64×64×64": (4, 64, 64, 64),
    "1×64×64×64": (1, 64, 64, 64),
    "14×2048×13×13": (14, 2048, 13, 13),
}
POOLED = (8, 512, 14, 14)  # the shape on which other poolings are compared with the usual code
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


def textbook(features: Tensor, ridge: Tensor) -> Tensor:
    phi = features.flatten(2)
    gram = phi.mT @ phi + ridge * torch.eye(phi.shape[2])
    alpha = torch.linalg.solve(gram, torch.ones(len(phi), phi.shape[2], 1))
    return (phi @ alpha).squeeze(2)


def average(features: Tensor, ridge: Tensor) -> Tensor:
    return features.mean((2, 3))


def gmp(features: Tensor, ridge: Tensor) -> Tensor:
    return generalized_max_pool(features, ridge)


def floor(features: Tensor, ridge: Tensor) -> Tensor:
    phi = features.flatten(2)
    gram = phi.mT @ phi if phi.shape[2] < phi.shape[1] else phi @ phi.mT
    gram.diagonal(dim1=1, dim2=2).add_(ridge)
    return torch.linalg.cholesky_ex(gram).L


INTRODUCTION = """# Speed

This page is written by `make bench`. Every row compares candidates that ran in turn in one process,
in processor time, which other work on the machine changes little; read the ratios, not the
milliseconds.

- (a) the textbook version: autograd through `torch.linalg.solve` in the dual form, as published;
- (b) average pooling;
- (c) the floor of an exact solve: the plain Gram matrix of the smaller form and its Cholesky
  factor, forward only.

For small systems most of the time beyond (c) is the fixed cost of about a hundred torch and
autograd calls (0.4 ms or more), about as much as (c) itself at 1×64×64×64. In large ones it is the
three products with the features, which (c) lacks.

"""

METHODS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "floor": floor,
    "gmp": gmp,
    "textbook": textbook,
    "average": average,
}


def maps(shape: tuple[int, ...]) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(0)).relu_()


def step(method: str, features: Tensor, ridge: Tensor, grad: Tensor, backward: bool) -> None:
    if method == "floor" or not backward:
        with torch.no_grad():
            METHODS[method](features, ridge)
        return
    METHODS[method](features, ridge).backward(grad)
    features.grad = ridge.grad = None


def ratios(shape: tuple[int, ...], channels_last: bool = False) -> dict[str, float]:
    """Forward and backward of GMP against the others, and the forward pass alone to the floor."""
    features = maps(shape)
    if channels_last:
        features = features.to(memory_format=torch.channels_last)
    features.requires_grad_()
    ridge = torch.tensor(RIDGE, requires_grad=True)
    grad = torch.randn(shape[:2])
    candidates = {m: lambda m=m: step(m, features, ridge, grad, True) for m in METHODS} | {
        "forward": lambda: step("gmp", features, ridge, grad, False)
    }
    times = rounds(candidates, seconds=SECONDS, least=3, clock=time.process_time)
    result = {other: median_ratio(times["gmp"], times[other]) for other in METHODS}
    result["ms"] = 1e3 * median(times["gmp"])
    result["forward"] = median_ratio(times["forward"], times["floor"])
    return result


def usual_code() -> dict[str, Callable[[Tensor], Tensor]]:
    """What people write for the other poolings, with what is learned as a parameter."""
    alpha, power, sharpness = (torch.tensor([x], requires_grad=True) for x in (0.5, 3.0, 10.0))

    def average(x: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(x, 1).flatten(1)

    def maximum(x: Tensor) -> Tensor:
        return F.adaptive_max_pool2d(x, 1).flatten(1)

    def generalized_mean(x: Tensor) -> Tensor:
        return F.avg_pool2d(x.clamp(min=1e-6).pow(power), x.shape[2:]).pow(1 / power).flatten(1)

    def log_sum_exp(x: Tensor) -> Tensor:
        scores = sharpness * x.flatten(2)
        return (scores.logsumexp(2) - math.log(scores.shape[2])) / sharpness

    return {
        "avg": average,
        "max": maximum,
        "mixed": lambda x: alpha * maximum(x) + (1 - alpha) * average(x),
        "lse": log_sum_exp,
        "gem": generalized_mean,
    }


def against_usual_code() -> dict[str, float]:
    features = maps(POOLED).requires_grad_()
    grad = torch.randn(POOLED[:2])
    result = {}
    for name, usual in usual_code().items():
        ours = make_pooling(name, channels=POOLED[1])

        def both(pool: Callable[[Tensor], Tensor]) -> None:
            pool(features).backward(grad)
            features.grad = None

        times = rounds(
            {"ours": lambda ours=ours: both(ours), "usual": lambda usual=usual: both(usual)},
            seconds=SECONDS,
            least=15,
            clock=time.process_time,
        )
        result[name] = median_ratio(times["ours"], times["usual"])
    return result


def default_layer(shape: tuple[int, ...]) -> dict[str, float]:
    """``GeneralizedMaxPool()``, targets of energy, against the paper's layer, (a) and GeM."""
    features = maps(shape).requires_grad_()
    grad = torch.randn(shape[:2])
    ridge = torch.tensor(RIDGE, requires_grad=True)
    pools: dict[str, Callable[[Tensor], Tensor]] = {
        "default": GeneralizedMaxPool(),
        "paper": GeneralizedMaxPool(RIDGE),
        "textbook": lambda x: textbook(x, ridge),
        "gem": usual_code()["gem"],
    }

    def both(pool: Callable[[Tensor], Tensor]) -> None:
        pool(features).backward(grad)
        features.grad = None

    candidates = {name: lambda pool=pool: both(pool) for name, pool in pools.items()}
    times = rounds(candidates, seconds=SECONDS, least=3, clock=time.process_time)
    result = {other: median_ratio(times["default"], times[other]) for other in pools}
    return result | {"ms": 1e3 * median(times["default"])}


def apart(call: str, threads: int = 1) -> Any:
    """What a call of this module gives in a process of its own.

    MKL's LU factorisation, which (a) needs, fails where the number of threads is set later.
    """
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import pooling, json; "
        f"print(json.dumps(pooling.{call}))"
    )
    # Threads that wait must not count: they would turn on a processor that others need.
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "PASSIVE"}
    return json.loads(subprocess.check_output([sys.executable, "-c", code], env=environment))


def peak_memory(method: str, shape: tuple[int, ...]) -> float:
    """Peak MiB above the features during forward and backward."""
    step(method, maps((2, 3, 2, 2)).requires_grad_(), torch.tensor(RIDGE), torch.ones(2, 3), True)
    features = maps(shape).requires_grad_()
    ridge = torch.tensor(RIDGE, requires_grad=True)
    grad = torch.randn(shape[:2])
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = _status("VmRSS")
    step(method, features, ridge, grad, True)
    return (_status("VmHWM") - before) / 1024


def _status(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))


def shares_of_a_training_step(images: int = 4) -> tuple[float, float]:
    """Of forward and backward of a ResNet-50 at 400×400: the paper's layer, and the default."""
    model = resnet50(pooling=GeneralizedMaxPool(RIDGE), classes=None)
    batch = torch.randn(images, 3, 400, 400)
    features = maps((images, 2048, 13, 13)).requires_grad_()
    candidates: dict[str, Callable[[], None]] = {"whole": lambda: model(batch).sum().backward()}
    for name, pooling in (("paper", GeneralizedMaxPool(RIDGE)), ("default", GeneralizedMaxPool())):
        candidates[name] = lambda pooling=pooling: pooling(features).sum().backward()
    seconds = side_by_side(candidates, seconds=SECONDS, least=3)
    return seconds["paper"] / seconds["whole"], seconds["default"] / seconds["whole"]


def speedups() -> list[str]:
    """What each trick is worth, against its plain form."""
    from dgmp.pooling.solvers import upper_gram

    rows = []
    for name in ("56×2048×13×13", "28×2048×24×24", "2×2048×48×48"):
        phi = maps(SHAPES[name]).flatten(2)
        matrix = phi if phi.shape[2] < phi.shape[1] else phi.mT
        row = torch.rand(len(phi), 1, phi.shape[1])
        seconds = side_by_side(
            {
                "full": lambda matrix=matrix: matrix.mT @ matrix,
                "strips": lambda matrix=matrix: upper_gram(matrix),
                "column": lambda phi=phi, row=row: phi.mT @ row.mT,
                "row": lambda phi=phi, row=row: row @ phi,
                "cg": lambda phi=phi: conjugate_gradients(phi, iterations=8),
                "cg30": lambda phi=phi: conjugate_gradients(phi, iterations=30),
                "gmp": lambda phi=phi: generalized_max_pool(phi, RIDGE),
            },
            seconds=SECONDS,
            least=3,
        )
        exact = generalized_max_pool(phi.double(), RIDGE)
        loss = [
            1 - torch.cosine_similarity(conjugate_gradients(phi, iterations=k), exact).min().item()
            for k in (8, 30)
        ]
        rows.append(
            f"| {name} | {seconds['full'] / seconds['strips']:.2f}× "
            f"| {seconds['column'] / seconds['row']:.1f}× "
            f"| {seconds['gmp'] / seconds['cg']:.2f}× ({loss[0]:.0e}) "
            f"| {seconds['gmp'] / seconds['cg30']:.2f}× ({loss[1]:.0e}) |"
        )
    return rows


def conjugate_gradients(phi: Tensor, iterations: int) -> Tensor:
    """The dual without a Gram matrix, stopped after so many steps."""
    right = phi.new_ones(len(phi), 1, phi.shape[2])
    x = torch.zeros_like(right)
    residual = right
    direction = residual
    size = residual.square().sum(2, keepdim=True)
    for _ in range(iterations):
        image = (direction @ phi.mT) @ phi + RIDGE * direction
        pace = size / (direction * image).sum(2, keepdim=True)
        x = x + pace * direction
        residual = residual - pace * image
        following = residual.square().sum(2, keepdim=True)
        direction = residual + direction * (following / size)
        size = following
    return (x @ phi.mT).squeeze(1)


def of_default_layer() -> list[str]:
    lines = [
        "## The default layer",
        "",
        "The figures above are of the paper's problem (`GeneralizedMaxPool(ridge=1000.0)`). "
        "`GeneralizedMaxPool()` solves one small problem for each group of 16 channels, and most "
        "of its time goes into reading and writing the features. Forward and backward, one thread; "
        "below 1 it is the faster one.",
        "",
        "| B×C×H×W | ms | of the paper's layer | of (a) | of the usual GeM |",
        "|---|---|---|---|---|",
    ]
    for name in ("14×2048×13×13", "56×512×13×13", "64×64×8×8"):
        found = apart(f"default_layer({SHAPES[name]})")
        lines.append(
            f"| {name} | {found['ms']:.1f} | {found['paper']:.1f} | {found['textbook']:.2f} "
            f"| {found['gem']:.2f} |"
        )
    return lines


def table() -> str:
    lines = [
        f"torch {torch.__version__}, float32, ridge {RIDGE:g}, an allocator that keeps its memory. "
        "Medians of the ratios of processor time within each round; one thread / two threads.",
        "",
        "| B×C×H×W | form | forward+backward ms of one thread | vs (a) | vs (b) | vs (c) "
        "| forward vs (c) | peak extra MiB | of (a) |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, shape in SHAPES.items():
        form = "dual" if shape[2] * shape[3] < shape[1] else "primal"
        one, two = (apart(f"ratios({shape})", threads) for threads in (1, 2))
        memory = {m: apart(f"peak_memory({m!r}, {shape})") for m in ("gmp", "textbook")}
        lines.append(
            f"| {name} | {form} | {one['ms']:.1f} "
            f"| **{1 / one['textbook']:.2f}×** / {1 / two['textbook']:.2f}× faster "
            f"| {one['average']:.1f} / {two['average']:.1f} "
            f"| **{one['floor']:.2f}** / {two['floor']:.2f} "
            f"| {one['forward']:.2f} / {two['forward']:.2f} "
            f"| {memory['gmp']:.0f} | {memory['gmp'] / max(memory['textbook'], 1):.2f} |"
        )
        print(lines[-1], flush=True)
    last = apart(f"ratios({SHAPES['56×2048×13×13']}, channels_last=True)")
    lines += [
        "",
        f"Channels-last 56×2048×13×13, no copy: forward+backward {last['floor']:.2f} of (c), "
        f"{1 / last['textbook']:.2f}× faster than (a).",
        "",
        "Share of a ResNet-50 training step at 400×400, 4 images: {:.2f} %, of "
        "`GeneralizedMaxPool()` {:.2f} %.".format(*(100 * x for x in shares_of_a_training_step())),
        "",
        *of_default_layer(),
        "",
        "## Other poolings",
        "",
        f"Forward and backward at {'×'.join(map(str, POOLED))} against the code people write "
        "(torch's adaptive pooling, the usual GeM, `logsumexp`), one thread / two threads.",
        "",
        "| pooling | time of the usual code |",
        "|---|---|",
    ]
    one, two = (apart("against_usual_code()", threads) for threads in (1, 2))
    lines += [f"| `{name}` | {one[name]:.2f} / {two[name]:.2f} |" for name in one]
    lines += [
        "",
        "## Single optimisations",
        "",
        "The symmetric product in strips against the full one, "
        "row vectors from the left against columns from the right, and what stopping conjugate "
        "gradients early would gain over the exact forward pass (in brackets the worst 1 − cosine "
        "to the exact result at this ridge; it grows without bound as the ridge falls, so the "
        "layer stays exact).",
        "",
        "| B×C×H×W | strips | rows | CG, 8 steps | CG, 30 steps |",
        "|---|---|---|---|---|",
        *speedups(),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    keep_memory()
    text = table()
    print("\n" + text)
    PAGE.write_text(INTRODUCTION + text)
    print(f"written to {PAGE}")


if __name__ == "__main__":
    main()

"""The poolings that are compared."""

from __future__ import annotations

from collections.abc import Callable

from dgmp.pooling import (
    AttentiveGeneralizedMaxPool,
    GeneralizedMaxPool,
    Pooling,
    PowerNormalized,
    make_pooling,
)


def _named(name: str, **options: object) -> Callable[[int], Pooling]:
    return lambda channels: make_pooling(name, channels=channels, **options)


def _powered(channels: int) -> Pooling:
    return PowerNormalized(make_pooling("avg", channels=channels), 0.5)


def _sized(pooling: Pooling, channels: int) -> Pooling:
    pooling.out_channels = channels
    return pooling


ROWS: dict[str, Callable[[int], Pooling]] = {
    "Avg": _named("avg"),
    "Max": _named("max"),
    "Mixed": _named("mixed"),
    "LSE": _named("lse"),
    "GeM": _named("gem"),
    "`GeneralizedMaxPool()`": lambda channels: _sized(GeneralizedMaxPool(), channels),
    "the same, `center=C`": lambda channels: _sized(GeneralizedMaxPool(center=channels), channels),
    "GMP, λ₀ = 10³ (paper)": _named("gmp", ridge=1e3),
    "GMP, relative": _named("gmp", relative=True),
    "GMP, relative, centred": _named("gmp", relative=True, center=True),
    "Attentive GMP, relative, centred": _named("attentive-gmp", relative=True, center=True),
    "Avg + ℓ2": _named("avg", normalize=True),
    "`AttentiveGeneralizedMaxPool(C)`": lambda channels: _sized(
        AttentiveGeneralizedMaxPool(channels), channels
    ),
    "Gated": _named("gated"),
    "SimPool": _named("simpool"),
    "Democratic": _named("democratic"),
    "γ-democratic": _named("gamma-democratic"),
    "iSQRT-COV": _named("isqrt-cov"),
    "NetRVLAD": _named("netrvlad"),
    "SALAD": _named("salad"),
    "Generalized sum": _named("gsp"),
    "Tree": _named("tree"),
    "Avg, square root": _powered,
    "energy, one group, `group=C`": lambda channels: _sized(
        GeneralizedMaxPool(group=channels), channels
    ),
    "energy, unit length, `normalize=True`": lambda channels: _sized(
        GeneralizedMaxPool(normalize=True), channels
    ),
}
BASELINES = ("Avg", "Max", "Mixed", "LSE", "GeM")

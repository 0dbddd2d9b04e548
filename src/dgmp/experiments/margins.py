"""Triplet margins: average, max and generalized max pooling at three ridges and three margins."""

from __future__ import annotations

from .rows import WRITER_MEASURES, PaperTable, Row

_POOLINGS = {
    "avg": ("Avg + ℓ2", "avg", {}),
    "max": ("Max + ℓ2", "max", {}),
    "dgmp1": ("DGMP, λ₀ = 1", "gmp", {"ridge": 1.0}),
    "dgmp1e3": ("DGMP, λ₀ = 10³", "gmp", {"ridge": 1e3}),
    "dgmp1e5": ("DGMP, λ₀ = 10⁵", "gmp", {"ridge": 1e5}),
}
_PAPER = {  # margin -> pooling -> mAP, top-1
    0.1: {
        "avg": (50.44, 69.19),
        "max": (50.32, 69.63),
        "dgmp1": (53.76, 72.19),
        "dgmp1e3": (54.81, 73.94),
        "dgmp1e5": (52.41, 71.22),
    },
    0.2: {
        "avg": (48.75, 67.61),
        "max": (46.63, 65.47),
        "dgmp1": (52.16, 71.08),
        "dgmp1e3": (53.54, 72.56),
        "dgmp1e5": (48.98, 68.00),
    },
    0.5: {
        "avg": (48.60, 67.19),
        "max": (40.04, 57.03),
        "dgmp1": (48.55, 67.69),
        "dgmp1e3": (49.37, 68.83),
        "dgmp1e5": (45.24, 64.47),
    },
}

MARGINS = PaperTable(
    name="margins",
    title="Poolings at three margins of the triplet loss",
    task="writer",
    rows=tuple(
        Row(
            name=f"{name}-margin{margin:g}",
            title=f"{title}, margin {margin:g}",
            pooling=pooling,
            options=options,
            margin=margin,
            baseline=f"avg-margin{margin:g}",
            paper={"Historical-WI": dict(zip(WRITER_MEASURES, figures[name], strict=True))},
        )
        for margin, figures in _PAPER.items()
        for name, (title, pooling, options) in _POOLINGS.items()
    ),
    seeds=1,  # as in the paper
    measures=WRITER_MEASURES,
    remark="Batch-hard triplets, whatever the recipe says. "
    "Every pooling is brought to unit length, as the paper's published code does for "
    "writers. Differences are to Avg + ℓ2 at the same margin.",
)

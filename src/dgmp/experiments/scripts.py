"""Script types: five runs of each pooling, their mean, and the ensemble they make.

Beside the poolings stand the systems that the paper compares itself with. T-DeepCNN (CLaMM 2017)
averages five networks, each trained at another image size; the sizes are not published, so they are
a factor of 1.25 apart here, around that of the recipe. The control is one network, tested at these
sizes. ResNet-50 on ZCA-whitened patches (CLaMM 2016) sees patches, also where the recipe has whole
pages; how it whitens is not published either, see :mod:`dgmp.models.standardization`.
"""

from __future__ import annotations

from .poolings import BASELINE, CENTRED
from .rows import SCRIPT_MEASURES, PaperTable, Row


def _paper(
    clamm16: tuple[float, float] | None, clamm17: tuple[float, float]
) -> dict[str, dict[str, float]]:
    given = {"CLaMM 2016": clamm16, "CLaMM 2017": clamm17}
    return {
        name: {"accuracy": pair[0], "ensemble": pair[1]}
        for name, pair in given.items()
        if pair is not None
    }


SIZES = (0.64, 0.8, 1.0, 1.25, 1.5625)
ZCA = 9  # pixels: two strokes wide


def _at_size(size: float) -> Row:
    title = f"Avg, images {size:g} times as large"
    return Row(f"size-{size:g}", title, "avg", normalize=False, baseline=BASELINE, size=size)


SCRIPTS_TABLE = PaperTable(
    name="scripts",
    title="Global poolings for script types",
    task="script",
    rows=(
        Row(
            "avg",
            "Avg",
            "avg",
            normalize=False,
            baseline=BASELINE,
            paper=_paper((85.9, 87.9), (81.3, 82.6)),
        ),
        Row(BASELINE, "Avg + ℓ2", "avg", paper=_paper(None, (81.2, 82.2))),
        Row(
            "max",
            "Max",
            "max",
            normalize=False,
            baseline=BASELINE,
            paper=_paper((85.5, 86.8), (81.3, 83.2)),
        ),
        Row(
            "dgmp",
            "DGMP, λ₀ = 5000 (paper)",
            "gmp",
            {"ridge": 5000.0},
            baseline=BASELINE,
            paper=_paper((87.1, 88.6), (83.3, 85.1)),
        ),
        Row("gmp-centred", "GMP, relative, centred", "gmp", CENTRED, baseline=BASELINE),
        Row(
            "avg-sizes",
            "Avg, tested at five image sizes",
            "avg",
            normalize=False,
            members=("avg",),
            sizes=SIZES,
            baseline=BASELINE,
        ),
        *(_at_size(size) for size in SIZES if size != 1),
        Row(
            "t-deepcnn",
            "T-DeepCNN: five networks, each at its image size",
            "avg",
            normalize=False,
            members=tuple("avg" if size == 1 else f"size-{size:g}" for size in SIZES),
            baseline=BASELINE,
            paper={"CLaMM 2017": {"ensemble": 85.2}},
        ),
        Row(
            "zca",
            "Avg on ZCA-whitened patches",
            "avg",
            normalize=False,
            zca=ZCA,
            baseline=BASELINE,
            paper={"CLaMM 2016": {"accuracy": 86.3}},
        ),
    ),
    seeds=5,
    measures=SCRIPT_MEASURES,
    remark="An ensemble averages the probabilities of a row's runs, weighted by their validation "
    "accuracy. Differences are to Avg + ℓ2.",
)

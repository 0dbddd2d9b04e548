"""Script types: five runs of each pooling, their mean, and the ensemble they make."""

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
    ),
    seeds=5,
    measures=SCRIPT_MEASURES,
    remark="An ensemble averages the probabilities of a row's runs, weighted by their validation "
    "accuracy. Differences are to Avg + ℓ2.",
)

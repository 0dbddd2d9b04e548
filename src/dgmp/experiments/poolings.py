"""Poolings for writer retrieval: those of the paper, the controls it lacks, and our own.

GMP brings its result to unit length and equalises directions. What these two do alone must not be
put down to it, so Avg + ℓ2 and Avg + ℓ2 with a whitening fitted on training pages stand beside it.
"""

from __future__ import annotations

from .rows import WRITER_MEASURES, PaperTable, Row


def _paper(precision: float, top: float) -> dict[str, dict[str, float]]:
    return {"Historical-WI": {"map": precision, "top_1": top}}


BASELINE = "avg-l2"
CENTRED = {"relative": True, "center": True}

POOLINGS_TABLE = PaperTable(
    name="poolings",
    title="Global poolings for writer retrieval",
    task="writer",
    rows=(
        Row("avg", "Avg", "avg", normalize=False, baseline=BASELINE),
        Row(BASELINE, "Avg + ℓ2", "avg", paper=_paper(50.4, 69.2)),
        Row(
            "avg-l2-whitened",
            "Avg + ℓ2, whitened on training pages",
            "avg",
            whitened=BASELINE,
            baseline=BASELINE,
        ),
        Row("max", "Max", "max", baseline=BASELINE, paper=_paper(50.3, 69.6)),
        Row("mixed", "Mixed", "mixed", baseline=BASELINE, paper=_paper(50.2, 69.6)),
        Row("lse", "LSE", "lse", baseline=BASELINE, paper=_paper(51.4, 70.0)),
        Row("gem", "GeM", "gem", baseline=BASELINE),
        Row(
            "dgmp",
            "DGMP, λ₀ = 10³ (paper)",
            "gmp",
            {"ridge": 1e3},
            baseline=BASELINE,
            paper=_paper(54.8, 73.9),
        ),
        Row("gmp-relative", "GMP, relative ridge", "gmp", {"relative": True}, baseline=BASELINE),
        Row("gmp-centred", "GMP, relative, centred", "gmp", CENTRED, baseline=BASELINE),
        Row(
            "gmp-attentive",
            "GMP, relative, centred, attentive",
            "attentive-gmp",
            CENTRED,
            baseline=BASELINE,
        ),
    ),
    seeds=3,
    measures=WRITER_MEASURES,
    remark="All rows but Avg are brought to unit length, as the paper's published code does for "
    "writers; what the paper calls Avg is therefore Avg + ℓ2 here. Differences are to Avg + ℓ2.",
)

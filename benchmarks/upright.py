"""Which end of a page is up: fit the rule of ``pixels/upright.py``, count how often it is right.

    python benchmarks/upright.py --hands HANDS --scripts SCRIPTS --arabic ARABIC [--write]

Fitted on the training pages of every other writer of `hands` and those of `scripts`; counted on the
other training writers of `hands`, on `arabic`, which is never fitted on, and on synthetic pages.
Every page is turned to all four sides.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np
from sklearn.linear_model import LogisticRegression

from dgmp.corpora import open_corpus
from dgmp.files import write_json
from dgmp.pixels import read_image
from dgmp.pixels.scale import ink_at
from dgmp.pixels.upright import FORMAT, RULE, asymmetries, quarter_turns, upright_evidence
from dgmp.records import Grey
from dgmp.synthetic import draw_page

SIDE = 1200  # pixels, as large as pictures are looked at
RESULTS = Path(__file__).parent / "results" / "upright.md"


def looked_at(page: Grey) -> tuple[Grey, Grey]:
    zoom = min(SIDE / max(page.shape), 1.0)
    small = cv2.resize(page, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA)
    return small, ink_at(small, 1.0)


def fit(pages: Iterable[Grey]) -> list[float]:
    rows = np.stack([asymmetries(*looked_at(page))[0] for page in pages])
    labels = np.repeat([1, 0], len(rows))
    rule = LogisticRegression(C=3, fit_intercept=False, max_iter=5000)
    rule.fit(np.concatenate([rows, -rows]), labels)
    return [round(float(weight), 3) for weight in rule.coef_[0]]


def count(name: str, pages: list[Grey]) -> str:
    """A row: what becomes of pages that lie in each of four ways."""
    cells = []
    least = min(upright_evidence(*looked_at(page)) for page in pages)
    for turned in range(4):
        found = Counter(
            (quarter_turns(*looked_at(np.rot90(page, turned).copy())) - turned) % 4
            for page in pages
        )
        others = found[1] + found[3]
        cells.append(f"{found[0] / len(pages):.1%} ({found[2]} upside down, {others} sideways)")
    row = f"| {name} | {len(pages)} | {' | '.join(cells)} | {least:.2f} |"
    print(row, flush=True)
    return row


def main() -> None:
    options = argparse.ArgumentParser()
    for name in ("hands", "scripts", "arabic"):
        options.add_argument(f"--{name}", type=Path, required=True)
    options.add_argument("--out", type=Path, default=RESULTS)
    options.add_argument("--write", action="store_true", help="store the rule that is fitted")
    chosen = options.parse_args()
    cv2.setNumThreads(1)
    hands = open_corpus(chosen.hands).in_split("train")
    writers = sorted({str(page.writer) for page in hands})
    fitted = set(writers[::2])
    scripts = open_corpus(chosen.scripts).in_split("train")
    if chosen.write:
        pages = [page for page in hands if page.writer in fitted]
        weights = fit(read_image(page.source) for page in (*pages, *scripts))
        write_json(RULE, FORMAT, {"weights": weights})
    lines = [
        "# Which end of a page is up",
        "",
        "Share of pages that `quarter_turns` sets upright, by how they lay.",
        "",
        "| pages | number | upright | turned left | upside down | turned right | least evidence |",
        "|---|---|---|---|---|---|---|",
    ]
    sets = {
        "`hands`, training writers fitted on": [p for p in hands if p.writer in fitted],
        "`hands`, other training writers": [p for p in hands if p.writer not in fitted],
        "`scripts`, training pages, fitted on": list(scripts),
        "`arabic`, every sixth": list(open_corpus(chosen.arabic))[::6],
    }
    for name, some in sets.items():
        lines.append(count(name, [read_image(page.source) for page in some]))
    lines.append(count("synthetic", [draw_page(seed, seed) for seed in range(60)]))
    chosen.out.write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()

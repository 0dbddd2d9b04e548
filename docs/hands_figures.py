"""Draw the figures of docs/hands.md into docs/img/: ``python docs/hands_figures.py``.

Pages and books are synthetic, the describer is the one that comes with the package.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import cv2
import numpy as np

from dgmp.describers import load_describer
from dgmp.engines import Processes, cores
from dgmp.plotting import BLUE, INK, ORANGE, picture
from dgmp.synthetic import synthesize, synthesize_books
from dgmp.tasks import describe, follow, group

HERE = Path(__file__).parent / "img"


def sheet() -> None:
    """Eight writers with four pages each."""
    target = HERE / "hands_sheet.jpg"
    with tempfile.TemporaryDirectory() as folder:
        scans, catalogue = Path(folder) / "scans", Path(folder) / "catalogue"
        synthesize(scans, writers=8, pages=4, seed=7)
        describe(scans, catalogue, engine=Processes(cores()))
        group(catalogue, sheet=target)
    whole = cv2.imread(str(target), cv2.IMREAD_GRAYSCALE)
    small = cv2.resize(whole, None, fx=0.7, fy=0.7, interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(target), small, [cv2.IMWRITE_JPEG_QUALITY, 70])


def strip() -> None:
    """Three books of eight pages, described by band."""
    with tempfile.TemporaryDirectory() as folder:
        scans, catalogue = Path(folder) / "scans", Path(folder) / "catalogue"
        synthesize_books(scans, books=3, pages=8, seed=5)
        describe(scans, catalogue, by="band", engine=Processes(cores()))
        follow(catalogue, sheet=HERE / "strip.png")


def likelihood() -> None:
    """What a likeness says, with much and with little writing."""
    calibration = load_describer("default").calibration
    assert calibration is not None
    likeness = np.linspace(-0.2, 0.9, 400)
    spread = calibration.two_hands.spread
    with picture(HERE / "probability.png", 6, 3.2) as figure:
        axes = figure.subplots()
        for halves, name, colour in (
            (0.35, "a full page", INK),
            (0.15, "three lines of a few words", BLUE),
            (0.04, "a word or two", ORANGE),
        ):
            reliability = 2 * halves / (1 + halves)
            pairs = np.full(likeness.shape, reliability**2)
            found = np.exp(calibration.evidence(likeness, pairs, spread))
            axes.semilogy(likeness, found, color=colour, label=name)
        axes.axhline(1, color="0.8", linewidth=1)
        axes.set_xlabel("likeness of two pages, in what their halves share")
        axes.set_ylabel("likelihood ratio of one hand")
        axes.set_title("The same likeness says less where there is less writing")
        axes.legend(frameon=False)


def main() -> None:
    HERE.mkdir(exist_ok=True)
    strip()
    sheet()
    likelihood()


if __name__ == "__main__":
    main()

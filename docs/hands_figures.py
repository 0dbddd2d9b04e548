"""Draw the figures of docs/hands.md into docs/img/: ``python docs/hands_figures.py``."""

from __future__ import annotations

import csv
import tempfile
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from dgmp.corpora import open_corpus
from dgmp.describers import describe_pages
from dgmp.hands import (
    Calibration,
    draw_hands,
    draw_strip,
    fit_calibration,
    follow_hands,
    group_pages,
)
from dgmp.hands.calibration import Background
from dgmp.pixels import PageImage, Preparation, prepare_page, thumbnail
from dgmp.plotting import BLUE, INK, ORANGE, picture
from dgmp.records import Descriptors
from dgmp.synthetic import synthesize, synthesize_books
from dgmp.tasks.dividing import divide

HERE = Path(__file__).parent / "img"
KNOWN, SHOWN = 24, 8  # synthetic writers that calibrate, and that are grouped
KNOWN_BOOKS, BOOKS = 8, 8  # synthetic books that calibrate, and that are grouped
SHOWN_BOOKS = ("book08", "book10", "book15")


class EdgeDirections:
    """How often which direction of ink edges follows which, nine pixels on: enough for a figure."""

    preparation, dim, spec = Preparation(), 2 * 12 * 12, {"kind": "edge directions"}
    calibration = None

    def describe_page(self, image: PageImage) -> NDArray[np.float32]:
        ink = cv2.GaussianBlur(255.0 - image.pixels.astype(np.float32), (0, 0), 1.5)
        across, down = cv2.Sobel(ink, cv2.CV_32F, 1, 0), cv2.Sobel(ink, cv2.CV_32F, 0, 1)
        strength = np.hypot(across, down)
        bins = (np.arctan2(down, across) / (2 * np.pi) % 1 * 12).astype(int) % 12
        parts = []
        for axis in (0, 1):
            first, second = np.roll(bins, 9, axis), bins
            weight = np.minimum(np.roll(strength, 9, axis), strength)
            parts.append(np.bincount((12 * first + second).ravel(), weight.ravel(), 144))
        vector = np.sqrt(np.concatenate(parts) / np.sum(parts))
        return (vector / np.linalg.norm(vector)).astype(np.float32)


def centred(vectors: NDArray[np.float32], mean: NDArray[np.float32]) -> NDArray[np.float32]:
    """Without what all pages share, which would leave all cosines near 1."""
    apart = vectors - mean
    return np.asarray(apart / np.linalg.norm(apart, axis=1, keepdims=True), np.float32)


def sheet() -> Calibration:
    with tempfile.TemporaryDirectory() as folder:
        synthesize(folder, writers=KNOWN + SHOWN, pages=4, seed=7)
        pages = open_corpus(folder).pages
        found = describe_pages(pages, EdgeDirections())
        plain = found.descriptors
        pictures = {page.id: thumbnail(prepare_page(page)) for page in found.pages}
    known = np.array([int(writer[1:]) < KNOWN for writer in plain.labels or ()])
    mean = plain.vectors[known].mean(axis=0)

    def part(chosen: NDArray[np.bool_]) -> Descriptors:
        ids = tuple(id for id, use in zip(plain.page_ids, chosen, strict=True) if use)
        return Descriptors(ids, centred(plain.vectors[chosen], mean), plain.spec)

    writers = [name for name, use in zip(plain.labels or (), known, strict=True) if use]
    calibration = fit_calibration(part(known), writers, [None] * len(writers), collections=60)
    hands = group_pages(part(~known), calibration)
    target = HERE / "hands_sheet.jpg"
    draw_hands(hands, pictures, target)
    whole = cv2.imread(str(target), cv2.IMREAD_GRAYSCALE)
    small = cv2.resize(whole, None, fx=0.7, fy=0.7, interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(target), small, [cv2.IMWRITE_JPEG_QUALITY, 70])
    return calibration


def probability(calibration: Calibration) -> None:
    """The same cosine in small and large collections."""
    cosines = np.linspace(0, 0.999, 400)
    typical = Background(np.full(401, calibration.location), np.full(401, calibration.spread))
    with picture(HERE / "probability.png", 6, 3.2) as figure:
        axes = figure.subplots()
        for pages, colour in ((30, ORANGE), (1_000, BLUE), (100_000, INK)):
            found = calibration.probabilities(cosines, typical, pages)
            axes.plot(cosines, found, color=colour, label=f"{pages:,} pages".replace(",", " "))
        axes.set_xlabel("cosine of two pages")
        axes.set_ylabel("probability of one hand")
        axes.set_title("The same likeness is worth less in a larger collection")
        axes.legend(frameon=False)


def strip() -> None:
    """Three of eight books; bands by known scribes of eight others calibrate."""
    with tempfile.TemporaryDirectory() as folder:
        truth = synthesize_books(folder, books=KNOWN_BOOKS + BOOKS, pages=8, seed=5)
        with truth.open() as file:
            stints = [(row["file"], float(row["bottom"]), row) for row in csv.DictReader(file)]
        corpus = open_corpus(folder)
        parts = divide(corpus, corpus.pages, "band").pages
        found = describe_pages(parts, EdgeDirections())
    vectors, ids = found.descriptors.vectors, found.descriptors.page_ids
    places = {page.id: page.regions[0].bounds for page in found.pages if page.regions}
    writers = []
    for id in ids:
        middle = (places[id][1] + places[id][3]) / 2
        own = [row for file, bottom, row in stints if id.startswith(file) and middle < bottom]
        last = [row for file, _, row in stints if id.startswith(file)]
        writers.append((own or last)[0]["writer"])
    known = np.array([int(id[4:6]) < KNOWN_BOOKS for id in ids])
    mean = vectors[known].mean(axis=0)

    def part(chosen: NDArray[np.bool_]) -> Descriptors:
        own = tuple(id for id, use in zip(ids, chosen, strict=True) if use)
        return Descriptors(own, centred(vectors[chosen], mean), found.descriptors.spec)

    labels = [writer for writer, use in zip(writers, known, strict=True) if use]
    scans = [page.scan for page, use in zip(found.pages, known, strict=True) if use]
    calibration = fit_calibration(part(known), labels, scans, collections=60)
    found_hands = group_pages(part(~known), calibration)
    shown = []
    for hand in found_hands:
        fits = dict(zip(hand.page_ids, hand.fits, strict=True))
        fits = {id: fit for id, fit in fits.items() if id.startswith(SHOWN_BOOKS)}
        if fits:
            shown.append(replace(hand, page_ids=tuple(fits), fits=tuple(fits.values())))
    draw_strip(follow_hands(shown, places), HERE / "strip.png")


def main() -> None:
    HERE.mkdir(exist_ok=True)
    strip()
    probability(sheet())


if __name__ == "__main__":
    main()

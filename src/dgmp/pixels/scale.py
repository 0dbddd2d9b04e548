"""The size of writing, measured by the distance between lines, and one canonical size for all.

Scans come at 72 to 600 dpi, and every describer depends on the size of letters. Where a layout
file gives baselines, these are used. Else the ink is: the page is brought to one working size and
cut into vertical strips, narrow enough that sloping lines stay lines; the row profiles of all
strips are correlated with themselves shifted down. The correlation peaks at the line distance and
its multiples; the smallest of the high peaks is taken. The estimate from runs of ink and paper
(:mod:`.run_lengths`) weighs the peaks by a log-normal, so that ruling finer than letters, or a
multiple, does not win. No answer lies further than 0.35 from it, as logarithms, and it decides
alone where no peak is found, on a single line.
Where lines turn out too fine for the working size, the fullest quarter is looked at, and so on.

Because the working size is fixed, the same page at another size gives the same answer.
``benchmarks/results/scale.md`` has the figures.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import ImageError
from ..names import need
from ..records import Grey
from .binarization import binarize
from .run_lengths import expected_distance, row_runs

CANONICAL = 76.0  # pixels between lines, as in the sets `hands` and `scripts`
WORKING = 1600  # pixels on the longer side: 100 lines are still 16 pixels apart
SMALLEST_PERIOD = 16  # pixels at working size: below this, letters run together
STRIPS = 12
LINES_PER_LETTER = 2.9  # line distance over letter height, to begin with: the median of `hands`
SPREAD = 0.35  # of the line distance over the estimate from runs, as a logarithm: 0.14 on `hands`
FARTHEST = 0.35  # from the estimate from runs, as a logarithm
DISAGREEMENT = 0.2  # between lines and runs, as a logarithm: more is not sure
HIGH_PEAK = 0.5  # of the highest
LEAST_CORRELATION = 0.03
TOLERANCE = 0.03  # resampling by less costs sharpness and gains nothing
LARGEST_ZOOM = 4.0  # 18 pixels between lines at least: smaller writing has no strokes any more


def text_scale(image: Grey, name: object = "page") -> float:
    """The distance between lines in pixels of ``image``, estimated from its ink."""
    return measure_lines(image, name)[0]


def measure_lines(image: Grey, name: object = "page") -> tuple[float, float]:
    """The distance between lines in pixels of ``image``, and how sure it is, from 0 to 1.

    It is sure where lines repeat closely and where runs of ink and paper say the same.
    """
    sure = 0.0
    while True:
        zoom = WORKING / max(image.shape)
        ink = ink_at(image, zoom)
        letter = letter_height(ink)
        period = None
        if letter:
            period, sure = line_period(ink, expected_distance(ink, LINES_PER_LETTER * letter))
        if zoom >= 1 or (period and period >= SMALLEST_PERIOD):
            break
        image = _fullest_quarter(image, ink)  # many small lines: look closer
    if not period:
        raise ImageError(name, "no ink: nothing on the page has the size of letters")
    return period / zoom, sure


def to_canonical(
    image: Grey, line_distance: float, *, canonical: float = CANONICAL
) -> tuple[Grey, float]:
    """Resample so that lines are ``canonical`` pixels apart; also gives the zoom that was used."""
    if line_distance <= 0 or canonical <= 0:
        raise ValueError(f"line distances must be positive, got {line_distance} and {canonical}")
    zoom = min(canonical / line_distance, LARGEST_ZOOM)
    if abs(zoom - 1) < TOLERANCE:
        return image, 1.0
    cv2 = need("cv2")
    height, width = image.shape
    size = max(round(width * zoom), 1), max(round(height * zoom), 1)
    way = cv2.INTER_AREA if zoom < 1 else cv2.INTER_CUBIC
    return cv2.resize(image, size, interpolation=way), zoom


def ink_at(image: Grey, zoom: float) -> Grey:
    """1 on strokes and 0 on paper, of the page at ``zoom`` times its size."""
    cv2 = need("cv2")
    height, width = image.shape
    way = cv2.INTER_AREA if zoom < 1 else cv2.INTER_LINEAR
    size = max(round(width * zoom), 1), max(round(height * zoom), 1)
    page = binarize(cv2.resize(image, size, interpolation=way), "sauvola")
    return cv2.threshold(page, 127, 1, cv2.THRESH_BINARY_INV)[1]


def _fullest_quarter(image: Grey, ink: Grey) -> Grey:
    """The quarter of the page with the most ink."""
    quarters = zip(_quarters(image), _quarters(ink), strict=True)
    return max(quarters, key=lambda pair: int(pair[1].sum()))[0]


def _quarters(image: Grey) -> list[Grey]:
    y, x = image.shape[0] // 2, image.shape[1] // 2
    return [image[:y, :x], image[:y, x:], image[y:, :x], image[y:, x:]]


def letter_height(ink: Grey) -> float | None:
    """Half of all connected components are higher; None where there is nothing but dust."""
    count, labels = need("cv2").connectedComponents(ink, connectivity=8)
    # Heights and areas from runs of ink, which are far fewer than pixels.
    starts, ends = row_runs(ink)
    rows = starts // (ink.shape[1] + 1)
    parts = labels.ravel()[starts - rows]
    top, bottom = np.zeros((2, count), np.intp)
    bottom[parts] = rows  # runs stand from top to bottom, and of several the last one stays
    top[parts[::-1]] = rows[::-1]
    heights = (bottom - top + 1)[1:]
    areas = np.bincount(parts, ends - starts, count)[1:]
    letters = heights[(heights > 5) & (areas > 20)]  # the rest is dust
    return float(np.median(letters)) if len(letters) else None


def row_correlation(ink: Grey) -> NDArray[np.float64]:
    """Pearson's correlation of all strips' row profiles with themselves, by shift in rows."""
    height, width = ink.shape
    strip = max(width // STRIPS, 1)
    used = width // strip * strip
    profiles = np.add.reduceat(ink[:, :used], np.arange(0, used, strip), axis=1, dtype=np.float32)
    profiles = need("cv2").GaussianBlur(profiles, (1, 9), sigmaX=0.01, sigmaY=2).astype(np.float64)
    length = need("scipy.fft").next_fast_len(2 * height, real=True)
    spectrum = np.fft.rfft(profiles, length, axis=0)
    shifts = np.arange(max(int(0.6 * height), 1))
    products = np.fft.irfft(spectrum * spectrum.conj(), length, axis=0)[shifts]
    sums = _running(profiles)
    squares = _running(profiles**2)
    upper, lower = sums[height - shifts], sums[height] - sums[shifts]
    rows = (height - shifts)[:, None]
    shared = (products - upper * lower / rows).sum(1)
    above = (squares[height - shifts] - upper**2 / rows).sum(1)
    below = (squares[height] - squares[shifts] - lower**2 / rows).sum(1)
    return shared / np.sqrt(np.maximum(above * below, 1e-9))


def _running(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate([np.zeros_like(values[:1]), values.cumsum(0)])


def line_period(ink: Grey, expected: float) -> tuple[float, float]:
    """The distance between lines in rows of ``ink``, and how sure it is."""
    correlation = row_correlation(ink)
    found = _strongest_period(correlation, expected)
    row = round(found)
    height = correlation[row] if row < len(correlation) else 0.0
    sure = height * np.exp(-((np.log(found / expected) / DISAGREEMENT) ** 2))
    period = np.clip(found, expected * np.exp(-FARTHEST), expected * np.exp(FARTHEST))
    return float(period), float(np.clip(sure, 0, 1))


def _strongest_period(correlation: NDArray[np.float64], expected: float) -> float:
    middle = correlation[1:-1]
    peaks = (
        1
        + np.nonzero(
            (middle >= correlation[:-2]) & (middle > correlation[2:]) & (middle > LEAST_CORRELATION)
        )[0]
    )
    peaks = peaks[peaks >= 8]
    if len(peaks) == 0:
        return expected
    likely = correlation[peaks] * np.exp(-0.5 * (np.log(peaks / expected) / SPREAD) ** 2)
    peak = peaks[np.argmax(likely >= HIGH_PEAK * likely.max())]
    before, here, after = correlation[peak - 1 : peak + 2]
    return float(peak + 0.5 * (before - after) / (before - 2 * here + after))  # the parabola's top

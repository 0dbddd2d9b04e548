"""How a picture of writing lies: by how many quarter turns it is off.

Whether lines run along rows or along columns shows at once: rows of ink repeat at the distance of
lines, columns do not. Which of both ends is up is told by the shapes of strokes. Small patterns of
ink (3×3 points, four pixels apart where lines are 32 pixels apart) are not as frequent as the same
patterns turned upside down: arches, ascenders and sharp baselines see to that; a linear rule weighs
the differences. The profile of rows helps, which falls more steeply below a line than above.

The rule was fitted on Latin handwriting; ``benchmarks/results/upright.md`` has how often it is
right. Where no line repeats a picture stays as it is, and one is turned upside down only on strong
evidence, as most pictures are upright.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..files import Format, read_json
from ..names import need
from ..records import Floats, Grey
from .binarization import binarize
from .run_lengths import expected_distance
from .scale import LINES_PER_LETTER, letter_height, line_period, row_correlation

FORMAT = Format("dgmp-upright", 1, "rule of what is upright")
RULE = Path(__file__).with_name("upright.json")
LINE = 32  # pixels between lines where patterns are counted
PATTERNS = 512
SIDEWAYS = 2.0  # times as clear as rows must columns be before a picture is turned by a quarter
LEAST_LINES = 0.15  # how clear the clearer of both must be, as a rise of correlation
UPSIDE_DOWN = 1.3  # log-odds; the least of 661 upright pages is −1.02
_STEEPNESS = 4.0  # weight of the profile against the patterns
_STEP = 2  # pixels between the points of a pattern
_LONGEST = 0.4  # of the height: the furthest that a repeated line is looked for
_SHORTEST = 8  # rows


def quarter_turns(grey: Grey, ink: Grey) -> int:
    """Quarter turns clockwise that set writing upright, 0 to 3.

    ``ink`` is 1 on strokes and 0 on paper, of the same size as ``grey``.
    """
    rows = clearness_of_lines(ink)
    columns = clearness_of_lines(_turned(ink, 1))
    sideways = columns > max(SIDEWAYS * rows, LEAST_LINES)
    if sideways:
        grey, ink = _turned(grey, 1), _turned(ink, 1)
    elif rows < LEAST_LINES:
        return 0
    evidence = upright_evidence(grey, ink)
    if sideways:
        return 1 if evidence >= 0 else 3
    return 2 if evidence < -UPSIDE_DOWN else 0


def clearness_of_lines(ink: Grey) -> float:
    """How clearly rows of ink repeat, from 0 to 2: the highest rise of their correlation."""
    correlation = row_correlation(ink)[: max(int(_LONGEST * len(ink)), _SHORTEST + 1)]
    rise = correlation - np.minimum.accumulate(correlation)
    return float(rise[_SHORTEST:].max(initial=0.0))


def upright_evidence(grey: Grey, ink: Grey) -> float:
    """Log-odds, roughly, that writing whose lines run along rows is not upside down."""
    patterns, steepness = asymmetries(grey, ink)
    return float(patterns @ _weights()) + _STEEPNESS * steepness


def asymmetries(grey: Grey, ink: Grey) -> tuple[Floats, float]:
    """What turns its sign with the page: of ``PATTERNS`` patterns, and the steepness of lines."""
    letter = letter_height(ink)
    if not letter:
        return np.zeros(PATTERNS), 0.0
    distance, _ = line_period(ink, expected_distance(ink, LINES_PER_LETTER * letter))
    cv2 = need("cv2")
    zoom = LINE / distance
    size = max(round(grey.shape[1] * zoom), LINE), max(round(grey.shape[0] * zoom), LINE)
    way = cv2.INTER_AREA if zoom < 1 else cv2.INTER_LINEAR
    small = cv2.resize(grey, size, interpolation=way)
    return _pattern_differences(small), _steepness(small)


def _turned(pixels: Grey, turn: int) -> Grey:
    return np.ascontiguousarray(np.rot90(pixels, -turn))


@cache
def _weights() -> Floats:
    return np.array(read_json(RULE, FORMAT)["weights"], np.float64)


def _pattern_differences(grey: Grey) -> Floats:
    ink = (binarize(grey, "sauvola", window=LINE - 1) == 0).astype(np.int32)
    height, width = ink.shape
    codes = np.zeros((height - 2 * _STEP, width - 2 * _STEP), np.int32)
    for bit in range(9):
        y, x = bit // 3 * _STEP, bit % 3 * _STEP
        codes |= ink[y : y + codes.shape[0], x : x + codes.shape[1]] << bit
    counts = np.bincount(codes.ravel(), minlength=PATTERNS).astype(np.float64)
    counts[[0, -1]] = 0  # paper, and the inside of blots
    shares = np.sqrt(counts / max(counts.sum(), 1))
    return shares - shares[upside_down()]


@cache
def upside_down() -> NDArray[np.intp]:
    """The number of each pattern turned by half a turn."""
    codes = np.arange(PATTERNS)
    return sum((codes >> bit & 1) << (8 - bit) for bit in range(9))  # type: ignore[return-value]


def _steepness(grey: Grey) -> float:
    """Whether ink, going down, ends more steeply than it begins; from −1 to 1."""
    cv2 = need("cv2")
    dark = 255 - grey.astype(np.float32)
    dark -= cv2.blur(dark, (4 * LINE + 1, 4 * LINE + 1))
    strips = max(grey.shape[1] // (2 * LINE), 1)
    starts = np.arange(strips) * grey.shape[1] // strips
    profiles = np.add.reduceat(dark, starts, axis=1)  # (rows, strips)
    found = []
    for sigma in (1.5, 3.0):
        smooth = cv2.GaussianBlur(profiles, (1, 0), sigmaX=0.01, sigmaY=sigma)
        cubes = np.diff(smooth.astype(np.float64), axis=0) ** 3
        found.append(-cubes.sum() / max(np.abs(cubes).sum(), 1e-9))
    return float(np.mean(found))

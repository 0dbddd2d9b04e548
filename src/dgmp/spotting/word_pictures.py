"""The picture of a word as a network sees it, and as a training changes it.

A word is cut out of its page with a margin, brought to one height (its width follows) and turned
into ink: 0 paper, 255 the darkest strokes of this word, whatever paper and ink were. A training
moves, turns, slants and stretches it by an affine map of three points, each drawn anew from a
tenth around its place, as the PHOCNet paper does; the box moves a little as well, since nobody
draws boxes twice alike, and strokes get thicker or thinner.

Sudholt, Fink: PHOCNet: a deep convolutional neural network for word spotting in handwritten
documents, ICFHR 2016.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..names import need
from ..records import Grey

MARGIN = 0.25  # of the height, on each side of the box
LEAST_WIDTH = 8  # pixels, of a word as the network sees it


@dataclass(frozen=True, eq=False)
class WordPicture:
    """A word and what is around it; the word itself is ``height`` by ``width`` in the middle."""

    pixels: Grey  # 255 is ink
    height: int
    width: int

    @property
    def margins(self) -> tuple[int, int]:
        """Pixels to the left of the word and above it."""
        rows, columns = self.pixels.shape
        return (columns - self.width) // 2, (rows - self.height) // 2

    def word(self) -> Grey:  # (height, width)
        """The word without its margin."""
        left, top = self.margins
        return self.pixels[top : top + self.height, left : left + self.width]


@dataclass(frozen=True)
class WordChanges:
    """How far a word may differ in training from what is on its page."""

    points: float = 0.1  # three points of the word, each moved by up to this share of its place
    box: float = 0.08  # each side of the box, by up to this share of the height
    slant: float = 0.15  # pixels to the side per pixel up
    thickness: float = 0.5  # share of a dilation or erosion by 3×3

    def apply(self, picture: WordPicture, width: int, generator: np.random.Generator) -> Grey:
        """A word of the height that it has and of a width that is asked for."""
        cv2 = need("cv2")
        drawn = generator.uniform(-1, 1, 12)
        left, top = picture.margins
        high, wide = float(picture.height), float(picture.width)
        moved = self.box * high * drawn[:4]
        source = np.array([[1 / 2, 1 / 3], [2 / 3, 2 / 3], [1 / 3, 2 / 3]])
        target = source * (1 + self.points * drawn[4:10].reshape(3, 2))
        target[:, 0] += self.slant * drawn[10] * (0.5 - source[:, 1]) * high / wide
        box = np.array([left + moved[0], top + moved[1]])
        size = np.array([wide + moved[2] - moved[0], high + moved[3] - moved[1]])
        matrix = cv2.getAffineTransform(
            (box + source * size - 0.5).astype(np.float32),
            (target * (width, picture.height) - 0.5).astype(np.float32),
        )
        found = cv2.warpAffine(picture.pixels, matrix, (width, picture.height))
        share = self.thickness * drawn[11]
        if share:
            way = cv2.dilate if share > 0 else cv2.erode
            kernel = np.ones((3, 3), np.uint8)
            found = cv2.addWeighted(found, 1 - abs(share), way(found, kernel), abs(share), 0)
        return found


def cut_word(page: Grey, box: tuple[int, int, int, int], height: int, longest: int) -> WordPicture:
    """The word in a box (left, top, right, bottom) of a page, ``height`` pixels high.

    A word that would be wider than ``longest`` is squeezed to it.
    """
    cv2 = need("cv2")
    left, top, right, bottom = box
    around = round(MARGIN * (bottom - top))
    part = _with_margin(page, left - around, top - around, right + around, bottom + around)
    scale = height / (bottom - top)
    width = int(np.clip(round((right - left) * scale), LEAST_WIDTH, longest))
    edge = round(MARGIN * height)
    size = (width + 2 * edge, height + 2 * edge)
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    grey = cv2.resize(part, size, interpolation=way)
    return WordPicture(_ink(grey, edge), height, width)


def _with_margin(page: Grey, left: int, top: int, right: int, bottom: int) -> Grey:
    """A rectangle of a page; beyond the border the page goes on as it ends."""
    height, width = page.shape
    if min(left, top) >= 0 and right <= width and bottom <= height:
        return page[top:bottom, left:right]
    rows = np.arange(top, bottom).clip(0, height - 1)
    columns = np.arange(left, right).clip(0, width - 1)
    return page[np.ix_(rows, columns)]


def _ink(grey: Grey, edge: int) -> Grey:
    """Ink of a word: paper is what most of its pixels are lighter than, ink the darkest ones."""
    word = grey[edge:-edge, edge:-edge] if edge else grey
    dark, paper = np.percentile(word, (1, 80))
    ink = (paper - grey.astype(np.float32)) / max(paper - dark, 20.0)
    return np.rint(255 * np.clip(ink, 0, 1)).astype(np.uint8)

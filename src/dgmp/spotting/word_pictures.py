"""The picture of a word as a network sees it, and as a training changes it.

A word is cut out of its page with a margin, brought to one size (or to one height, and its width
follows) and turned into ink: 0 paper, 255 the darkest strokes of this word, whatever paper and ink
were. A training moves, turns, slants and stretches it by an affine map of three points, each drawn
anew around its place, as the PHOCNet paper does; the box moves a little as well, since nobody
draws boxes twice alike, and strokes get thicker or thinner.

Sudholt, Fink: PHOCNet: a deep convolutional neural network for word spotting in handwritten
documents, ICFHR 2016.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..errors import DgmpError
from ..names import need
from ..records import Grey

MARGIN = 0.25  # of the word, on each side of the box
LEAST_WIDTH = 8  # pixels, of a word as the network sees it


@dataclass(frozen=True)
class WordLook:
    """The size in which a network sees words."""

    height: int = 32  # pixels
    width: int | None = 128  # None: a word keeps its shape, and batches are padded
    longest: int = 256  # pixels, where words keep their shape: longer ones are squeezed

    def __post_init__(self) -> None:
        if self.height < 16 or min(self.width or LEAST_WIDTH, self.longest) < LEAST_WIDTH:
            raise DgmpError(
                f"look.height must be 16 or more, widths {LEAST_WIDTH} or more, got "
                f"{self.height}, {self.width}, {self.longest}"
            )

    def size(self, height: int, width: int) -> tuple[int, int]:
        """Height and width in which a word of that size is seen."""
        if self.width is not None:
            return self.height, self.width
        shaped = round(width * self.height / height)
        return self.height, int(np.clip(shaped, LEAST_WIDTH, self.longest))


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

    points: float = 0.06  # three points of the word, each moved by up to this share of its place
    box: float = 0.06  # each side of the box, by up to this share of the height
    slant: float = 0.15  # pixels to the side per pixel up
    thickness: float = 0.5  # share of a dilation or erosion by 3×3

    def __post_init__(self) -> None:
        for name in ("points", "box", "slant"):
            if not 0 <= getattr(self, name) < math.inf:
                raise DgmpError(f"{name} must not be negative, got {getattr(self, name)}")
        if not 0 <= self.thickness <= 1:
            raise DgmpError(f"thickness must be from 0 to 1, got {self.thickness}")

    def apply(self, picture: WordPicture, generator: np.random.Generator) -> Grey:
        """A word of the size that it has, changed."""
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
            (target * (wide, high) - 0.5).astype(np.float32),
        )
        found = cv2.warpAffine(picture.pixels, matrix, (picture.width, picture.height))
        share = self.thickness * drawn[11]
        if share:
            way = cv2.dilate if share > 0 else cv2.erode
            kernel = np.ones((3, 3), np.uint8)
            found = cv2.addWeighted(found, 1 - abs(share), way(found, kernel), abs(share), 0)
        return found


def cut_word(page: Grey, box: tuple[int, int, int, int], look: WordLook) -> WordPicture:
    """The word in a box (left, top, right, bottom) of a page."""
    cv2 = need("cv2")
    left, top, right, bottom = box
    around = round(MARGIN * (bottom - top)), round(MARGIN * (right - left))
    if look.width is None:
        around = around[0], around[0]
    part = _with_margin(
        page, left - around[1], top - around[0], right + around[1], bottom + around[0]
    )
    height, width = look.size(bottom - top, right - left)
    down = round(MARGIN * height)
    across = down if look.width is None else round(MARGIN * width)
    size = (width + 2 * across, height + 2 * down)
    way = cv2.INTER_AREA if height < bottom - top else cv2.INTER_LINEAR
    grey = cv2.resize(part, size, interpolation=way)
    word = grey[down : down + height, across : across + width]
    return WordPicture(_ink(grey, word), height, width)


def _with_margin(page: Grey, left: int, top: int, right: int, bottom: int) -> Grey:
    """A rectangle of a page; beyond the border the page goes on as it ends."""
    height, width = page.shape
    if min(left, top) >= 0 and right <= width and bottom <= height:
        return page[top:bottom, left:right]
    rows = np.arange(top, bottom).clip(0, height - 1)
    columns = np.arange(left, right).clip(0, width - 1)
    return page[np.ix_(rows, columns)]


def _ink(grey: Grey, word: Grey) -> Grey:
    """Ink of a word: paper is what most of its pixels are lighter than, ink the darkest ones."""
    dark, paper = np.percentile(word, (1, 80))
    ink = (paper - grey.astype(np.float32)) / max(paper - dark, 20.0)
    return np.rint(255 * np.clip(ink, 0, 1)).astype(np.uint8)

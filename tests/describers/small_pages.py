"""Small prepared pages, made on the spot."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from drawing import written

from dgmp.hands import Calibration, Likenesses
from dgmp.pixels import PageImage
from dgmp.records import Page
from dgmp.sources import FileSource

CALIBRATION = Calibration(
    one_hand=Likenesses(0.7, 0.1, 0.2, 0.25, 0.2),
    two_hands=Likenesses(-0.03, 0.12, 0.04, 0.28, 0.1),
    noise=0.03,
    threshold=0.5,
    confidence=(0.1, 0.2, 0.3),
    single_confidence=(0.4, 0.5),
)


def page(width=190, height=130, **options):
    """A page of black strokes on white."""
    pixels = np.where(written(width, height, distance=30, **options) < 128, 0, 255)
    return PageImage(Page("page.png", FileSource(Path("page.png"))), pixels.astype(np.uint8))


def cut(image, width, height):
    """A part of it, from a corner that has ink near it."""
    return replace(image, pixels=image.pixels[10 : 10 + height, 20 : 20 + width])


def page_by(writer, number):
    """A small page; writers differ in the size of their letters."""
    pixels = written(240, 160, distance=34, letter=8 + 2 * writer, seed=10 * writer + number)
    pixels = np.where(pixels > 128, np.uint8(255), np.uint8(0))
    name = f"{writer}/{number}.png"
    source = FileSource(Path(name))
    return PageImage(Page(name, source, writer=str(writer), scan=str(number)), pixels)

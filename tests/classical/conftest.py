"""Small pages of strokes, each writer with a slant and a roundness of its own."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from dgmp.classical import CLASSICAL, fit_classical, fit_rootsift_vlad
from dgmp.classical.kinds import finish_describer
from dgmp.pixels import PageImage
from dgmp.records import Page
from dgmp.sources import FileSource


def page_of(writer, number, *, size=(300, 240), script=None):
    rng = np.random.default_rng([writer, number])
    habits = np.random.default_rng(writer)
    slant, arch = habits.uniform(-8, 8), habits.uniform(8, 18)
    picture = Image.new("L", size, 255)
    pen = ImageDraw.Draw(picture)
    for base in range(50, size[1] - 10, 60):
        x = 20.0
        while x < size[0] - 40:
            high = rng.uniform(18, 34)
            pen.line((x, base, x + slant, base - high), fill=0, width=3)
            pen.arc((x, base - 20, x + arch, base), 180, 360, fill=0, width=3)
            x += arch + rng.uniform(2, 12)
    name = f"{writer}/{number}.png"
    page = Page(name, FileSource(Path(name)), writer=str(writer), script=script)
    return PageImage(page, np.asarray(picture))


@pytest.fixture(scope="session")
def pages():
    return [page_of(writer, number) for writer in range(4) for number in range(3)]


@pytest.fixture(scope="session")
def fitted(pages):
    """Every describer of the table; those with the same vocabularies learn them once."""
    learned = {}
    found = {}
    for name, kind in CLASSICAL.items():
        if isinstance(kind.features, tuple):
            if kind.features not in learned:
                learned[kind.features] = fit_rootsift_vlad(pages, kind.features, seed=3, bands=4)
            features, vectors = learned[kind.features]
            vectors = vectors if kind.bands else vectors[: len(pages)]
            found[name] = finish_describer(name, features, vectors, seed=3)
        else:
            found[name] = fit_classical(name, pages, seed=3)
    return found

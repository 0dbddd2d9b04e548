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
def some_pages(pages):
    """One by each writer: vocabularies of few pages are learned quickly."""
    return pages[::3]


class Fitted(dict):
    """Describers of the table by name, fitted when asked for; a vocabulary is learned once."""

    def __init__(self, pages):
        super().__init__()
        self.pages, self.learned = pages, {}

    def __missing__(self, name):
        kind, pages = CLASSICAL[name], self.pages
        if isinstance(kind.features, tuple):
            if kind.features not in self.learned:
                found = fit_rootsift_vlad(pages, kind.features, seed=3, bands=4)
                self.learned[kind.features] = found
            features, vectors = self.learned[kind.features]
            vectors = vectors if kind.bands else vectors[: len(pages)]
            self[name] = finish_describer(name, features, vectors, seed=3)
        else:
            self[name] = fit_classical(name, pages, seed=3)
        return self[name]


@pytest.fixture(scope="session")
def fitted(some_pages):
    """Every describer of the table."""
    return Fitted(some_pages)

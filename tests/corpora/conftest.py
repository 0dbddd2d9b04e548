"""Small pages that look like writing, made on the spot."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def written(width=420, height=300, *, distance=40, letter=14, seed=0, paper=230, ink=40):
    """Lines of strokes, ``distance`` pixels apart."""
    rng = np.random.default_rng(seed)
    page = Image.new("L", (width, height), paper)
    draw = ImageDraw.Draw(page)
    thick = max(letter // 6, 1)
    for base in range(distance, height - letter // 2, distance):
        x = distance // 2
        while x < width - distance:
            for _ in range(rng.integers(2, 6)):
                top = base - letter * (1.8 if rng.random() < 0.2 else 1)
                draw.line((x, base, x + letter // 4, top), fill=ink, width=thick)
                draw.arc((x, base - letter, x + letter, base), 180, 360, fill=ink, width=thick)
                x += letter
            x += letter
    return np.asarray(page)


@pytest.fixture
def page_file(tmp_path):
    """A function that writes a page into the corpus of the test and gives its path."""

    def save(name, pixels=None, **options):
        path = tmp_path / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        image = pixels if isinstance(pixels, Image.Image) else Image.fromarray(
            written(seed=sum(name.encode())) if pixels is None else pixels
        )  # fmt: skip
        image.save(path, **options)
        return path

    return save


@pytest.fixture
def corpus_folder(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def shared_data():
    if not SHARED.is_dir():
        pytest.skip("the shared sets are not here")
    return SHARED

"""Fixtures that write small pages into a folder; a conftest imports those that its tests use."""

from pathlib import Path

import pytest
from drawing import written
from PIL import Image

SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "data"


@pytest.fixture
def page_file(tmp_path):
    """A function that writes a page into the corpus of the test and gives its path."""

    def save(name, pixels=None, **options):
        path = tmp_path / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if pixels is None:
            pixels = written(seed=sum(name.encode()))
        image = pixels if isinstance(pixels, Image.Image) else Image.fromarray(pixels)
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

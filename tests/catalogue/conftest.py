"""A calibrated describer, and folders of scribbles."""

from dataclasses import replace

import numpy as np
import pytest
from scribbles import StrokeDescriber, bcubed_f, draw_page

from dgmp.catalogue import fit_calibration
from dgmp.corpora import open_corpus
from dgmp.describe import describe_pages
from dgmp.records import Descriptors


@pytest.fixture(scope="session")
def describer(tmp_path_factory):
    """Calibrated on writers 1000, 1001, …, whom no test meets again."""
    folder = tmp_path_factory.mktemp("known")
    for writer in range(25):
        for page in range(4):
            draw_page(1000 + writer, page, folder / f"w{writer}" / f"{page}.png")
    plain = StrokeDescriber()
    found = describe_pages(open_corpus(folder).pages, plain)
    calibration = fit_calibration(
        found.descriptors,
        found.descriptors.labels,
        [page.sheet for page in found.pages],
        measure=bcubed_f,
        collections=20,
    )
    return replace(plain, calibration=calibration.to_json())


@pytest.fixture
def scans(tmp_path):
    """Twelve pages by four writers, without labels."""
    folder = tmp_path / "scans"
    for writer in range(4):
        for page in range(3):
            draw_page(writer, page, folder / f"{writer}-{page}.png")
    return folder


@pytest.fixture(scope="session")
def writers_apart():
    """Unit vectors of 60 writers with 1 to 6 pages each, and the writers."""
    generator = np.random.default_rng(5)
    writers = np.repeat(np.arange(60), generator.integers(1, 7, 60))
    centres = generator.standard_normal((60, 48))
    vectors = centres[writers] + 0.6 * generator.standard_normal((len(writers), 48))
    vectors += 1.0  # what all pages share
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32), writers


@pytest.fixture(scope="session")
def fitted(writers_apart):
    """The calibration of those writers."""
    vectors, writers = writers_apart
    pages = Descriptors(tuple(f"{i:04}" for i in range(len(vectors))), vectors, {})
    return fit_calibration(pages, writers, [None] * len(writers), measure=bcubed_f, collections=50)

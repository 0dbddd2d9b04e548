"""Drawn pages and a quick describer for the tasks; see tests/scribbles.py."""

import pytest
from scribbles import (  # noqa: F401
    books,
    calibrated_describer,
    classical_scripts,
    described_once,
    draw_page,
    scans,
    shelf,
    stroke_describers,
)

from dgmp.engines import Here
from dgmp.tasks import describe


@pytest.fixture(scope="session")
def described(tmp_path_factory):
    """Two pages by each of three writers, by the describer that comes with the package."""
    folder = tmp_path_factory.mktemp("described")
    for writer in range(3):
        for page in range(2):
            draw_page(writer, page, folder / "scans" / f"{writer}-{page}.png")
    return describe(folder / "scans", folder / "catalogue", engine=Here()).catalogue

"""A catalogue of forty made-up pages, ``00`` to ``39``."""

import pytest

from dgmp.catalogue import Catalogue

from .entries import HEAD, entries, unit


@pytest.fixture
def filled(tmp_path):
    catalogue = Catalogue.create(tmp_path / "catalogue", HEAD)
    catalogue.add(entries(tmp_path / "files", [f"{i:02}" for i in range(40)], unit(40, 8)))
    return catalogue

"""Catalogues of made-up writers."""

import pytest

from dgmp.catalogue import Catalogue, Entry, Head
from dgmp.hands.many import collection as collection_file
from dgmp.hands.many import nearest
from dgmp.records import Page
from dgmp.sources import FileSource


def catalogue_of(folder, descriptors):
    """A catalogue of described pages, none of which has a picture."""
    catalogue = Catalogue.create(folder, Head({}, descriptors.vectors.shape[1], "drawn"))
    add(catalogue, descriptors)
    return catalogue


def add(catalogue, descriptors):
    """Add described pages, last first: the order of a table is not that of the ids."""
    whole = zip(descriptors.page_ids, descriptors.vectors, descriptors.halves, strict=True)
    catalogue.add(
        [
            Entry(Page(id, FileSource(catalogue.folder / id)), vector, id, b"", "", float(halves))
            for id, vector, halves in reversed(list(whole))
        ]
    )


@pytest.fixture
def everything(monkeypatch):
    """Every page is a neighbour of every other."""
    monkeypatch.setattr(nearest, "PROBES", 1_000)
    monkeypatch.setattr(nearest, "PROPOSED", 1_000)
    for file in (nearest, collection_file):
        monkeypatch.setattr(file, "KEPT", 300)
    return nearest


@pytest.fixture
def small_blocks(monkeypatch):
    """Work in blocks of a few dozen pages."""
    monkeypatch.setattr(collection_file, "BLOCK", 40)
    monkeypatch.setattr("dgmp.hands.many.placing._ENTRIES", 0)
    monkeypatch.setattr("dgmp.hands.many.placing._LEAST", 32)

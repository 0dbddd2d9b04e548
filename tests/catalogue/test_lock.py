"""One process at a time writes to a catalogue."""

import pytest

from dgmp.catalogue import Catalogue
from dgmp.errors import CatalogueError


def test_only_one_process_writes_at_a_time(filled):
    with (
        filled.writing(),
        pytest.raises(CatalogueError, match="another process"),
        Catalogue.open(filled.folder).writing(),
    ):
        pass
    with filled.writing():
        pass

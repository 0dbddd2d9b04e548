"""One process at a time writes to a catalogue."""

import threading

import pytest

from dgmp.catalogue import Catalogue
from dgmp.catalogue.lock import locked
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


def test_a_lock_that_is_waited_for_is_had_when_the_other_lets_go(tmp_path):
    order = []

    def second():
        with locked(tmp_path, ".other", wait=True):
            order.append("second")

    with locked(tmp_path, ".other"):
        waiting = threading.Thread(target=second)
        waiting.start()
        order.append("first")
    waiting.join(10)
    assert order == ["first", "second"]

"""Hands as they were last grouped."""

from dataclasses import replace

import pytest

from dgmp.catalogue import made_from, read_hands, read_shift, write_stored_hands
from dgmp.catalogue.decision_log import add_decisions
from dgmp.catalogue.hand_store import FILE
from dgmp.errors import CatalogueError
from dgmp.records import Decision, Hand, StoredHands

from .entries import entries, unit

FOUND = StoredHands((Hand(1, ("00", "01"), (0.9, 0.8), 0.7, None, "Märta"),), "more", "2026-01-01")


@pytest.fixture
def stored(filled):
    write_stored_hands(FOUND, made_from(filled.folder), filled.folder)
    return filled


def test_there_are_none_before_the_first(filled):
    assert read_hands(filled.folder) is None


def test_what_was_stored_comes_back(stored):
    assert read_hands(stored.folder) == FOUND


def test_the_shift_is_read_alone(stored):
    assert read_shift(stored.folder) == 0
    write_stored_hands(replace(FOUND, shift=1.5), "", stored.folder)
    assert read_shift(stored.folder) == 1.5


def test_without_hands_there_is_no_shift(filled):
    assert read_shift(filled.folder) == 0


def test_hands_are_outdated_by_a_decision(stored):
    add_decisions(stored.folder, lambda log: [Decision("same", ("00",), ("02",))])
    assert not read_hands(stored.folder).current


def test_hands_are_outdated_by_a_page_that_goes(stored):
    stored.drop(["39"])
    assert not read_hands(stored.folder).current


def test_hands_are_outdated_by_a_page_that_comes(stored, tmp_path):
    stored.add(entries(tmp_path / "more", ["40"], unit(1, 8)))
    assert not read_hands(stored.folder).current


def test_a_file_that_is_cut_off_says_how_to_get_another(stored):
    path = stored.folder / FILE
    path.write_bytes(path.read_bytes()[:30])
    with pytest.raises(CatalogueError, match=r"hands\.json.*dgmp hands makes it anew"):
        read_hands(stored.folder)


@pytest.mark.parametrize("damage", [b"\xc1", b"\x00", b'"'], ids=repr)
def test_a_byte_that_is_no_text_is_damage(stored, damage):
    path = stored.folder / FILE
    path.write_bytes(path.read_bytes().replace(b'"made_from":"', b'"made_from":"' + damage))
    with pytest.raises(CatalogueError, match="dgmp hands makes it anew"):
        read_hands(stored.folder)
    assert read_shift(stored.folder) == 0


def test_a_file_of_another_version_is_none(stored):
    path = stored.folder / FILE
    path.write_text(path.read_text().replace('"version":1', '"version":99'))
    assert read_hands(stored.folder) is None

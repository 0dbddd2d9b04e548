"""Grouping by neighbours: the same hands as by all pairs, and work that survives a kill."""

import os
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from dgmp.catalogue import Catalogue
from dgmp.engines import Here
from dgmp.errors import CatalogueError
from dgmp.evaluation import adjusted_rand_index
from dgmp.hands import Constraints, Evidence, group_and_ask, group_many
from dgmp.hands.evidence import part
from dgmp.hands.many import collection as collection_file
from dgmp.hands.many.collection import FOLDER
from dgmp.records import Decision

from ..deciding.test_decided_evidence import some_decisions, together
from ..test_grouping import groups_of
from ..writers import drawn, pages_by
from .conftest import add, catalogue_of


@pytest.fixture
def catalogue(tmp_path, collection):
    return catalogue_of(tmp_path / "catalogue", collection[0])


def exact(catalogue, fitted, **how):
    return group_and_ask(catalogue.descriptors(), fitted, **how)


@pytest.mark.parametrize("prefer", ["fewer", "balanced", "more"])
def test_where_all_are_neighbours_hands_are_those_of_the_exact_rule(
    catalogue, fitted, everything, prefer
):
    found = group_many(catalogue, fitted, prefer=prefer).hands
    expected = exact(catalogue, fitted, prefer=prefer).hands
    assert groups_of(found) == groups_of(expected)
    by_page = {hand.page_ids[0]: hand for hand in expected}
    ours = [hand for hand in found if hand.page_ids[0] in by_page]
    assert len(ours) > 0.9 * len(found)  # but for pages that fit equally well
    for hand in ours:
        assert hand.confidence == pytest.approx(by_page[hand.page_ids[0]].confidence, abs=0.02)


def test_few_neighbours_give_nearly_the_same_hands(tmp_path, fitted):
    pages, _ = drawn(3, writers=120, most=8)
    catalogue = catalogue_of(tmp_path / "c", pages)
    numbers = []
    for hands in (group_many(catalogue, fitted).hands, exact(catalogue, fitted).hands):
        number = {id: hand.number for hand in hands for id in hand.page_ids}
        numbers.append([number[id] for id in pages.page_ids])
    assert adjusted_rand_index(*numbers) > 0.98


def test_a_hand_with_more_pages_than_neighbours_is_one(tmp_path, fitted, monkeypatch):
    pages = pages_by(np.repeat(np.arange(4), 60), 2, half=0.3)
    catalogue = catalogue_of(tmp_path / "c", pages)
    for file in ("nearest", "collection"):
        monkeypatch.setattr(f"dgmp.hands.many.{file}.KEPT", 3)  # too few to hang together
    found = group_many(catalogue, fitted).hands
    assert groups_of(found) == groups_of(exact(catalogue, fitted).hands)
    assert all(hand.nearest is not None for hand in found)


def test_pages_by_as_many_writers_are_alone(tmp_path, fitted):
    pages = pages_by(np.arange(80), 4)
    found = group_many(catalogue_of(tmp_path / "c", pages), fitted).hands
    assert len(found) >= 78


@pytest.mark.parametrize("seed", range(4))
def test_no_group_breaks_a_decision(catalogue, fitted, seed):
    ids = catalogue.descriptors().page_ids
    decisions = some_decisions(ids, seed)
    joined = together(group_many(catalogue, fitted, decisions=decisions).hands)
    constraints = Constraints.of(decisions)
    for pair in combinations(sorted(constraints.node_of), 2):
        said = constraints.said(*pair)
        assert said is None or (pair in joined) is said


def test_decisions_say_the_same_about_other_pages_as_by_the_exact_rule(
    catalogue, fitted, everything
):
    decisions = some_decisions(catalogue.descriptors().page_ids, 9)
    found, expected = (
        groups_of(hands)
        for hands in (
            group_many(catalogue, fitted, decisions=decisions).hands,
            exact(catalogue, fitted, decisions=decisions).hands,
        )
    )
    assert found == expected


def test_what_is_asked_is_nearly_what_the_exact_rule_asks(catalogue, fitted, everything):
    asked, expected = (
        [frozenset((q.first, q.second)) for q in grouped.questions[:20]]
        for grouped in (group_many(catalogue, fitted), exact(catalogue, fitted))
    )
    assert len(set(asked) & set(expected)) >= 15


def test_pages_decided_to_be_by_one_hand_are_joined_though_no_neighbours(catalogue, fitted):
    hands = group_many(catalogue, fitted).hands
    pages = hands[0].page_ids[0], hands[-1].page_ids[0]
    again = group_many(catalogue, fitted, decisions=[Decision("same", pages)]).hands
    assert any(set(pages) <= set(hand.page_ids) for hand in again)


class Killed(Exception):
    """What a kill looks like from inside."""


class Dying:
    """An engine that dies after some items."""

    def __init__(self, items):
        self.left = items

    def map(self, function, items):
        for item, result in Here().map(function, items):
            if not self.left:
                raise Killed
            self.left -= 1
            yield item, result


@pytest.mark.parametrize("items", [0, 1, 3, 5, 6, 8])
def test_a_run_that_was_killed_goes_on_and_gives_the_same(
    catalogue, fitted, tmp_path, collection, small_blocks, items
):
    whole = group_many(catalogue_of(tmp_path / "other", collection[0]), fitted)
    with pytest.raises(Killed):
        group_many(catalogue, fitted, engine=Dying(items))
    before = {file.name: file.read_bytes() for file in (catalogue.folder / FOLDER).iterdir()}
    for name in ("vectors", "neighbours"):  # as a kill while writing leaves them
        if name in before:
            (catalogue.folder / FOLDER / name).write_bytes(before[name] + b"half a row")
    assert group_many(catalogue, fitted) == whole
    after = (catalogue.folder / FOLDER / "vectors").read_bytes()
    assert after.startswith(before.get("vectors", b""))


class Interfering(Here):
    """An engine during whose work somebody else writes into a catalogue."""

    def __init__(self, catalogue):
        self.other = Catalogue.open(catalogue.folder)

    def map(self, function, items, lost=None):
        self.other.relabel(self.other.pages(sorted(self.other.paths())[1:2]))
        return super().map(function, items, lost)


def test_a_catalogue_that_is_written_to_meanwhile_is_refused_and_grouped_the_next_time(
    catalogue, fitted, tmp_path, collection
):
    with pytest.raises(CatalogueError, match="was written to meanwhile; run it again"):
        group_many(catalogue, fitted, engine=Interfering(catalogue))
    quiet = group_many(catalogue_of(tmp_path / "other", collection[0]), fitted)
    assert group_many(catalogue, fitted) == quiet


def test_what_was_done_is_not_done_again(catalogue, fitted):
    first = group_many(catalogue, fitted)
    assert group_many(catalogue, fitted, engine=Dying(0)) == first


def test_pages_that_came_later_are_grouped_too(catalogue, fitted, collection):
    group_many(catalogue, fitted)
    add(catalogue, pages_by(np.array([0, 0, 1]), 77, prefix="new"))
    found = group_many(catalogue, fitted).hands
    assert sorted(id for hand in found for id in hand.page_ids) == sorted(catalogue.paths())


def test_another_calibration_makes_all_anew(catalogue, fitted):
    group_many(catalogue, fitted)
    with pytest.raises(Killed):
        group_many(catalogue, replace(fitted, noise=2 * fitted.noise), engine=Dying(0))


def test_the_blocks_do_not_matter(catalogue, fitted, tmp_path, collection, small_blocks):
    small = group_many(catalogue, fitted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collection_file, "BLOCK", 10_000)
        patch.setattr("dgmp.hands.many.placing._LEAST", 10_000)
        large = group_many(catalogue_of(tmp_path / "other", collection[0]), fitted)
    assert groups_of(small.hands) == groups_of(large.hands)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_catalogue_that_is_only_read_is_grouped_all_the_same(catalogue, fitted):
    catalogue.folder.chmod(0o500)
    try:
        assert group_many(catalogue, fitted).hands
    finally:
        catalogue.folder.chmod(0o700)


def test_progress_is_told_in_stages_that_end_with_all_pages(catalogue, fitted):
    done = {}

    def stage(name, pages):
        done[name] = -pages

        def progress(number):
            done[name] += number

        return progress

    group_many(catalogue, fitted, stage=stage)
    assert done == dict.fromkeys(
        ("placing pages", "sorting pages", "finding neighbours", "grouping pages", "judging hands"),
        0,
    )


def test_no_array_in_memory_holds_all_vectors(catalogue, fitted):
    with collection_file.evidence_of_many(catalogue, fitted) as (evidence, ids):
        assert isinstance(evidence.placed.vectors, np.memmap)
        assert isinstance(evidence.neighbours.shorts, np.memmap)
        assert evidence.placed.vectors.shape == (len(ids), 96)


def test_evidence_is_that_of_all_vectors_in_memory(catalogue, fitted):
    expected = Evidence.of(catalogue.descriptors(), fitted)
    rows = np.arange(len(expected))
    with collection_file.evidence_of_many(catalogue, fitted) as (evidence, _):
        off = np.abs(evidence.between(rows, rows) - expected.between(rows, rows))
    np.fill_diagonal(off, 0)
    assert off.max() < 0.3
    assert off.mean() < 0.03


def test_a_part_of_a_catalogue_has_the_order_of_its_ids(tmp_path, collection, fitted):
    pages = part(collection[0], np.arange(30))
    with collection_file.evidence_of_many(catalogue_of(tmp_path / "c", pages), fitted) as found:
        assert found[1] == pages.page_ids

"""What is kept between requests, and when it is read anew."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from dgmp.catalogue import Catalogue
from dgmp.catalogue.head import read_head, write_head
from dgmp.errors import DecisionConflict
from dgmp.records import Decision
from dgmp.tasks import decide, group
from dgmp.web.asking import Refused
from dgmp.web.store import Store, repeated
from dgmp.web.views.parts.cards import page_card


@pytest.fixture
def store(catalogue):
    store = Store(catalogue)
    yield store
    store.close()


def test_what_another_program_decides_is_seen(store, page_ids):
    assert store.history() == ()
    stored = decide(store.folder, Decision("same", (page_ids[0],), (page_ids[4],)))
    assert store.history() == (stored,)
    assert store.grouped().current is False


def test_what_another_program_groups_is_seen(store, page_ids):
    decide(store.folder, Decision("same", (page_ids[0],), (page_ids[4],)))
    group(store.folder)
    assert store.number_of(page_ids[0]) == store.number_of(page_ids[4])


def test_what_is_unchanged_is_kept(store):
    assert store.hands() is store.hands()
    assert store.labels() is store.labels()


def test_evidence_outlives_decisions_and_its_probability_is_that_of_now(store, page_ids):
    a, b, c = page_ids[:3]
    before = store.compare(a, b)
    store.decide((Decision("different", (a,), (c,)),), "")
    store.regroup()
    after = store.compare(a, b)
    assert after.same is before.same
    assert after.probability == store.figures(a, b).probability


def test_an_action_of_several_decisions_does_not_pass_over_what_others_decided(store, page_ids):
    a, b, c = page_ids[:3]
    other = decide(store.folder, Decision("different", (b,), (c,)))
    with pytest.raises(DecisionConflict):
        store.decide((Decision("same", (a,), (b,)), Decision("different", (a,), (c,))), "")
    assert store.history() == (other,)


def test_a_head_that_another_program_writes_is_seen(store):
    head, _ = read_head(store.folder)
    write_head(replace(head, calibration=None), store.folder)
    assert store.catalogue.head.calibration is None
    assert store.catalogue is store.catalogue


def test_hands_that_cannot_be_read_are_grouped_anew(store):
    (store.folder / "hands.json").write_text('{"format": "dgmp-stored')
    with pytest.warns(UserWarning, match=r"hands\.json"):
        store.regroup()
    assert store.grouped().current


def test_pages_are_grouped_by_one_thread_at_a_time(store, monkeypatch):
    within = []

    def group(*given, **named):
        within.append(1)
        time.sleep(0.05)
        assert len(within) == 1
        within.pop()

    monkeypatch.setattr("dgmp.tasks.group", group)
    with ThreadPoolExecutor(3) as threads:
        for done in [threads.submit(store.regroup) for _ in range(3)]:
            done.result()


def test_a_small_catalogue_is_grouped_anew_at_once(store, page_ids):
    store.decide((Decision("different", (page_ids[0],), (page_ids[1],)),), "")
    assert store.number_of(page_ids[0]) != store.number_of(page_ids[1])
    assert store.grouped().current


def test_a_large_one_is_not(store, page_ids, monkeypatch):
    monkeypatch.setattr("dgmp.web.store.AT_ONCE", 3)
    store.decide((Decision("different", (page_ids[0],), (page_ids[1],)),), "")
    assert store.grouped().current is False


def test_the_folders_of_the_pages_are_known(store, described):
    assert store.roots() == (str(described.parent / "scans"),)


def test_the_folder_of_a_document_is_known(store, monkeypatch):
    paths = {"a/b.pdf#page=2": "/x/a/b.pdf#page=2", "a/c.pdf#page=1#band=0": "/y/a/c.pdf#page=1"}
    monkeypatch.setattr(Catalogue, "paths", lambda self: paths)
    assert store.roots() == ("/x", "/y")


def test_where_no_page_is_from_a_folder_none_can_be_described(store, monkeypatch):
    paths = {"letter/1": "https://example.org/manifest.json#canvas=https://example.org/1"}
    monkeypatch.setattr(Catalogue, "paths", lambda self: paths)
    with pytest.raises(Refused, match="dgmp describe"):
        store.describe(lambda name, total: lambda done: None)


def test_small_pictures_are_read_anew_when_pages_are_described(store, page_ids):
    one, other = page_ids[:2]
    before, address = store.thumbnails([one, other]), page_card(store, one)["thumbnail"]
    assert before.keys() == {one, other}
    Catalogue.open(store.folder).drop([one])
    assert store.thumbnails([one, other]) == {other: before[other]}
    assert page_card(store, one)["thumbnail"] != address


def test_a_title_has_the_folder_where_another_folder_has_a_file_of_that_name(store, page_ids):
    assert store.title(page_ids[0]) == page_ids[0].rpartition("/")[2]
    assert repeated(["a/f1.jpg", "b/f1.jpg", "b/f2.jpg"]) == {"f1.jpg"}

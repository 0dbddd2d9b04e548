"""Which pages are trained on, and which are held out."""

from dataclasses import replace

import pytest

from dgmp.errors import CorpusError, DgmpError
from dgmp.training import Learning, choose_pages
from dgmp.training.choosing import training_pages


def test_test_pages_are_left_alone(hands, recipe):
    splits = ["train"] * 8 + ["test"] * 4
    pages = tuple(replace(p, split=s) for p, s in zip(hands.pages, splits, strict=True))
    chosen = choose_pages(replace(hands, pages=pages), replace(recipe, validation=0.5), seed=0)
    assert {page.id for page in chosen} == {page.id for page in pages[:8]}
    assert {page.split for page in chosen} == {"train", "val"}


def test_own_validation_pages_are_used(hands, recipe):
    splits = ["train"] * 6 + ["val"] * 4 + ["test"] * 2
    pages = tuple(replace(p, split=s) for p, s in zip(hands.pages, splits, strict=True))
    chosen = choose_pages(replace(hands, pages=pages), recipe, seed=0)
    assert [page.split for page in chosen] == splits[:10]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"writer": None}, "12 pages have no writer.*--kind writers"),
        ({"split": "test"}, "none is in split train"),
        ({"writer": "one"}, "at least two writers"),
    ],
)
def test_a_corpus_that_cannot_be_learned_from_is_refused(hands, recipe, change, words):
    pages = tuple(replace(page, **change) for page in hands.pages)
    with pytest.raises(CorpusError, match=words):
        choose_pages(replace(hands, pages=pages), replace(recipe, validation=0), seed=0)


def test_validation_that_could_measure_nothing_is_refused(hands, recipe):
    with pytest.raises(CorpusError, match="at least two writers are needed, one of them with two"):
        choose_pages(hands, replace(recipe, validation=1), seed=0)
    with pytest.raises(CorpusError, match="hold fewer out"):
        choose_pages(hands, replace(recipe, validation=40), seed=0)


def test_without_splits_all_pages_may_be_looked_at(hands):
    assert training_pages(hands) == hands.pages


def test_clusters_need_no_labels_and_are_refused(hands):
    with pytest.raises(DgmpError, match="learned without labels: dgmp learn"):
        choose_pages(hands, Learning().training, seed=0)


def test_the_seed_decides_who_is_held_out(hands, recipe):
    held_out = [
        {page.writer for page in choose_pages(hands, recipe, seed) if page.split == "val"}
        for seed in (0, 0, 1)
    ]
    assert held_out[0] == held_out[1] != held_out[2]

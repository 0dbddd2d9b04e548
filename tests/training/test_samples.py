"""Which squares are shown when."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from dgmp.corpora import open_store
from dgmp.errors import CorpusError
from dgmp.training import Augmentation
from dgmp.training.samples import Squares, Windows, epoch_batches, find_windows, fit_squares


@pytest.fixture(scope="module")
def store(hands, tmp_path_factory):
    return open_store(tmp_path_factory.mktemp("store"), hands.pages)


@pytest.fixture
def windows(store, recipe):
    labels = [int(page.writer[1:]) for page in store.pages]
    return find_windows(store, range(len(store)), labels, recipe.input)


def made_up(labels, recipe):
    count = len(labels)
    return Windows(None, recipe.input, np.zeros((count, 4)), np.arange(count), np.array(labels))


def test_a_batch_has_p_writers_with_k_windows_each(windows, recipe):
    for batch in epoch_batches(windows, recipe, seed=0, epoch=0):
        counts = Counter(windows.labels[number] for _, _, number in batch)
        assert list(counts.values()) == [2] * 4


def test_writers_come_in_turn_and_windows_do_not_repeat_before_their_time(recipe):
    labels = np.repeat(np.arange(8), 6)
    recipe = replace(recipe, epoch_steps=6)  # 48 windows, each writer three times
    batches = epoch_batches(made_up(labels, recipe), recipe, seed=0, epoch=0)
    shown = Counter(number for batch in batches for _, _, number in batch)
    assert set(shown.values()) == {1}
    assert len(shown) == 48


def test_the_windows_of_a_writer_come_from_its_pages_in_turn(recipe):
    labels = np.repeat(np.arange(8), 6)
    windows = replace(made_up(labels, recipe), page_numbers=np.arange(48) // 3)  # two pages each
    for batch in epoch_batches(windows, replace(recipe, epoch_steps=12), seed=0, epoch=0):
        pages = [windows.page_numbers[number] for _, _, number in batch]
        assert len(set(pages)) == len(pages)


def test_a_writer_with_fewer_than_k_windows_repeats_them(recipe):
    windows = made_up([0, 1, 1, 1, 2, 2, 2, 3, 3, 3], recipe)
    for batch in epoch_batches(windows, recipe, seed=0, epoch=0):
        assert [n for _, _, n in batch].count(0) == 2


def test_fewer_writers_than_a_batch_holds_make_a_smaller_batch(recipe):
    windows = made_up([0, 0, 1, 1], recipe)
    assert {len(batch) for batch in epoch_batches(windows, recipe, 0, 0)} == {4}


def test_one_writer_is_refused(recipe):
    with pytest.raises(CorpusError, match="at least two writers"):
        epoch_batches(made_up([0, 0, 0], recipe), recipe, 0, 0)


def test_without_a_number_of_steps_an_epoch_shows_every_square_about_once(recipe):
    recipe = replace(recipe, epoch_steps=None, task="script")
    batches = epoch_batches(made_up(np.zeros(33), recipe), recipe, 0, 0)
    shown = [number for batch in batches for _, _, number in batch]
    assert len(batches) == 4
    assert len(set(shown)) == len(shown) == 32


def test_epochs_and_seeds_differ_and_repeat(windows, recipe):
    drawn = {
        (seed, epoch): str(epoch_batches(windows, recipe, seed, epoch))
        for seed in (0, 1)
        for epoch in (0, 1)
    }
    assert len(set(drawn.values())) == 4
    assert drawn[1, 1] == str(epoch_batches(windows, recipe, 1, 1))


def test_a_square_depends_on_seed_epoch_and_place_alone(windows, recipe):
    how = recipe.augmentation
    first, label = Squares(windows, how, seed=5)[3, 7, 2]
    again, _ = Squares(windows, how, seed=5)[3, 7, 2]
    assert (first == again).all()
    assert label == windows.labels[2]
    for seed, key in ((6, (3, 7, 2)), (5, (4, 7, 2)), (5, (3, 8, 2))):
        assert not (Squares(windows, how, seed)[key][0] == first).all()


def test_without_augmentation_a_square_is_the_window(windows, recipe, store):
    windows = replace(windows, input=replace(recipe.input, side=256))
    square, _ = Squares(windows, Augmentation(), seed=0)[0, 0, 3]
    left, top, right, bottom = windows.boxes[3]
    page = store[int(windows.page_numbers[3])]
    assert (square.numpy() == page[top:bottom, left:right]).all()


def test_squares_are_standardised_by_those_of_the_training(windows, store):
    standard = fit_squares(windows)
    assert 0.5 < standard.mean < 1  # mostly paper
    assert 0 < standard.std < 0.5

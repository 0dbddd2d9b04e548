"""Which patches are shown when."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from dgmp.errors import CorpusError
from dgmp.pixels import open_store
from dgmp.training import Augmentation
from dgmp.training.samples import (
    TrainingPatches,
    TrainingPatchSet,
    epoch_batches,
    find_patches,
    fit_standardization_of,
)


@pytest.fixture(scope="module")
def store(hands, tmp_path_factory):
    return open_store(tmp_path_factory.mktemp("store"), hands.pages)


@pytest.fixture
def patches(store, recipe):
    labels = [int(page.writer[1:]) for page in store.pages]
    return find_patches(store, range(len(store)), labels, recipe.input)


def made_up(labels, recipe):
    count = len(labels)
    return TrainingPatches(
        None, recipe.input, np.zeros((count, 4)), np.arange(count), np.array(labels)
    )


def test_a_batch_has_p_writers_with_k_patches_each(patches, recipe):
    for batch in epoch_batches(patches, recipe, seed=0, epoch=0):
        counts = Counter(patches.labels[number] for _, _, number in batch)
        assert list(counts.values()) == [2] * 4


def test_writers_come_in_turn_and_patches_do_not_repeat_before_their_time(recipe):
    labels = np.repeat(np.arange(8), 6)
    recipe = replace(recipe, epoch_steps=6)  # 48 patches, each writer three times
    batches = epoch_batches(made_up(labels, recipe), recipe, seed=0, epoch=0)
    shown = Counter(number for batch in batches for _, _, number in batch)
    assert set(shown.values()) == {1}
    assert len(shown) == 48


def test_the_patches_of_a_writer_come_from_its_pages_in_turn(recipe):
    labels = np.repeat(np.arange(8), 6)
    patches = replace(made_up(labels, recipe), page_numbers=np.arange(48) // 3)  # two pages each
    for batch in epoch_batches(patches, replace(recipe, epoch_steps=12), seed=0, epoch=0):
        pages = [patches.page_numbers[number] for _, _, number in batch]
        assert len(set(pages)) == len(pages)


def test_a_writer_with_fewer_than_k_patches_repeats_them(recipe):
    patches = made_up([0, 1, 1, 1, 2, 2, 2, 3, 3, 3], recipe)
    for batch in epoch_batches(patches, recipe, seed=0, epoch=0):
        assert [n for _, _, n in batch].count(0) == 2


def test_fewer_writers_than_a_batch_holds_make_a_smaller_batch(recipe):
    patches = made_up([0, 0, 1, 1], recipe)
    assert {len(batch) for batch in epoch_batches(patches, recipe, 0, 0)} == {4}


def test_one_writer_is_refused(recipe):
    with pytest.raises(CorpusError, match="at least two writers"):
        epoch_batches(made_up([0, 0, 0], recipe), recipe, 0, 0)


def test_without_a_number_of_steps_an_epoch_shows_every_patch_about_once(recipe):
    recipe = replace(recipe, epoch_steps=None, task="script")
    batches = epoch_batches(made_up(np.zeros(33), recipe), recipe, 0, 0)
    shown = [number for batch in batches for _, _, number in batch]
    assert len(batches) == 4
    assert len(set(shown)) == len(shown) == 32


def test_epochs_and_seeds_differ_and_repeat(patches, recipe):
    drawn = {
        (seed, epoch): str(epoch_batches(patches, recipe, seed, epoch))
        for seed in (0, 1)
        for epoch in (0, 1)
    }
    assert len(set(drawn.values())) == 4
    assert drawn[1, 1] == str(epoch_batches(patches, recipe, 1, 1))


def test_a_patch_depends_on_seed_epoch_and_place_alone(patches, recipe):
    how = recipe.augmentation
    first, label = TrainingPatchSet(patches, how, seed=5)[3, 7, 2]
    again, _ = TrainingPatchSet(patches, how, seed=5)[3, 7, 2]
    assert (first == again).all()
    assert label == patches.labels[2]
    for seed, key in ((6, (3, 7, 2)), (5, (4, 7, 2)), (5, (3, 8, 2))):
        assert not (TrainingPatchSet(patches, how, seed)[key][0] == first).all()


def test_without_augmentation_a_patch_is_that_of_the_page(patches, recipe, store):
    patches = replace(patches, input=replace(recipe.input, side=256))
    patch, _ = TrainingPatchSet(patches, Augmentation(), seed=0)[0, 0, 3]
    left, top, right, bottom = patches.rectangles[3]
    page = store[int(patches.page_numbers[3])]
    assert (patch.numpy() == page[top:bottom, left:right]).all()


def test_patches_are_standardised_by_the_mean_of_the_training(patches):
    standard = fit_standardization_of(patches)
    assert 0.5 < standard.mean < 1  # mostly paper
    assert 0 < standard.std < 0.5

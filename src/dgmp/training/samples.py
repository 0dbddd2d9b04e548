"""Which patches a training shows when, and the patches themselves.

Every patch depends on (seed, epoch, its place in the epoch) and nothing else: the number of
workers, of processes, or an interruption change nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import Dataset

from ..errors import CorpusError, ImageError
from ..models import InputSpec, Standardization, cut_patch, fit_standardization, fit_zca
from ..pixels import PageStore
from ..records import Grey
from .augmentation import Augmentation, augmented_patch
from .recipes import Recipe

NOTHING = Augmentation()

Key = tuple[int, int, int]  # epoch, place in the epoch, number of the patch


@dataclass(frozen=True)
class TrainingPatches:
    """All patches of the training pages, with their labels as numbers."""

    store: PageStore
    input: InputSpec
    rectangles: NDArray[np.int32]  # (patches, 4)
    page_numbers: NDArray[np.int64]  # (patches,): places in the store
    labels: NDArray[np.int64]  # (patches,)

    def __len__(self) -> int:
        return len(self.rectangles)


@dataclass(frozen=True)
class Lesson:
    """What a training shows and by what it is judged."""

    patches: TrainingPatches
    names: tuple[str, ...]  # what the labels of the patches mean
    held_out: tuple[int, ...] = ()  # places in the store


def labelled_lesson(store: PageStore, recipe: Recipe) -> Lesson:
    """The patches of training pages by writer or script, and the validation pages."""
    by_split: dict[str, list[int]] = {"train": [], "val": []}
    for number, page in enumerate(store.pages):
        by_split[str(page.split)].append(number)
    known = [str(getattr(page, recipe.task)) for page in store.pages]
    names = sorted({known[n] for n in by_split["train"]})
    place = {name: number for number, name in enumerate(names)}
    labels = [place[known[n]] for n in by_split["train"]]
    patches = find_patches(store, by_split["train"], labels, recipe.input)
    held_out = [n for n in by_split["val"] if recipe.task == "writer" or known[n] in place]
    return Lesson(patches, tuple(names), tuple(held_out))


def find_patches(
    store: PageStore, numbers: Sequence[int], labels: Sequence[int], looks_at: InputSpec
) -> TrainingPatches:
    """The patches of the pages at these places of the store; a page without any is passed over."""
    rectangles, pages, marks = [], [], []
    for number, label in zip(numbers, labels, strict=True):
        try:
            found = looks_at.rectangles(store.image(number))
        except ImageError:
            continue  # not a single edge: nothing to learn from
        rectangles.append(found)
        pages.append(np.full(len(found), number))
        marks.append(np.full(len(found), label))
    if not rectangles:
        raise CorpusError("no page to train on has any writing")
    return TrainingPatches(
        store, looks_at, np.concatenate(rectangles), np.concatenate(pages), np.concatenate(marks)
    )


def fit_standardization_of(patches: TrainingPatches, most: int = 5000) -> Standardization:
    """Mean and deviation of the training patches, of an even sample where there are many.

    With a ZCA-whitening where the input is to have one, from a tenth of them.
    """

    def sample(most: int) -> Iterator[Grey]:
        for number in range(0, len(patches), max(len(patches) // most, 1)):
            page = patches.store[int(patches.page_numbers[number])]
            yield cut_patch(page, patches.rectangles[number], patches.input.side)

    found = fit_standardization(sample(most))
    width = patches.input.zca
    return found if width is None else fit_zca(list(sample(most // 10)), found, width)


class TrainingPatchSet(Dataset[tuple[Tensor, int]]):
    """The patches of a training by their key, as 8-bit grey; workers hand on few bytes."""

    def __init__(self, patches: TrainingPatches, augmentation: Augmentation, seed: int) -> None:
        self.patches = patches
        self.augmentation = augmentation
        self.seed = seed

    def __getitem__(self, key: Key) -> tuple[Tensor, int]:  # (side, side), label
        epoch, place, number = key
        patches = self.patches
        page, rectangle = (
            patches.store[int(patches.page_numbers[number])],
            patches.rectangles[number],
        )
        side = patches.input.side
        if self.augmentation == NOTHING:  # a hundred times quicker
            patch = cut_patch(page, rectangle, side)
        else:
            generator = np.random.default_rng((self.seed, epoch, place))
            patch = augmented_patch(page, rectangle, side, self.augmentation, generator)
        return torch.from_numpy(np.ascontiguousarray(patch)), int(patches.labels[number])


def epoch_batches(
    patches: TrainingPatches, recipe: Recipe, seed: int, epoch: int
) -> list[list[Key]]:
    """The batches of an epoch, the same in every process."""
    generator = np.random.default_rng((seed, epoch))
    draw = _writer_batches if recipe.task == "writer" else _plain_batches
    batches = draw(patches, recipe, generator)
    size = recipe.batch
    return [
        [(epoch, step * size + place, int(number)) for place, number in enumerate(batch)]
        for step, batch in enumerate(batches)
    ]


def steps_per_epoch(patches: int, recipe: Recipe) -> int:
    """As many as the recipe says, or as show every patch about once."""
    return recipe.epoch_steps or max(patches // recipe.batch, 1)


def _writer_batches(
    patches: TrainingPatches, recipe: Recipe, generator: np.random.Generator
) -> list[NDArray[np.int64]]:
    """P writers × K patches. Writers come in turn; one with fewer than K patches repeats some.

    The patches of a writer come from its pages in turn: two of one page share more than the hand.
    """
    labels = patches.labels
    names = [int(name) for name in np.unique(labels)]
    if len(names) < 2:
        raise CorpusError("triplets need at least two writers to train on, there is one")
    writers = min(recipe.classes_per_batch, len(names))
    each = recipe.batch // recipe.classes_per_batch
    members = {name: np.flatnonzero(labels == name) for name in names}
    rest: dict[int, list[int]] = {name: [] for name in names}
    queue: list[int] = []
    batches = []
    for _ in range(steps_per_epoch(len(labels), recipe)):
        chosen: list[int] = []
        while len(chosen) < writers:
            # A new round may begin with writers this batch has: they stay for the next.
            name = next((name for name in queue if name not in chosen), None)
            if name is None:
                queue += generator.permutation(names).tolist()
                continue
            queue.remove(name)
            chosen.append(name)
        batch: list[int] = []
        for name in chosen:
            while len(rest[name]) < each:
                rest[name] += _page_by_page(members[name], patches.page_numbers, generator)
            batch += rest[name][:each]
            del rest[name][:each]
        batches.append(np.array(batch))
    return batches


def _page_by_page(
    numbers: NDArray[np.int64], pages: NDArray[np.int64], generator: np.random.Generator
) -> list[int]:
    """The patches of a writer in random order, but one of every page before a second of any."""
    shuffled = generator.permutation(numbers)
    times: dict[int, int] = {}
    turns = []
    for page in pages[shuffled].tolist():
        times[page] = times.get(page, 0) + 1
        turns.append(times[page])
    return shuffled[np.argsort(turns, kind="stable")].tolist()


def _plain_batches(
    patches: TrainingPatches, recipe: Recipe, generator: np.random.Generator
) -> list[NDArray[np.int64]]:
    """All patches in random order, again and again where the recipe asks for more steps."""
    size = min(recipe.batch, len(patches))
    steps = steps_per_epoch(len(patches), recipe)
    rounds = -(-steps * size // len(patches))
    order = np.concatenate([generator.permutation(len(patches)) for _ in range(rounds)])
    return [order[step * size : (step + 1) * size] for step in range(steps)]

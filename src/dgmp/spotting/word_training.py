"""Training on words: drawn by their text, changed, long and short ones in one batch.

Frequent words would drown the rare ones, so texts are drawn first and then one of the pictures of
each. Words of all widths share a batch: sorted by width, which would save padding, batches differ
so much that batch normalisation learns nothing for hundreds of steps. Everything drawn depends on
(seed, epoch, place in the epoch) alone, and a run that was killed goes on with the numbers of one
that was not.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ..errors import DgmpError
from ..names import check_name
from ..pixels import read_image
from ..records import PageProgress
from ..training import (
    Run,
    TrainingProgress,
    TrainState,
    Watcher,
    check_loss,
    make_optimizer,
    set_learning_rate,
    stop_on_signal,
)
from .protocol import score_by_example, score_by_string
from .word_lists import Word, WordList
from .word_model import WordModel, WordSpec, stack_words
from .word_pictures import WordPicture, cut_word
from .word_recipes import WordRecipe

CHECKPOINT_SECONDS = 120
PRECISIONS = ("32-true", "bf16-mixed")


def train_words(
    recipe: WordRecipe,
    words: WordList,
    out: Path | str,
    *,
    seed: int = 0,
    precision: str = "32-true",
    start: Mapping[str, Tensor] | None = None,
    watch: Watcher | None = None,
    cut: PageProgress | None = None,
) -> Run:
    """Train on all pages of a list into the folder ``out``, or go on with the run that is there.

    With ``validation`` the last pages of a shuffled list are held out and scored: query by example
    and by string, their mean. ``precision`` "bf16-mixed" is quicker on processors with bfloat16
    arithmetic. A new run begins with the weights of ``start``, and draws those that are not in it:
    see :meth:`WordModel.weights_for`. ``cut`` is called for every page whose words were cut out.
    """
    check_name(precision, PRECISIONS, "precision")
    recipe.model.check()
    run = Run(out)
    learned, held_out = hold_out(words, recipe.validation, seed)
    pages = {"train": len({w.page for w in learned}), "val": len({w.page for w in held_out})}
    run.claim(recipe, seed, {"path": words.place, "words": len(words.words), "pages": pages})
    pictures = cut_words(words, [*learned, *held_out], recipe.model, cut)
    mixed = precision == "bf16-mixed"
    training = _Training(recipe, run, seed, mixed, learned, pictures[: len(learned)], start or {})
    training.go_on(watch, held_out, pictures[len(learned) :])
    return run


def hold_out(words: WordList, share: float, seed: int) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Words to learn from and words of pages that are held out, ``share`` of the pages."""
    pages = sorted(words.pages)
    number = round(share * len(pages))
    if share and not 0 < number < len(pages):
        raise DgmpError(
            f"{words.place}: validation {share:g} of {len(pages)} pages leaves none to hold out or "
            "none to learn from"
        )
    order = np.random.default_rng((seed, 2)).permutation(len(pages))
    apart = [pages[place] for place in order[len(pages) - number :]]
    return words.on(sorted(set(pages) - set(apart))), words.on(apart)


def cut_words(
    words: WordList,
    chosen: Sequence[Word],
    spec: WordSpec,
    progress: PageProgress | None = None,
) -> list[WordPicture]:
    """The pictures of some words of a list; every page is read once."""
    found: dict[Word, WordPicture] = {}
    places: dict[str, list[Word]] = {}
    for word in chosen:
        places.setdefault(word.page, []).append(word)
    for name, of_page in places.items():
        page = words.pages[name]
        pixels = read_image(page.source, page.frame, turn=page.turn)
        for word in of_page:
            found[word] = cut_word(pixels, word.box, spec.look)
        if progress is not None:
            progress(1)
    return [found[word] for word in chosen]


class _Training:
    """A run under way."""

    def __init__(
        self,
        recipe: WordRecipe,
        run: Run,
        seed: int,
        mixed: bool,
        words: Sequence[Word],
        pictures: Sequence[WordPicture],
        start: Mapping[str, Tensor],
    ) -> None:
        self.recipe, self.run, self.seed, self.pictures = recipe, run, seed, pictures
        self.mixed = mixed
        texts = sorted({word.text for word in words})
        number = {text: place for place, text in enumerate(texts)}
        self.texts = np.array([number[word.text] for word in words])
        self.targets = torch.from_numpy(recipe.model.embedding.of(texts))
        counts = Counter(self.texts.tolist())
        share = np.array([counts[text] for text in range(len(texts))], float)
        share **= 1 - recipe.balance
        self.chances = (share / share.sum())[self.texts]
        self.chances /= np.array([counts[text] for text in self.texts.tolist()])
        self.state: TrainState = run.load_state()
        torch.manual_seed(seed)
        self.network = recipe.model.build()
        if self.state.network is not None:
            self.network.load_state_dict(self.state.network)
        else:
            if recipe.model.embedding.binary:
                self._start_at_shares()
            self.network.load_state_dict(start, strict=False)
        self.optimizer = make_optimizer(self.network, recipe)
        if self.state.optimizer is not None:
            self.optimizer.load_state_dict(dict(self.state.optimizer))
        if self.state.random is not None:
            torch.set_rng_state(self.state.random)
        self.epochs = [entry for entry in run.metrics() if entry["epoch"] < self.state.epoch]

    def _start_at_shares(self) -> None:
        """Begin with the share of ones of each entry: to learn it takes hundreds of steps."""
        share = (self.targets.mean(dim=0) * 0.98 + 0.01).logit()
        last = [m for m in self.network.head.modules() if isinstance(m, nn.Linear)][-1]
        with torch.no_grad():
            last.bias.copy_(share)

    def go_on(
        self, watch: Watcher | None, held_out: Sequence[Word], pictures: Sequence[WordPicture]
    ) -> None:
        """Run to the end or a signal."""
        recipe, state, steps = self.recipe, self.state, self.recipe.epoch_steps
        began = saved = time.monotonic()
        before = state.epoch * steps + state.step
        with stop_on_signal() as stopping:
            while state.epoch < recipe.epochs:
                self.network.train()
                epoch_began, first = time.monotonic(), state.step
                while state.step < steps:
                    loss = self._step()
                    state.sums = (state.sums[0] + loss, 1.0)
                    state.step += 1
                    if watch is not None and state.step < steps:
                        watch(self._progress(epoch_began, first, began, before))
                    late = time.monotonic() - saved > CHECKPOINT_SECONDS
                    if state.step < steps and (late or stopping.is_set()):
                        self._save()
                        saved = time.monotonic()
                        self._stop(stopping.is_set())
                shown = self._progress(epoch_began, first, began, before)
                entry = self._finish_epoch(held_out, pictures)
                if watch is not None:
                    watch(replace(shown, validation=entry["validation"]))
                state.epoch, state.step, state.sums = state.epoch + 1, 0, (0.0, 0.0)
                self._save()
                saved = time.monotonic()
                self._stop(stopping.is_set() and state.epoch < recipe.epochs)

    def _stop(self, wanted: bool) -> None:
        if wanted:
            raise DgmpError(
                f"stopped at epoch {self.state.epoch + 1}, step {self.state.step}; "
                "the same command goes on there"
            )

    def _batch(self, epoch: int, step: int) -> tuple[np.random.Generator, list[int]]:
        """The places of the words of a batch, and a generator for their changes."""
        generator = np.random.default_rng((self.seed, epoch, step))
        drawn = generator.choice(len(self.texts), self.recipe.batch, p=self.chances)
        return generator, drawn.tolist()

    def _step(self) -> float:
        recipe, state = self.recipe, self.state
        generator, places = self._batch(state.epoch, state.step)
        images, mask = stack_words(
            [recipe.changes.apply(self.pictures[place], generator) for place in places]
        )
        targets = self.targets[torch.from_numpy(self.texts[places])]
        set_learning_rate(self.optimizer, recipe, state.epoch, state.total_steps)
        self.optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=self.mixed):
            values = self.network(images, mask)
        loss = WORD_LOSSES[recipe.loss](values.float(), targets)
        check_loss(loss)
        loss.backward()
        self.optimizer.step()
        state.total_steps += 1
        return loss.item()

    def _finish_epoch(
        self, held_out: Sequence[Word], pictures: Sequence[WordPicture]
    ) -> dict[str, Any]:
        state, recipe = self.state, self.recipe
        last = state.epoch + 1 == recipe.epochs
        model = WordModel(self.network, recipe.model)
        scores: Mapping[str, float] = {}
        if held_out and (last or (state.epoch + 1) % recipe.validate_every == 0):
            scores = _validate(model, held_out, pictures)
        mean = sum(scores.values()) / 2 if scores else None
        entry = {
            "epoch": state.epoch,
            "steps": state.total_steps,
            "loss": state.sums[0] / recipe.epoch_steps,
            "validation": mean,
            **scores,
            "learning_rate": self.optimizer.param_groups[0]["lr"],
        }
        self.epochs.append(entry)
        self.run.write_metrics(self.epochs)
        if mean is not None:
            state.best, state.best_epoch = max((state.best, state.best_epoch), (mean, state.epoch))
        if last:
            made = {"seed": self.seed, "epochs": recipe.epochs, "validation": mean}
            replace(model, made=made).save(self.run.folder)
        return entry

    def _progress(
        self, epoch_began: float, first: int, began: float, before: int
    ) -> TrainingProgress:
        state, recipe, now = self.state, self.recipe, time.monotonic()
        done = state.epoch * recipe.epoch_steps + state.step
        left = recipe.epochs * recipe.epoch_steps - done
        return TrainingProgress(
            state.epoch,
            recipe.epochs,
            state.step,
            recipe.epoch_steps,
            state.sums[0] / max(state.step, 1),
            1.0,
            None,
            None,
            (state.step - first) * recipe.batch / max(now - epoch_began, 1e-9),
            left * (now - began) / max(done - before, 1),
        )

    def _save(self) -> None:
        self.run.save_state(
            replace(
                self.state,
                network=self.network.state_dict(),
                optimizer=self.optimizer.state_dict(),
                random=torch.get_rng_state(),
            )
        )


def _validate(
    model: WordModel, words: Sequence[Word], pictures: Sequence[WordPicture]
) -> dict[str, float]:
    vectors = model.describe(pictures)
    return {
        "by_example": score_by_example(words, vectors, resamples=0).map,
        "by_string": score_by_string(words, vectors, model.spec.embedding, resamples=0).map,
    }


def cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    """Binary cross-entropy, summed over the entries of a word, mean over words."""
    summed = F.binary_cross_entropy_with_logits(logits, targets, reduction="sum")
    return summed / len(targets)


def cosine_distance(values: Tensor, targets: Tensor) -> Tensor:
    """One less the cosine of each word with its target, mean over words."""
    return 1 - F.cosine_similarity(values, targets, dim=1).mean()


WORD_LOSSES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "bce": cross_entropy,
    "cosine": cosine_distance,
}

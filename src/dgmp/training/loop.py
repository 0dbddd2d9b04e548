"""The training loop, the same for writers, scripts and clusters.

    corpus -> pages held out, pages trained on -> patches -> batches -> loss -> checkpoint

The loop does not know how many processes there are; ``distributed.py`` does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.data import DataLoader

from ..corpora import Corpus, write_split
from ..engines import engine_for
from ..errors import DgmpError
from ..models import Standardization, TrainedModel, save_model
from ..pixels import open_store
from ..pooling import AttentiveGeneralizedMaxPool, GeneralizedMaxPool
from ..records import Page, PageProgress
from .choosing import choose_pages
from .curves import draw_curves
from .distributed import largest, lost_processes, own_part, start_processes, synchronise_statistics
from .gradient import backward_in_chunks
from .losses import make_loss
from .progress import Logger, TrainingProgress, Watcher
from .recipes import Recipe
from .runs import Run, TrainState
from .samples import (
    Key,
    Lesson,
    TrainingPatchSet,
    epoch_batches,
    fit_standardization_of,
    labelled_lesson,
    steps_per_epoch,
)
from .schedules import make_optimizer, set_learning_rate
from .stopping import stop_on_signal
from .validation import validate

if TYPE_CHECKING:
    from lightning_fabric import Fabric

T = TypeVar("T")

CHECKPOINT_SECONDS = 300  # within a long epoch


def train(
    recipe: Recipe,
    corpus: Corpus,
    out: Path | str,
    *,
    seed: int = 0,
    weights: Path | str | None = None,
    device: str = "auto",
    devices: int = 1,
    precision: str = "32-true",
    workers: int | None = None,
    pages: Path | str | None = None,
    loggers: Sequence[Callable[[Path], Logger]] = (),
    watch: Watcher | None = None,
    prepared: PageProgress | None = None,
) -> Run:
    """Train by a recipe into the folder ``out``, or go on with the run that is there.

    ``weights`` is a weight file, or the folder of another run, to begin with. ``workers`` cut the
    patches beforehand (none on a CPU, where the network needs the cores). ``pages`` is the folder
    of prepared pages, so that several runs can share one. ``prepared`` is called for every page
    that was prepared, ``watch`` after every step. ``loggers`` are called with the folder of the run
    and give what keeps the numbers of every epoch.
    """
    recipe.model.check()
    run = Run(out)
    chosen = choose_pages(corpus, recipe, seed)
    fabric = start_processes(device, devices, precision)
    if fabric.global_rank == 0:
        run.claim(recipe, seed, _about(corpus, chosen, weights))
        write_split(chosen, run.folder / "split.csv", made=f"by {recipe.task}, seed {seed}")
    fabric.barrier()
    folder = Path(pages) if pages is not None else run.folder / "pages"
    if fabric.global_rank == 0:
        engine = engine_for(0 if fabric.device.type == "cpu" else 4)
        open_store(folder, chosen, recipe.input.preparation, engine=engine, progress=prepared)
    fabric.barrier()
    store = open_store(folder, chosen, recipe.input.preparation)
    train_lesson(
        labelled_lesson(store, recipe),
        recipe,
        run,
        fabric,
        seed=seed,
        weights=_weight_file(weights),
        workers=workers,
        loggers=loggers,
        watch=watch,
    )
    return run


def train_lesson(
    lesson: Lesson,
    recipe: Recipe,
    run: Run,
    fabric: Fabric,
    *,
    seed: int = 0,
    weights: Path | None = None,
    workers: int | None = None,
    loggers: Sequence[Callable[[Path], Logger]] = (),
    watch: Watcher | None = None,
) -> None:
    """Train on patches that were chosen, from where the run stands to its end."""
    training = Training.begin(lesson, recipe, run, fabric, seed, weights)
    with stop_on_signal() as stopping, lost_processes(training.where), ExitStack() as ending:
        logs = [make(run.folder) for make in loggers if fabric.global_rank == 0]
        for log in logs:
            ending.callback(log.close)
        training.go_on(stopping, workers, logs, watch)


@dataclass
class Training:
    """A run under way: the network, its data, and the state that a checkpoint holds."""

    lesson: Lesson
    recipe: Recipe
    run: Run
    fabric: Fabric
    seed: int
    model: TrainedModel
    network: nn.Module  # the same, as the processes share it
    optimizer: torch.optim.Optimizer
    state: TrainState
    epochs: list[dict[str, Any]]

    @classmethod
    def begin(
        cls,
        lesson: Lesson,
        recipe: Recipe,
        run: Run,
        fabric: Fabric,
        seed: int,
        weights: Path | None,
    ) -> Training:
        """Build everything as the run began it, then put it where its checkpoint stands."""
        looks_at = replace(recipe.input, standardization=fit_standardization_of(lesson.patches))
        state = run.load_state()
        torch.manual_seed(seed)
        outputs = None if recipe.task == "writer" else len(lesson.names)
        backbone = recipe.model.build(outputs, weights)
        backbone.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        if state.network is not None:
            backbone.load_state_dict(state.network)
        network = synchronise_statistics(backbone, fabric)
        optimizer = make_optimizer(network, recipe)
        network, optimizer = fabric.setup(network, optimizer)
        if state.optimizer is not None:
            optimizer.load_state_dict(state.optimizer)
        if state.random is not None:
            torch.set_rng_state(state.random)
        made = {"task": recipe.task, "seed": seed}
        # Clusters only teach: who loads the network gets what it pools, without their classifier.
        classes = lesson.names if recipe.task == "script" else None
        model = TrainedModel(backbone, recipe.model, looks_at, classes, made)
        epochs = [epoch for epoch in run.metrics() if epoch["epoch"] < state.epoch]
        return cls(lesson, recipe, run, fabric, seed, model, network, optimizer, state, epochs)

    def where(self) -> str:
        """The last checkpoint, in words."""
        state = self.run.load_state()
        return f"the last checkpoint is epoch {state.epoch + 1}, step {state.step}"

    def go_on(
        self,
        stopping: threading.Event,
        workers: int | None,
        logs: Sequence[Logger],
        watch: Watcher | None,
    ) -> None:
        """Run to the end, a signal, or the loss of another process."""
        recipe, state = self.recipe, self.state
        if self.fabric.global_rank:
            watch = None  # the first process speaks for all
        steps = steps_per_epoch(len(self.lesson.patches), recipe)
        loss = make_loss(recipe)
        batches = self._loader(workers)
        began = saved = time.monotonic()
        done_before = state.epoch * steps + state.step
        while state.epoch < recipe.epochs:
            epoch_began, waited, patches = time.monotonic(), 0.0, 0
            self._training_mode()
            while state.step < steps:
                asked = time.monotonic()
                images, labels = next(batches)
                waited += time.monotonic() - asked
                patches += len(labels) * self.fabric.world_size
                value, active = self._step(images, labels, loss)
                state.sums = (state.sums[0] + value, state.sums[1] + active)
                state.step += 1
                if watch is not None and state.step < steps:
                    watch(self._progress(steps, patches, epoch_began, began, done_before))
                if state.step == steps:
                    continue  # the epoch is reported before anything is saved
                self._stop_if_asked(stopping)
                if time.monotonic() - saved > CHECKPOINT_SECONDS:
                    self._save_state()
                    saved = time.monotonic()
            entry = self._finish_epoch(steps, patches, waited, time.monotonic() - epoch_began)
            if watch is not None:
                shown = self._progress(steps, patches, epoch_began, began, done_before)
                rate = entry["patches_per_second"]  # without the time of validation
                watch(replace(shown, validation=entry["validation"], per_second=rate))
            for log in logs:
                log.log({n: v for n, v in entry.items() if isinstance(v, float)}, state.epoch)
            state.epoch, state.step, state.sums = state.epoch + 1, 0, (0.0, 0.0)
            self._save_state()
            saved = time.monotonic()
            if state.epoch < recipe.epochs:
                self._stop_if_asked(stopping)

    def _stop_if_asked(self, stopping: threading.Event) -> None:
        if largest(float(stopping.is_set()), self.fabric):
            self._save_state()
            raise DgmpError(
                f"stopped at epoch {self.state.epoch + 1}, step {self.state.step}; "
                "the same command goes on there"
            )

    def _loader(self, workers: int | None) -> Iterator[tuple[Tensor, Tensor]]:
        """All batches from here to the end, so that workers live as long as the run."""
        recipe, fabric = self.recipe, self.fabric
        if workers is None:
            workers = 0 if fabric.device.type == "cpu" else 4
        patches = TrainingPatchSet(self.lesson.patches, recipe.augmentation, self.seed)
        loader = DataLoader(
            patches,
            batch_sampler=_Schedule(self),  # type: ignore[arg-type]
            num_workers=workers,
            multiprocessing_context="spawn" if workers else None,
            pin_memory=fabric.device.type == "cuda",
        )
        return iter(loader) if workers else _one_ahead(iter(loader))

    def _step(self, images: Tensor, labels: Tensor, loss: Any) -> tuple[float, float]:
        recipe, state = self.recipe, self.state
        set_learning_rate(self.optimizer, recipe, state.epoch, state.total_steps)
        standard = self.model.input.standardization
        assert standard is not None
        inputs = _standardized(images.to(self.fabric.device), standard)
        self.optimizer.zero_grad()
        chunk = recipe.chunk
        value, active = backward_in_chunks(
            self.network, inputs, labels.to(self.fabric.device), loss, self.fabric, chunk
        )
        self.optimizer.step()
        state.total_steps += 1
        return float(value), float(active)

    def _finish_epoch(
        self, steps: int, patches: int, waited: float, seconds: float
    ) -> dict[str, Any]:
        recipe, state = self.recipe, self.state
        last = state.epoch + 1 == recipe.epochs
        validation, held_out = None, self.lesson.held_out
        if held_out and (last or (state.epoch + 1) % recipe.validate_every == 0):
            self.model.network.eval()
            validation = validate(self.model, self.lesson.patches.store, held_out, self.fabric)
        ridge, relative = self._ridges()
        entry = {
            "epoch": state.epoch,
            "steps": state.total_steps,
            "loss": state.sums[0] / steps,
            "active": state.sums[1] / steps,
            "validation": validation,
            "ridge": ridge,
            "relative_ridge": relative,
            "learning_rate": self.optimizer.param_groups[0]["lr"],
            "seconds": seconds,
            "waiting_for_data": waited / max(seconds, 1e-9),
            "patches_per_second": patches / max(seconds, 1e-9),
        }
        self.epochs.append(entry)
        better = validation is not None and validation > state.best
        if better or (last and not held_out):
            state.best = state.best if validation is None else validation
            state.best_epoch = state.epoch
            if self.fabric.global_rank == 0:
                made = {**self.model.made, "epoch": state.epoch + 1, "validation": validation}
                save_model(replace(self.model, made=made), self.run.folder)
        if self.fabric.global_rank == 0:
            self.run.write_metrics(self.epochs)
            if last or validation is not None:  # a picture takes longer than a small epoch
                measure = "accuracy" if recipe.task == "script" else "mAP"
                draw_curves(self.epochs, self.run.folder / "curves.png", measure)
        return entry

    def _training_mode(self) -> None:
        self.network.train()
        if self.recipe.frozen_norm:
            for module in self.network.modules():
                if isinstance(module, nn.modules.batchnorm._BatchNorm):
                    module.eval()

    def _ridges(self) -> tuple[float | None, float | None]:
        pooling = self.model.network.pooling
        pooling = pooling.gmp if isinstance(pooling, AttentiveGeneralizedMaxPool) else pooling
        if isinstance(pooling, GeneralizedMaxPool):
            return pooling.last_ridge, pooling.last_relative_ridge
        return None, None

    def _progress(
        self, steps: int, patches: int, epoch_began: float, began: float, before: int
    ) -> TrainingProgress:
        state, now = self.state, time.monotonic()
        done = state.epoch * steps + state.step
        left = (self.recipe.epochs * steps - done) * (now - began) / max(done - before, 1)
        ridge, relative = self._ridges()
        return TrainingProgress(
            state.epoch,
            self.recipe.epochs,
            state.step,
            steps,
            state.sums[0] / state.step,
            state.sums[1] / state.step,
            ridge,
            relative,
            patches / max(now - epoch_began, 1e-9),
            left,
        )

    def _save_state(self) -> None:
        if self.fabric.global_rank == 0:
            self.run.save_state(
                replace(
                    self.state,
                    network=self.model.network.state_dict(),
                    optimizer=self.optimizer.state_dict(),
                    random=torch.get_rng_state(),
                )
            )
        self.fabric.barrier()


def _one_ahead(batches: Iterator[T]) -> Iterator[T]:
    """Cut the next batch in a thread while the network is at work on this one."""
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = thread.submit(next, batches, None)
            yield batch


class _Schedule:
    """The keys of this process from where a training stands to its end, drawn when needed."""

    def __init__(self, training: Training) -> None:
        self.training = training

    def __iter__(self) -> Iterator[Sequence[Key]]:
        training, recipe = self.training, self.training.recipe
        first, done = training.state.epoch, training.state.step
        for epoch in range(first, recipe.epochs):
            batches = epoch_batches(training.lesson.patches, recipe, training.seed, epoch)
            for batch in batches[done if epoch == first else 0 :]:
                yield own_part(batch, training.fabric)


def _standardized(patches: Tensor, how: Standardization) -> Tensor:  # (B, s, s) -> (B, 1, s, s)
    values = patches.float().mul_(1 / (255 * how.std)).sub_(how.mean / how.std).unsqueeze(1)
    if how.zca is not None:
        kernel = values.new_tensor(how.zca)[None, None]
        reach = len(how.zca) // 2
        values = F.conv2d(F.pad(values, (reach,) * 4, mode="reflect"), kernel)
    return values.contiguous(memory_format=torch.channels_last)


def _about(corpus: Corpus, pages: Sequence[Page], weights: Path | str | None) -> dict[str, Any]:
    counts = {split: sum(page.split == split for page in pages) for split in ("train", "val")}
    begun = None if weights is None else str(weights)
    return {"path": corpus.place, "kind": corpus.kind, "pages": counts, "weights": begun}


def _weight_file(weights: Path | str | None) -> Path | None:
    if weights is None:
        return None
    path = Path(weights)
    return path / "model.safetensors" if path.is_dir() else path

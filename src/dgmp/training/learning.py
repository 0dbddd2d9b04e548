"""Learning without labels: a network that classifies clusters of strokes.

    pages → keypoints → clusters of their RootSIFT descriptors, the ambiguous dropped
          → a network that names the cluster of a patch → its activations, encoded per page

Patches of the same shape are one class, whoever wrote them; to name the class the network has to
see how strokes run, and what it sees differs between writers. No label of a page is used.

Every stage leaves its file in the run folder, so that the same command goes on after it:

    RUN/pages/         prepared pages, in one file that is mapped into memory
    RUN/patches.npz    where the patches lie on these pages, and their classes
    RUN/checkpoint.pt, model.json, model.safetensors …   as of any training run
    RUN/describer.json, arrays.npz                       what was fitted to its activations

Christlein, Gropp, Fiel, Maier, Unsupervised feature learning for writer identification and writer
retrieval, ICDAR 2017.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..classical import HEAD, Sift, VladConfig, surrogate_classes
from ..corpora import Corpus, write_split
from ..describers import (
    fit_keypoint_describer,
    keypoint_rectangles,
    save_keypoint_encoding,
)
from ..engines import Engine
from ..errors import CorpusError, DgmpError
from ..files import Format, replacing
from ..models import InputSpec, ModelSpec, load_model
from ..pixels import PageStore, open_store
from ..records import Page, PageProgress
from .augmentation import Augmentation
from .choosing import training_pages
from .distributed import start_processes
from .loop import train_lesson
from .progress import Watcher
from .recipes import Recipe
from .runs import Run
from .samples import Lesson, TrainingPatches

FORMAT = Format("dgmp-patches", 1, "file of patches")
EPOCHS = 20  # that the steps are counted in, where there are as many

SIDE = 32  # pixels along a patch
GMP = {"relative": True, "center": True}

_TRAINING = Recipe(
    task="cluster",
    # A stem of stride 2 leaves 4×4 positions, of 1 8×8, four times as slow. Not brought to unit
    # length: a thousand classes learn sooner from scores of any size.
    model=ModelSpec("resnet20", "gmp", GMP, normalize=False, stem_stride=2),
    input=InputSpec(view="keypoints", patch=SIDE, stride=SIDE, side=SIDE),
    augmentation=Augmentation(),
    epochs=EPOCHS,
    epoch_steps=375,  # a million patches in all: some eight minutes on a core
    decay_from=8,
    learning_rate=3e-3,
    final_rate=0.01,
    warmup_steps=100,
    batch=128,
    validation=0,
)


_LEAST = {"pages": 2, "patches": 1, "clusters": 2, "cluster_size": 1, "cluster_dim": 1}


@dataclass(frozen=True)
class Learning:
    """All values of learning without labels."""

    pages: int = 1000  # looked at; of a larger folder as many, evenly chosen
    patches: int = 230_000  # learned from, evenly from all pages
    sift: Sift = field(default_factory=lambda: Sift(most=2000))
    clusters: int = 1000
    cluster_size: int = 50  # patches per cluster at least, on average: few patches, few clusters
    cluster_dim: int = 32  # what RootSIFT descriptors are whitened to before they are clustered
    ambiguity: float = 0.9  # the largest ratio of distances to the nearest and the second centre
    training: Recipe = _TRAINING
    vlad: VladConfig = field(default_factory=VladConfig)

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            if getattr(self, name) < least:
                raise DgmpError(f"{name} must be at least {least}, got {getattr(self, name)}")
        if not 0 < self.ambiguity <= 1:
            raise DgmpError(f"ambiguity must be above 0 and at most 1, got {self.ambiguity}")
        if self.training.task != "cluster":
            raise DgmpError(f"training.task must be cluster, got {self.training.task!r}")
        looks_at = self.training.input
        if looks_at.patch != looks_at.side or self.training.augmentation.crop != 1:
            raise DgmpError("training.input.patch and side must agree, and augmentation.crop be 1")

    def with_pooling(self, name: str) -> Learning:
        """The same with another pooling at the end of the network."""
        options = GMP if name == "gmp" else {}
        model = replace(self.training.model, pooling=name, pooling_options=options)
        return replace(self, training=replace(self.training, model=model))

    def with_steps(self, steps: int) -> Learning:
        """The same with a number of steps, or the next that can be shared by the epochs."""
        if steps < 1:
            raise DgmpError(f"steps must be at least 1, got {steps}")
        each = -(-steps // EPOCHS)
        epochs = -(-steps // each)
        recipe = self.training
        decay_from = epochs * recipe.decay_from // recipe.epochs
        warmup = min(recipe.warmup_steps, steps // 10)
        return replace(
            self,
            training=replace(
                recipe, epochs=epochs, epoch_steps=each, decay_from=decay_from, warmup_steps=warmup
            ),
        )


def learn(
    corpus: Corpus,
    out: Path | str,
    learning: Learning | None = None,
    *,
    seed: int = 0,
    device: str = "auto",
    engine: Engine | None = None,
    announce: Callable[[str], None] | None = None,
    watch: Watcher | None = None,
    prepared: PageProgress | None = None,
) -> Run:
    """Learn from the pages of a corpus into the folder ``out``, or go on with what is there.

    Labels are not looked at. Where the corpus has splits, test pages are not either. ``engine``
    prepares pages. ``announce`` is called with what begins, in words, ``prepared`` for every page
    that is done, ``watch`` after every step of the network. ``load_describer(out)`` gives what came
    out.
    """
    learning = learning or Learning()
    announce = announce or _say_nothing
    learning.training.model.build(2)  # a network that cannot be built is refused at once
    pages = unlabelled_pages(corpus, learning.pages)
    run = Run(out)
    run.claim(learning, seed, _about(corpus, pages))
    if (run.folder / HEAD).exists():
        announce(f"{run.folder}: is finished")
        return run
    write_split(pages, run.folder / "split.csv", made="by learn")
    fabric = start_processes(device, 1, "32-true")
    recipe = learning.training
    announce(f"preparing {len(pages)} pages")
    store = open_store(
        run.folder / "pages", pages, recipe.input.preparation, engine=engine, progress=prepared
    )
    for name, reason in store.failures:
        announce(f"left out: {name}: {reason}")
    lesson = _kept_lesson(run.folder / "patches.npz", store, learning, seed, announce, prepared)
    announce(f"classifying {len(lesson.patches)} patches into {len(lesson.names)} clusters")
    train_lesson(lesson, recipe, run, fabric, seed=seed, watch=watch)
    announce(f"describing {len(store)} pages by what was learned")
    describer = fit_keypoint_describer(
        load_model(run.folder),
        (store.image(number) for number in range(len(store))),
        learning.sift,
        learning.vlad,
        seed=seed,
        device=str(fabric.device),
        progress=prepared,
    )
    save_keypoint_encoding(describer, run.folder)
    return run


def unlabelled_pages(corpus: Corpus, most: int) -> tuple[Page, ...]:
    """The pages to train on, without labels; evenly chosen where there are too many."""
    usable = training_pages(corpus)
    if len(usable) > most:
        usable = tuple(usable[n] for n in np.linspace(0, len(usable) - 1, most).astype(int))
    return tuple(
        replace(page, split="train", writer=None, script=None, manuscript=None) for page in usable
    )


def surrogate_lesson(
    store: PageStore,
    learning: Learning,
    *,
    seed: int = 0,
    progress: PageProgress | None = None,
) -> Lesson:
    """Patches at keypoints of all pages, about as many of each, and their clusters as labels."""
    share = -(-learning.patches // len(store))
    rectangles, pages, local = [], [], []
    for number in range(len(store)):
        pixels = np.asarray(store[number])
        keypoints = learning.sift.detect(pixels)
        if len(keypoints) > share:
            keypoints = keypoints[np.linspace(0, len(keypoints) - 1, share).astype(np.intp)]
        if len(keypoints):
            rectangles.append(keypoint_rectangles(keypoints, learning.training.input.side))
            pages.append(np.full(len(keypoints), number))
            local.append(learning.sift.describe(pixels, keypoints).astype(np.float16))
        if progress is not None:
            progress(1)
    found = sum(map(len, local))
    clusters = min(learning.clusters, found // learning.cluster_size)
    least = max(2 * learning.cluster_size, learning.vlad.words)
    if found < least or len(local) < 2:
        raise CorpusError(
            f"{found} keypoints on {len(local)} pages with writing are too few to learn from; "
            f"at least {least} on two pages are needed"
        )
    labels = surrogate_classes(
        np.concatenate(local),
        clusters,
        dim=learning.cluster_dim,
        ambiguity=learning.ambiguity,
        seed=seed,
    )
    clear = labels >= 0
    names = tuple(str(number) for number in range(int(labels.max()) + 1))
    if len(names) < 2:
        raise CorpusError(
            f"of {found} patches {clear.sum()} belong clearly to a cluster, which is too few to "
            "learn from; set ambiguity nearer to 1"
        )
    patches = TrainingPatches(
        store,
        learning.training.input,
        np.concatenate(rectangles)[clear],
        np.concatenate(pages)[clear],
        labels[clear],
    )
    return Lesson(patches, names)


def _kept_lesson(
    path: Path,
    store: PageStore,
    learning: Learning,
    seed: int,
    announce: Callable[[str], None],
    progress: PageProgress | None,
) -> Lesson:
    """The lesson of an earlier start of this run, or a new one."""
    if path.exists():
        with np.load(path) as kept:
            if (kept["format"], kept["version"]) != (FORMAT.name, FORMAT.version):
                raise DgmpError(f"{path}: is not of this dgmp; delete it to find patches anew")
            patches = TrainingPatches(
                store, learning.training.input, kept["boxes"], kept["pages"], kept["labels"]
            )
        return Lesson(patches, tuple(map(str, range(int(patches.labels.max()) + 1))))
    announce("finding patches and their clusters")
    lesson = surrogate_lesson(store, learning, seed=seed, progress=progress)
    patches = lesson.patches
    with replacing(path) as beside, beside.open("wb") as file:
        np.savez(
            file,
            format=FORMAT.name,
            version=FORMAT.version,
            boxes=patches.rectangles,
            pages=patches.page_numbers,
            labels=patches.labels,
        )
    return lesson


def _about(corpus: Corpus, pages: Sequence[Page]) -> dict[str, Any]:
    """What the run is about; a page that is changed, added or taken away makes it another."""
    digest = hashlib.sha256()
    for page in pages:
        digest.update(f"{page.id}\n{page.content_hash}\n".encode())
    return {
        "path": corpus.place,
        "kind": corpus.kind,
        "pages": len(pages),
        "sources": digest.hexdigest()[:16],
    }


def _say_nothing(text: str) -> None:
    pass

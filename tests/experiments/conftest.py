"""Tiny corpora and tiny recipes: a row is trained in a second."""

import csv
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest

from dgmp.corpora import open_corpus
from dgmp.experiments import TABLES, Setting, reproduce
from dgmp.training import Watchers

POOLINGS, SCRIPTS, CURVES = (TABLES[name] for name in ("poolings", "scripts", "curves"))
SOME = ["avg-l2", "avg-l2-whitened", "gmp-centred"]
TINY = [
    "epochs=2",
    "epoch_steps=1",
    "decay_from=1",
    "classes_per_batch=3",
    "batch=6",
    "validation=0.34",
    "validate_every=1",
    "input.patch=96",
    "input.stride=96",
    "input.side=32",
    "input.min_edges=20",
    "input.preparation.canonical=None",
    "augmentation.shift=8",
]


def draw_page(path, slant, seed, script=0):
    """A page of short strokes that lean as their writer's do."""
    generator = np.random.default_rng(seed)
    page = np.full((200, 240), 250, np.uint8)
    for row in range(30, 190, 38):
        for x in range(12, 220, 14 + 4 * script):
            lean = slant + generator.normal(0, 1)
            height = 14 + generator.integers(0, 8)
            cv2.line(page, (x, row), (int(x + lean), int(row - height)), 20, 2 + script)
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), page)


@pytest.fixture(scope="package", autouse=True)
def no_picture_of_every_epoch():
    """Drawing takes longer than training does here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dgmp.training.loop.draw_curves", lambda *_: None)
        yield


@pytest.fixture(scope="session")
def writers_folder(tmp_path_factory):
    """Eight writers with two pages each, six to train on; names that HTML would choke on."""
    folder = tmp_path_factory.mktemp("writers")
    rows = []
    for writer in range(8):
        for number in range(2):
            name = f"w{writer}_{number}.png"
            draw_page(folder / name, 3 * writer - 10, 10 * writer + number)
            rows.append((name, f"<i>w{writer}</i>", "train" if writer < 6 else "test"))
    with (folder / "pages.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("file", "writer", "split"), *rows])
    return folder


@pytest.fixture(scope="session")
def scripts_folder(tmp_path_factory):
    """Three scripts, three manuscripts each to train on and one to test on."""
    folder = tmp_path_factory.mktemp("scripts")
    rows = []
    for script in range(3):
        for number in range(4):
            name = f"s{script}_{number}.png"
            draw_page(folder / name, 8 * script - 8, 10 * script + number, script)
            split = "test" if number == 3 else "train"
            rows.append((name, f"script{script}", f"m{script}{number}", split))
    with (folder / "pages.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("file", "script", "manuscript", "split"), *rows])
    return folder


@pytest.fixture(scope="session")
def writers(writers_folder):
    return open_corpus(writers_folder)


@pytest.fixture(scope="session")
def scripts(scripts_folder):
    return open_corpus(scripts_folder)


@dataclass(frozen=True)
class Made:
    """A table that was made: where, of what, its files, and what was announced."""

    out: Path
    setting: Setting
    paths: list[Path]
    announced: list[str]


@pytest.fixture(scope="session")
def made(writers, tmp_path_factory):
    """A table of writers with three rows and two seeds."""
    out = tmp_path_factory.mktemp("table") / "out"
    announced = []
    setting = Setting.choose(POOLINGS, writers, changes=TINY)
    watchers = Watchers(announce=announced.append)
    paths = reproduce(POOLINGS, setting, out, seeds=2, rows=SOME, watchers=watchers)
    return Made(out, setting, paths, announced)


@pytest.fixture(scope="session")
def made_scripts(scripts, tmp_path_factory):
    """A table of scripts with two rows and two seeds."""
    out = tmp_path_factory.mktemp("scripts-table") / "out"
    setting = Setting.choose(SCRIPTS, scripts, changes=TINY)
    return Made(
        out, setting, reproduce(SCRIPTS, setting, out, seeds=2, rows=["avg-l2", "dgmp"]), []
    )

"""Tiny corpora and tiny recipes: a row is trained in a second."""

import csv

import cv2
import numpy as np
import pytest

from dgmp.corpora import open_corpus
from dgmp.training import find_recipe, override


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
            side = "test" if number == 3 else "train"
            rows.append((name, f"script{script}", f"m{script}{number}", side))
    with (folder / "pages.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("file", "script", "manuscript", "split"), *rows])
    return folder


@pytest.fixture(scope="session")
def writers(writers_folder):
    return open_corpus(writers_folder)


@pytest.fixture(scope="session")
def scripts(scripts_folder):
    return open_corpus(scripts_folder)


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


@pytest.fixture
def tiny():
    return list(TINY)


def tiny_recipe(name):
    """A small recipe made tiny."""
    return override(find_recipe(name), TINY)

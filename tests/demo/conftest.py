"""The whole story with a few writers and tiny networks, made once."""

from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from dgmp.demo import DemoPlan, Planting, Scene, Told, make_demo, planted_table
from dgmp.synthetic import CorpusPlan
from dgmp.training import Watchers, find_recipe, override

TINY = [
    "epochs=2",
    "epoch_steps=1",
    "decay_from=1",
    "classes_per_batch=3",
    "batch=6",
    "validate_every=1",
    "input.patch=256",
    "input.stride=256",
    "input.side=32",
    "input.min_edges=100",
    "input.preparation.canonical=None",
    "augmentation.shift=8",
]


@pytest.fixture(scope="package", autouse=True)
def no_picture_of_every_epoch():
    """Drawing takes longer than training does here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dgmp.training.loop.draw_curves", lambda *_: None)
        yield


@dataclass(frozen=True)
class Demo:
    """A demo that was made: its report, what it says, of what it was made, what was announced."""

    report: Path
    told: Told
    plan: DemoPlan
    announced: list[str]


@pytest.fixture(scope="session")
def plan():
    """Seven writers with two pages each."""
    return DemoPlan(
        known=CorpusPlan(4, 2, 1, True),
        unseen=CorpusPlan(3, 2, 2, True),
        writer_recipe=override(find_recipe("writer-small"), [*TINY, "validation=0.5"]),
        script_recipe=override(find_recipe("script-small"), [*TINY, "validation=0"]),
    )


@pytest.fixture(scope="session")
def small_planted():
    """A scene of three writers; its words are such that HTML would choke on them."""
    words = "Three writers & no more."
    scene = Scene("<b>small</b>", Planting(writers=3, maps_per_writer=2), words)
    return planted_table(scene, torch.Generator().manual_seed(0), draws=1)


@pytest.fixture(scope="session")
def demo(tmp_path_factory, plan, small_planted):
    """The story told in this process."""
    announced = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dgmp.demo.story.planted_tables", lambda: (small_planted,))
        patch.setattr("dgmp.demo.story.cores", lambda: 1)
        watchers = Watchers(announce=announced.append)
        report, told = make_demo(tmp_path_factory.mktemp("demo") / "demo", plan, watchers)
        yield Demo(report, told, plan, announced)

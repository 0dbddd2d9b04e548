"""The demo: one report that needs nothing else, and goes on where it was."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import cv2
import numpy as np
import pytest
import torch

from dgmp.corpora.synthetic import CorpusPlan
from dgmp.experiments import DemoPlan, Watchers, demo, make_demo
from dgmp.experiments.hinge import hinge_histogram
from dgmp.experiments.planted import Planting, Scene, planted_table
from dgmp.experiments.thumbnails import heated
from dgmp.experiments.webpage import Html, drawing, element, html, image, page, table
from dgmp.training import override

from .conftest import tiny_recipe


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """The whole story with four writers; the scene of the planted patterns is small too."""
    out = tmp_path_factory.mktemp("demo") / "demo"
    big = ["input.patch=256", "input.stride=256", "input.side=32", "input.min_edges=100"]
    writer = override(tiny_recipe("writer-small"), [*big, "validation=0.5"])
    script = override(tiny_recipe("script-small"), [*big, "validation=0"])
    plan = DemoPlan(
        hands=CorpusPlan(4, 2, 1, True),
        unseen=CorpusPlan(3, 2, 2, True),
        writer_recipe=writer,
        script_recipe=script,
    )
    scene = Scene("<b>small</b>", Planting(hands=3, maps_per_hand=2), "Three hands & no more.")
    small = planted_table(scene, torch.Generator().manual_seed(0), draws=1)
    patch = pytest.MonkeyPatch()
    patch.setattr(demo, "planted_tables", lambda: (small,))
    patch.setattr(demo, "cores", lambda: 1)
    said = []
    path, found = make_demo(out, plan, Watchers(announce=said.append))
    yield path, found, said, plan
    patch.undo()


class Parts(HTMLParser):
    """Addresses and text of a page, and whether its elements close."""

    EMPTY = ("meta", "img", "path", "use", "rect", "br")

    def __init__(self):
        super().__init__()
        self.addresses, self.open, self.text = [], [], ""

    def handle_starttag(self, tag, attributes):
        self.addresses += [v for k, v in attributes if k in ("src", "href", "xlink:href")]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.EMPTY:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def parsed(text):
    parts = Parts()
    parts.feed(text)
    return parts


def test_the_report_needs_nothing_but_itself(told):
    text = told[0].read_text()
    parts = parsed(text)
    assert parts.open == []
    assert parts.addresses
    assert all(address.startswith(("data:image/png;base64,", "#")) for address in parts.addresses)
    assert "http" not in re.sub(r"base64,[\w+/=]+", "", text)
    assert "<script" not in text
    assert "@import" not in text


def test_the_report_tells_every_part_of_the_story(told):
    path, found, _, _ = told
    text = parsed(path.read_text()).text
    for name, scores in found.scores.items():
        assert name in text
        assert f"{100 * scores.map:.1f}" in text
    assert all(name in text for name in found.script_scores.classes)
    assert "$" not in text


def test_text_that_looks_like_html_stays_text(told):
    text = told[0].read_text()
    assert "<b>small</b>" not in text
    assert "&lt;b&gt;small&lt;/b&gt;" in text
    assert "Three hands &amp; no more." in text


def test_both_networks_begin_alike_and_differ_in_the_pooling_alone(told):
    runs = list(told[1].runs.values())
    recipes = [run.recipe for run in runs]
    assert recipes[0].model.pooling == "gmp"
    assert recipes[1] == replace(
        recipes[0],
        model=replace(recipes[0].model, pooling="avg", pooling_options={}, normalize=True),
    )
    assert len({run.read()["seed"] for run in runs}) == 1
    assert len({(run.folder / "split.csv").read_text() for run in runs}) == 1


def test_a_second_demo_repeats_no_training_and_says_the_same(told):
    path, found, _, plan = told
    states = {
        run.folder: (run.folder / "checkpoint.pt").stat().st_mtime_ns for run in found.runs.values()
    }
    path.unlink()
    again, other = make_demo(path.parent, plan)
    assert again.exists()
    assert {k: v.map for k, v in other.scores.items()} == {
        k: v.map for k, v in found.scores.items()
    }
    for folder, changed in states.items():
        assert (folder / "checkpoint.pt").stat().st_mtime_ns == changed


def test_the_parts_are_announced_and_timed(told):
    _, found, said, _ = told
    assert [line.removesuffix(" …") for line in said] == list(found.seconds)


def test_elements_escape_what_they_hold():
    made = element("p", "<script>alert('&')</script>", title='"<>')
    assert made == (
        '<p title="&quot;&lt;&gt;">&lt;script&gt;alert(&#x27;&amp;&#x27;)&lt;/script&gt;</p>'
    )
    assert element("p", Html("<b>x</b>")) == "<p><b>x</b></p>"
    assert html(html("&")) == "&amp;"


def test_a_table_escapes_its_cells():
    made = table(("<a>", "b"), [("<c>", "<d>")])
    assert "<a>" not in made
    assert "&lt;d&gt;" in made


def test_the_page_escapes_values_that_are_not_html():
    names = [
        "lead",
        "numbers",
        "planted",
        "hands",
        "training",
        "unseen",
        "rankings",
        "scripts",
        "times",
        "footer",
    ]
    text = page({name: f"<{name}>" for name in names})
    assert all(f"&lt;{name}&gt;" in text for name in names)


def test_an_image_is_inlined():
    assert image(np.zeros((4, 6), np.uint8), 'a "square"').startswith(
        '<img src="data:image/png;base64,'
    )


def test_a_drawing_takes_the_colours_of_the_page():
    with drawing(3, 2, "a <line>") as (figure, drawn):
        axes = figure.subplots()
        axes.plot([1, 2], [3, 4])
        axes.set_xlabel("x < y")
    (svg,) = drawn
    assert svg.startswith("<svg ")
    assert "currentColor" in svg
    assert "http" not in svg
    assert 'aria-label="a &lt;line&gt;"' in svg
    assert "x &lt; y" in svg


def test_heat_leaves_ink_dark_and_warms_paper():
    pixels = np.array([[0, 255], [255, 255]], np.uint8)
    found = heated(pixels, np.array([[0.0, 0.0], [3.0, np.nan]])).astype(int)
    assert found[0, 0].max() < 60
    assert (found[0, 1] == 255).all()
    assert found[1, 0, 0] > found[1, 0, 2]
    assert (found[1, 1] == 255).all()


def test_a_hinge_histogram_adds_up_to_one_and_leans_with_the_writing():
    def strokes(lean):
        page = np.zeros((120, 120), np.uint8)
        for x in range(20, 100, 20):
            cv2.line(page, (x, 100), (x + lean, 20), 1, 3)
        return hinge_histogram(page > 0)

    upright, slanted = strokes(0), strokes(30)
    assert upright.sum() == pytest.approx(1)
    assert np.minimum(upright, slanted).sum() < 0.7
    assert not hinge_histogram(np.zeros((50, 50), bool)).any()


def test_the_plan_of_the_demo_meets_enough_writers():
    plan = DemoPlan()
    assert plan.unseen.writers >= 50
    assert plan.unseen.seed != plan.hands.seed

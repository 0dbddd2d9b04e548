"""Explained pages as pictures."""

import io
import sys

import pytest
from PIL import Image

from dgmp.describers.explanations import explain_page
from dgmp.describers.heat_maps import draw_likeness, draw_weights, likeness_pictures
from dgmp.describers.learned import LearnedDescriber
from dgmp.errors import MissingExtra

from .small_pages import page


def test_pictures_are_drawn_for_one_page_and_for_two(tiny, tmp_path):
    describer = LearnedDescriber(tiny())
    one, other = explain_page(describer, page()), explain_page(describer, page(120, 300))
    with Image.open(draw_weights(one, tmp_path / "one.png")) as alone:
        assert min(alone.size) > 400
    with Image.open(draw_likeness(one, other, tmp_path / "two.png")) as both:
        assert both.width > alone.width


def test_two_pages_are_coloured_at_their_size(tiny):
    describer = LearnedDescriber(tiny())
    one, other = explain_page(describer, page()), explain_page(describer, page(120, 300))
    for explained, png in zip((one, other), likeness_pictures(one, other), strict=True):
        with Image.open(io.BytesIO(png)) as shown:
            assert shown.size == explained.image.pixels.shape[::-1]
            assert len(shown.getcolors(2**20)) > 10


def test_without_matplotlib_the_extra_is_named(tiny, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.cm", None)
    explained = explain_page(LearnedDescriber(tiny()), page())
    with pytest.raises(MissingExtra, match=r"dgmp\[learning\]"):
        draw_weights(explained, tmp_path / "one.png")

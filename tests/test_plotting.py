"""Plots: their format, their look, and whole or not there."""

import sys
from pathlib import Path

import matplotlib
import pytest
from PIL import Image

from dgmp.errors import DgmpError, MissingExtra
from dgmp.plotting import LOOK, picture, picture_kind


def draw(path, width=3, height=2):
    with picture(path, width, height) as figure:
        figure.subplots().plot([1, 2])


def test_a_picture_has_the_size_that_is_wanted(tmp_path):
    draw(tmp_path / "p.png", 3, 2)
    assert Image.open(tmp_path / "p.png").size == (3 * LOOK["savefig.dpi"], 2 * LOOK["savefig.dpi"])


@pytest.mark.parametrize(
    ("name", "beginning"),
    [("p.png", b"\x89PNG"), ("p.PDF", b"%PDF"), ("p.svg", b"<?xml"), ("p", b"\x89PNG")],
)
def test_the_ending_decides_the_format(tmp_path, name, beginning):
    draw(tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(beginning)


def test_a_path_may_be_text(tmp_path):
    draw(str(tmp_path / "p.png"))
    assert (tmp_path / "p.png").exists()


def test_an_ending_that_cannot_be_drawn_is_named_with_those_that_can():
    with pytest.raises(DgmpError, match=r"p\.doc: no picture can be drawn as doc; .*png"):
        picture_kind(Path("p.doc"))


def test_an_ending_that_cannot_be_drawn_is_refused_before_anything_is_drawn(tmp_path):
    with pytest.raises(DgmpError, match="drawn as doc"), picture(tmp_path / "p.doc", 3, 2):
        pytest.fail("drawn")


def test_a_drawing_that_fails_leaves_the_old_picture(tmp_path):
    (tmp_path / "p.png").write_text("old")
    with pytest.raises(ZeroDivisionError), picture(tmp_path / "p.png", 3, 2):
        raise ZeroDivisionError
    assert (tmp_path / "p.png").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_the_look_holds_while_a_picture_is_drawn(tmp_path):
    with picture(tmp_path / "p.png", 3, 2):
        assert matplotlib.rcParams["font.size"] == LOOK["font.size"]


def test_settings_of_others_are_left_as_they_were(tmp_path):
    with matplotlib.rc_context({"font.size": 23}):
        draw(tmp_path / "p.png")
        assert matplotlib.rcParams["font.size"] == 23


def test_without_matplotlib_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"pip install 'dgmp\[learning\]'"):
        draw(tmp_path / "p.png")

"""The picture of a planted scene."""

import pytest

from dgmp.demo import draw_planted
from dgmp.errors import DgmpError


def test_the_picture_is_a_png_of_moderate_size(small_planted, tmp_path):
    draw_planted(small_planted, tmp_path / "planted.png")
    data = (tmp_path / "planted.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert len(data) < 150_000


def test_a_picture_that_cannot_be_written_is_an_error_for_the_user(small_planted, tmp_path):
    (tmp_path / "planted.png").mkdir()
    with pytest.raises(DgmpError, match=r"planted\.png: cannot be written: it is a folder"):
        draw_planted(small_planted, tmp_path / "planted.png")

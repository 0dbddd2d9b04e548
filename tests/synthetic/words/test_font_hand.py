"""Hands out of font files."""

from pathlib import Path

import matplotlib
import numpy as np
import pytest

from dgmp.errors import CorpusError
from dgmp.synthetic import draw_word_page, find_fonts, page_conditions
from dgmp.synthetic.words.font_hand import make_font_writer, write_font_hand
from dgmp.synthetic.writers import stream

FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
SERIF = FONTS / "STIXGeneralItalic.ttf"
NO_LETTERS = FONTS / "STIXSizOneSymReg.ttf"
LAYOUT = page_conditions(1).layout


def written(words, writer=1, turn=2):
    return write_font_hand(make_font_writer(SERIF, (writer,)), words, LAYOUT, stream(turn))


def test_a_word_of_two_letters_has_more_ink_than_one_of_them():
    short, long = (written([word])[0].ink for word in ("o", "oo"))
    assert long.astype(float).sum() > 1.7 * short.astype(float).sum()


def test_the_same_seeds_give_the_same_ink_and_no_two_words_are_alike():
    first, second = written(["same", "same"])
    again, _ = written(["same", "same"])
    assert np.array_equal(first.ink, again.ink)
    assert first.ink.shape != second.ink.shape or not np.array_equal(first.ink, second.ink)


def test_words_that_the_font_cannot_write_are_left_out():
    assert [word.number for word in written(["one", "t\u0950wo", "three"])] == [0, 2]


def test_lines_end_before_the_right_margin():
    inked = written(["letter"] * 200)
    assert max(word.left for word in inked) / 2 < LAYOUT.right
    assert 20 < len(inked) < 200


def test_fonts_without_letters_and_broken_files_are_left_out_with_their_reasons(tmp_path):
    for font in (SERIF, NO_LETTERS):
        (tmp_path / font.name).write_bytes(font.read_bytes())
    (tmp_path / "broken.woff2").write_bytes(b"no font")
    usable, left_out = find_fonts(tmp_path)
    assert [font.name for font in usable] == [SERIF.name]
    why = {Path(place).name: reason for place, reason in left_out}
    assert "cannot be opened as a font" in why["broken.woff2"]
    assert "has no abc" in why[NO_LETTERS.name]


def test_a_folder_without_fonts_is_refused(tmp_path):
    with pytest.raises(CorpusError, match=r"no font that can be used: no file ends in \.otf"):
        find_fonts(tmp_path)


def test_the_boxes_of_a_page_hold_its_ink():
    page, boxes = draw_word_page(5, 12, SERIF)
    assert len(boxes) > 30
    dark = page < np.percentile(page, 4)
    inside = np.zeros(page.shape, bool)
    for (left, top, right, bottom), text in boxes:
        assert text.isalnum()
        assert dark[top:bottom, left:right].any()
        inside[top:bottom, left:right] = True
    written_on = slice(200, 600)  # words cut by the border are not in the list
    assert dark[written_on, 150:850][~inside[written_on, 150:850]].mean() < 0.05

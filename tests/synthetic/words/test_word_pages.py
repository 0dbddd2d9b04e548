"""Pages of which every word is known."""

import csv

import numpy as np
import pytest

from dgmp.errors import CorpusError
from dgmp.synthetic import HEIGHT, WIDTH, draw_word_page, synthesize_words

BOOK_HAND, ROUND_HAND = 3, 2  # writers


@pytest.mark.parametrize("writer", [BOOK_HAND, ROUND_HAND])
def test_boxes_lie_on_the_page_and_hold_the_ink_of_their_word(writer):
    page, boxes = draw_word_page(writer, 12)
    assert len(boxes) > 30
    dark = page < np.percentile(page, 8)
    inside = np.zeros(page.shape, bool)
    for (left, top, right, bottom), text in boxes:
        assert 0 <= left < right <= WIDTH
        assert 0 <= top < bottom <= HEIGHT
        assert text.isalnum()
        assert dark[top:bottom, left:right].any()
        inside[top:bottom, left:right] = True
    written = slice(200, 600)  # words cut by the border are not in the list
    assert dark[written, 150:850][~inside[written, 150:850]].mean() < 0.05


def test_a_long_word_has_a_wide_box():
    _, boxes = draw_word_page(ROUND_HAND, 12)
    width = {len(text): box[2] - box[0] for box, text in boxes}
    assert width[max(width)] > 2 * width[min(width)]


def test_the_same_seeds_write_the_same_folder_and_go_on_with_it(tmp_path):
    table = synthesize_words(tmp_path / "a", writers=1, pages=1)
    text = table.read_text()
    (tmp_path / "a" / "words.csv").unlink()
    assert synthesize_words(tmp_path / "a", writers=1, pages=1).read_text() == text
    assert next(csv.reader(text.splitlines())) == ["file", "x", "y", "w", "h", "text"]


def test_another_seed_in_the_same_folder_is_refused(tmp_path):
    synthesize_words(tmp_path, writers=1, pages=1)
    with pytest.raises(CorpusError, match="another synthetic corpus"):
        synthesize_words(tmp_path, writers=1, pages=1, seed=2)

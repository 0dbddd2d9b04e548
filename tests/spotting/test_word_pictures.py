import numpy as np
import pytest

from dgmp.errors import DgmpError
from dgmp.spotting import WordLook, cut_word
from dgmp.spotting.word_pictures import WordChanges

LOOK = WordLook()
SHAPED = WordLook(width=None)


@pytest.fixture
def page():
    """Grey paper with a black bar where the word is."""
    pixels = np.full((200, 300), 180, np.uint8)
    pixels[90:110, 60:200] = 30
    return pixels


def test_every_word_has_the_size_of_the_look(page):
    assert cut_word(page, (40, 80, 220, 120), LOOK).word().shape == (32, 128)


def test_a_word_that_keeps_its_shape_is_as_wide_as_it_is(page):
    assert cut_word(page, (40, 80, 220, 120), SHAPED).word().shape == (32, 144)


def test_a_very_long_word_is_squeezed():
    page = np.full((40, 2000), 200, np.uint8)
    assert cut_word(page, (0, 0, 2000, 30), SHAPED).word().shape == (32, 256)


def test_ink_is_255_and_paper_0_whatever_greys_they_had(page):
    word = cut_word(page, (40, 80, 220, 120), LOOK).word()
    assert word[16, 48] == 255
    assert word[2, 2] == 0


def test_a_word_at_the_border_of_the_page_has_a_margin_all_the_same(page):
    picture = cut_word(page, (0, 0, 120, 40), LOOK)
    assert picture.margins == (32, 8)


def test_no_change_gives_the_word_as_it_is(page):
    picture = cut_word(page, (40, 80, 220, 120), LOOK)
    none = WordChanges(points=0, box=0, slant=0, thickness=0)
    np.testing.assert_array_equal(none.apply(picture, np.random.default_rng(0)), picture.word())


def test_the_same_generator_gives_the_same_change(page):
    picture = cut_word(page, (40, 80, 220, 120), LOOK)
    one, two = (WordChanges().apply(picture, np.random.default_rng(5)) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert (one != picture.word()).any()


def test_a_height_below_16_is_refused():
    with pytest.raises(DgmpError, match=r"look\.height"):
        WordLook(height=8)

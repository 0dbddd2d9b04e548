import numpy as np
import pytest

from dgmp.errors import DgmpError
from dgmp.spotting import Embedding, IndexedPage, Word, WordHit, WordIndex
from dgmp.spotting.free_protocol import average_precision, map_by_example, map_by_string

PLACES = [(0, 0, 90, 40), (100, 0, 190, 40), (200, 0, 290, 40), (300, 0, 390, 40)]
EMBEDDING = Embedding(levels=(1, 2))


def hit(place, page="a"):
    return WordHit(page, "/a", PLACES[place], 0.5)


def word(place, text="one", page="a"):
    return Word(page, PLACES[place], text)


def test_precision_is_taken_at_each_hit():
    hits = [hit(0), hit(3), hit(1)]
    assert average_precision(hits, [word(0), word(1)]) == pytest.approx((1 + 2 / 3) / 2)


def test_a_word_that_no_place_finds_is_missed():
    assert average_precision([hit(0)], [word(0), word(1)]) == pytest.approx(1 / 2)


def test_a_word_is_found_once():
    assert average_precision([hit(0), hit(0), hit(1)], [word(0), word(1)]) == pytest.approx(5 / 6)


def test_the_same_place_on_another_page_is_no_hit():
    assert average_precision([hit(0, "b")], [word(0)]) == 0


def test_half_of_a_word_is_not_the_word():
    half = WordHit("a", "/a", (0, 0, 45, 40), 0.9)
    assert average_precision([half], [word(0)]) == 0


@pytest.fixture
def read(tmp_path):
    """An index whose candidates are the words themselves."""
    words = [word(0, "one"), word(1, "two"), word(2, "one"), word(3, "three")]
    index = WordIndex.at(tmp_path, "digest", EMBEDDING)
    vectors = EMBEDDING.of([each.text for each in words])
    boxes = np.array([each.box for each in words], np.int32)
    with index.writing():
        index.add([(IndexedPage("a", "/a", "1", 0, 0), boxes, vectors)])
    return index, words, vectors


def test_faultless_vectors_score_one(read):
    index, words, vectors = read
    assert map_by_string(index, words) == 1
    assert map_by_example(index, words, vectors) == 1


def test_without_a_word_that_occurs_twice_there_is_no_query_by_example(read):
    index, words, vectors = read
    with pytest.raises(DgmpError, match="no word occurs twice"):
        map_by_example(index, words[1:], vectors[1:])

import numpy as np
import pytest

from dgmp.errors import DgmpError
from dgmp.spotting import Embedding, Word, WordList, page_folds, score_by_example, score_by_string

BOX = (0, 0, 9, 9)


def words(*texts):
    return [Word("p", BOX, text) for text in texts]


def test_perfect_vectors_score_one():
    listed = words("one", "two", "one", "three")
    vectors = Embedding().of([word.text for word in listed])
    assert score_by_example(listed, vectors, resamples=0).map == 1
    assert score_by_string(listed, vectors, Embedding(), resamples=0).map == 1


def test_queries_by_example_occur_twice_and_are_left_out_of_their_ranking():
    listed = words("one", "two", "one", "three")
    vectors = np.eye(4, dtype=np.float32)
    vectors[2] = vectors[0] + vectors[1]  # nearest to itself, then alike to "one" and "two"
    scores = score_by_example(listed, vectors, resamples=0)
    assert scores.queries == 2
    assert scores.map == pytest.approx(1.0)  # "one" before "two" by its place


def test_queries_by_string_are_the_different_texts():
    listed = words("one", "two", "one", "three")
    vectors = Embedding().of([word.text for word in listed])
    assert score_by_string(listed, vectors, Embedding()).queries == 3


def test_stop_words_are_queries_or_not_and_stay_in_the_gallery():
    listed = words("the", "the", "fort", "fort")
    vectors = Embedding().of([word.text for word in listed])
    assert score_by_example(listed, vectors, resamples=0).queries == 4
    assert score_by_example(listed, vectors, stop_words=False, resamples=0).queries == 2


def test_without_a_word_that_occurs_twice_there_is_no_query():
    with pytest.raises(DgmpError, match="no word occurs twice"):
        score_by_example(words("one", "two"), np.eye(2, dtype=np.float32))


def test_folds_cover_all_pages_once_in_runs():
    pages = {f"{number:02d}": None for number in range(20)}
    folds = page_folds(WordList("x", pages, ()))
    assert [len(fold) for fold in folds] == [5, 5, 5, 5]
    assert [page for fold in folds for page in fold] == sorted(pages)


def test_more_folds_than_pages_are_refused():
    with pytest.raises(DgmpError, match="cannot be cut into 4 folds"):
        page_folds(WordList("x", {"a": None}, ()))

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgmp.errors import DgmpError
from dgmp.spotting.embeddings import BIGRAMS, Embedding

WORDS = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=14)


def level_of(word, level):
    """The parts of a word at one level, as sets of letters."""
    row = Embedding(levels=(level,)).of([word])[0].reshape(level, 36)
    alphabet = Embedding().alphabet
    return ["".join(alphabet[place] for place in np.flatnonzero(part)) for part in row]


def test_the_worked_example_of_the_literature():
    # Almazán et al. 2014, figure 1: "beyond" in two and in three parts.
    assert level_of("beyond", 1) == ["bdenoy"]
    assert level_of("beyond", 2) == ["bey", "dno"]
    assert level_of("beyond", 3) == ["be", "oy", "dn"]


def test_a_letter_that_lies_half_in_two_parts_is_in_both():
    assert level_of("abc", 2) == ["ab", "bc"]


def test_no_fifth_of_a_word_of_two_letters_holds_half_of_a_letter():
    assert level_of("ab", 5) == ["", "", "", "", ""]


def test_five_levels_of_36_unigrams_have_540_entries_and_bigrams_100_more():
    assert Embedding().size == 540
    assert Embedding(bigrams=True).size == 640
    assert Embedding(levels=(2, 3, 4, 5), bigrams=True).size == 604  # as published
    assert len(set(BIGRAMS)) == 50


def test_a_bigram_is_marked_in_the_half_that_holds_it():
    row = Embedding(bigrams=True).of(["there"])[0][540:].reshape(2, 50)
    halves = [[BIGRAMS[place] for place in np.flatnonzero(half)] for half in row]
    assert halves == [["th", "he"], ["er", "re"]]


@given(WORDS)
def test_levels_nest(word):
    whole = set(level_of(word, 1)[0])
    assert whole == set(word)
    for level in (2, 3, 4, 5):
        assert set("".join(level_of(word, level))) <= whole
    for quarter, letters in enumerate(level_of(word, 4)):
        assert set(letters) <= set(level_of(word, 2)[quarter // 2])


@given(WORDS)
def test_a_word_and_its_reverse_have_the_same_unigrams_and_mirrored_parts(word):
    for level in (1, 2, 3, 4, 5):
        assert level_of(word[::-1], level) == level_of(word, level)[::-1]


@given(WORDS)
def test_two_parts_together_have_every_letter(word):
    assert set("".join(level_of(word, 2))) == set(word)


def test_levels_stand_one_after_the_other():
    both = Embedding(levels=(2, 3)).of(["words"])[0]
    assert (both[:72] == Embedding(levels=(2,)).of(["words"])[0]).all()
    assert (both[72:] == Embedding(levels=(3,)).of(["words"])[0]).all()


def test_the_vector_is_that_of_the_folded_word():
    embedding = Embedding()
    assert (embedding.of(["Été,"]) == embedding.of(["ete"])).all()


def test_an_unknown_letter_is_named():
    with pytest.raises(DgmpError, match="'ж'"):
        Embedding().of(["good", "ж"])


def test_the_first_coefficient_of_dctow_counts_letters():
    row = Embedding(kind="dctow").of(["anna"])[0].reshape(36, 3)
    assert row[0, 0] == pytest.approx(2 / np.sqrt(4))  # a, twice in four letters
    assert row[13, 0] == pytest.approx(2 / np.sqrt(4))
    assert np.count_nonzero(row[:, 0]) == 2


@given(WORDS)
def test_the_reverse_of_a_word_turns_the_sign_of_odd_coefficients(word):
    embedding = Embedding(kind="dctow")
    there, back = embedding.of([word, word[::-1]]).reshape(2, 36, 3)
    np.testing.assert_allclose(back, there * [1, -1, 1], atol=1e-6)


@given(WORDS)
def test_all_coefficients_keep_the_length_of_the_rows(word):
    row = Embedding(kind="dctow", coefficients=14).of([word])[0]
    assert np.linalg.norm(row) == pytest.approx(np.sqrt(len(word)), rel=1e-5)


def test_levels_below_one_are_refused():
    with pytest.raises(DgmpError, match="levels"):
        Embedding(levels=(0,))


def test_a_string_is_as_like_a_word_as_its_letters_are_likely():
    embedding = Embedding(levels=(1,), alphabet="ab")
    chances = np.array([[0.9, 0.2], [0.5, 0.5], [0.1, 0.9]], np.float32)
    found = embedding.likeness(["a", "b", "ab"], np.sqrt(chances))
    likely = [
        [0.9 * 0.8, 0.25, 0.1 * 0.1],
        [0.1 * 0.2, 0.25, 0.9 * 0.9],
        [(0.9 * 0.2) ** 0.5, 0.5, (0.1 * 0.9) ** 0.5],  # shared out over two letters
    ]
    np.testing.assert_allclose(found, likely, rtol=1e-4)


@pytest.mark.parametrize("kind", ["phoc", "dctow"])
def test_a_word_that_was_read_without_fault_is_like_its_own_text_alone(kind):
    embedding = Embedding(kind)
    words = ["one", "on", "tone", "no", "eno"]
    found = embedding.likeness(words, embedding.of(words))
    assert np.diag(found) == pytest.approx(1, abs=0.15)
    assert (found.argmax(axis=1) == np.arange(5)).all()

import pytest

from dgmp.errors import DgmpError
from dgmp.spotting.spelling import LATIN, check_alphabet, fold, spell


@pytest.mark.parametrize(
    ("text", "folded"),
    [("Été", "ete"), ("ſaiſon", "saison"), ("Cæsar", "caesar"), ("Œuvre", "oeuvre"), ("ﬁn", "fin")],
)
def test_accents_long_s_and_ligatures_are_folded(text, folded):
    assert fold(text) == folded


def test_folding_twice_is_folding_once():
    assert fold(fold("Straße ÆØ")) == fold("Straße ÆØ")


def test_punctuation_is_not_spelled():
    assert spell("o'clock;") == "oclock"


def test_a_letter_outside_the_alphabet_is_named():
    with pytest.raises(DgmpError, match="'ω', 'ж'"):
        spell("aωbж")


def test_a_word_of_punctuation_alone_has_nothing_to_spell():
    with pytest.raises(DgmpError, match="has no letter"):
        spell("--")


def test_an_alphabet_of_the_user_keeps_what_it_has_apart():
    assert spell("Éé", "eÉ") == "Ée"


def test_an_alphabet_with_a_letter_twice_is_refused():
    with pytest.raises(DgmpError, match="'b' twice"):
        check_alphabet("abcb")


def test_the_latin_alphabet_has_36_signs():
    assert len(set(LATIN)) == len(LATIN) == 36

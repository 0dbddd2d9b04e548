"""The forms of a joined round hand."""

import string

import pytest

from dgmp.synthetic.letterforms import parse_letter
from dgmp.synthetic.words.round_forms import CAPITAL, DIGITS, LOWER, ROUND_FORMS, SIGNS, forms_of


@pytest.mark.parametrize("sign", string.ascii_letters + string.digits + ".,;:-")
def test_every_letter_digit_and_stop_has_a_form_of_its_own_name(sign):
    assert forms_of(sign)[0] == sign


@pytest.mark.parametrize("name", ROUND_FORMS)
def test_every_form_can_be_read(name):
    assert parse_letter(ROUND_FORMS[name])


def test_no_form_hides_another_of_the_same_name():
    assert len(ROUND_FORMS) == sum(map(len, (LOWER, CAPITAL, DIGITS, SIGNS)))


@pytest.mark.parametrize("letter", "bdfhkls")
def test_letters_with_an_ascender_or_a_long_form_have_variants(letter):
    assert len(forms_of(letter)) > 1


@pytest.mark.parametrize("letter", string.ascii_lowercase)
def test_every_small_letter_can_join_the_next(letter):
    ends = [parse_letter(ROUND_FORMS[name])[0][-1] for name in forms_of(letter)]
    assert any(not end.end for end in ends)


@pytest.mark.parametrize("name", [*LOWER, *CAPITAL])
def test_a_stroke_that_joins_ends_to_the_right_between_the_lines(name):
    stroke = parse_letter(ROUND_FORMS[name])[0]
    end = stroke[-1]
    assert end.end == "foot" or (end.x > stroke[0].x and 0 < end.y < 1)


@pytest.mark.parametrize("name", [*DIGITS, *SIGNS])
def test_digits_and_stops_join_nothing(name):
    assert parse_letter(ROUND_FORMS[name])[0][-1].end == "foot"

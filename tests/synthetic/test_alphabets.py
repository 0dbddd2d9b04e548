"""The forms of letters."""

import pytest

from dgmp.synthetic.alphabets import CAPITALS, FORMS, LIGATURES, MARKS, MINUSCULE
from dgmp.synthetic.letterforms import parse_letter
from dgmp.synthetic.writers import LETTERS


@pytest.mark.parametrize("name", FORMS)
def test_every_form_can_be_read(name):
    assert parse_letter(FORMS[name])


def test_every_letter_has_a_form_of_its_own_name():
    assert set(LETTERS) <= set(MINUSCULE)


def test_no_form_hides_another_of_the_same_name():
    assert len(FORMS) == sum(map(len, (MINUSCULE, LIGATURES, CAPITALS, MARKS)))

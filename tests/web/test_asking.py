"""What a view reads of a request."""

import pytest
from starlette.datastructures import FormData, ImmutableMultiDict

from dgmp.web.asking import Ask, Refused


def asked(query=(), form=()):
    return Ask({}, ImmutableMultiDict(query), FormData(form))


def test_numbers_out_of_range_are_taken_to_its_ends():
    ask = asked([("leaf", "-3"), ("k", "99999999999")])
    assert (ask.number("leaf", 1), ask.number("k", 1, most=10), ask.number("none", 4)) == (1, 10, 4)


def test_what_is_no_number_is_refused():
    with pytest.raises(Refused, match="leaf must be a whole number, got 'two'"):
        asked([("leaf", "two")]).number("leaf", 1)


def test_what_is_missing_is_named():
    with pytest.raises(Refused, match="first is missing"):
        asked([("first", " ")]).needed("first")


def test_endless_text_is_refused():
    with pytest.raises(Refused, match="at most 2000 characters"):
        asked(form=[("note", "x" * 2001)]).text("note")


def test_values_come_from_repeated_fields_and_from_lines_each_once():
    ask = asked(form=[("page", "a\r\nb"), ("page", "b"), ("page", "")])
    assert ask.lines("page") == ("a", "b")


@pytest.mark.parametrize(
    "elsewhere", ["", "//evil.example", "/\\evil", "https://evil.example", "/a\nb", "hands"]
)
def test_the_way_back_stays_on_the_page(elsewhere):
    assert asked(form=[("back", elsewhere)]).back("/hands") == "/hands"


def test_the_way_back_may_be_any_address_of_the_page():
    assert asked(form=[("back", "/hands/3?leaf=2")]).back("/hands") == "/hands/3?leaf=2"

"""A name stays with most of the pages it was given to."""

from dgmp.hands import with_names
from dgmp.records import Decision, Hand


def hands(*groups):
    return [Hand(n, tuple(g), (1.0,) * len(g), 0.5, None) for n, g in enumerate(groups, 1)]


def name(pages, text, note=""):
    return Decision("name", tuple(pages), name=text, note=note)


def names(groups, decisions):
    return [hand.name for hand in with_names(hands(*groups), decisions)]


def test_a_hand_has_the_name_and_note_that_were_given_to_its_pages():
    hand, other = with_names(hands("abc", "de"), [name("abc", "Märta", "a nun")])
    assert (hand.name, hand.note, other.name, other.note) == ("Märta", "a nun", "", "")


def test_a_name_stays_with_the_larger_part_of_a_hand_that_falls_apart():
    assert names(["xy", "abc", "de"], [name("abcde", "Märta")]) == ["", "Märta", ""]


def test_of_equal_parts_the_first_has_the_name():
    assert names(["ab", "cd"], [name("abcd", "Märta")]) == ["Märta", ""]


def test_hands_that_are_joined_have_the_name_of_more_pages():
    decisions = [name("abc", "Märta"), name("de", "Johan")]
    assert names(["abcde"], decisions) == names(["abcde"], decisions[::-1]) == ["Märta"]


def test_of_names_for_the_same_pages_the_newest_counts():
    assert names(["abc"], [name("abc", "Märta"), name("abc", "Johan")]) == ["Johan"]


def test_an_empty_name_takes_the_name_away():
    assert names(["abc"], [name("abc", "Märta"), name("abc", "")]) == [""]


def test_a_name_of_pages_that_are_gone_goes_with_those_that_are_left():
    assert names(["a", "b"], [name("bxyz", "Märta"), name("uvw", "Johan")]) == ["", "Märta"]

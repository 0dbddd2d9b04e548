"""Hands along books: reading order, changes, doubtful bands."""

import pytest

from dgmp.hands import follow_hands
from dgmp.hands.sequence import POOR_FIT, natural_order
from dgmp.records import Hand

POOR, FIRM = POOR_FIT - 0.1, 0.95


def grouped(order, fits=None, page="f{}.jpg", bands=4, confidence=0.5):
    """The hands of bands in reading order, four to a page; a letter is a hand."""
    fits = fits or [FIRM] * len(order)
    ids = [f"{page.format(place // bands + 1)}#band={place % bands}" for place in range(len(order))]
    names = sorted(set(order), key=lambda name: (-order.count(name), name))
    hands = []
    for number, name in enumerate(names, 1):
        own = [place for place, hand in enumerate(order) if hand == name]
        hands.append(
            Hand(
                number,
                tuple(ids[place] for place in own),
                tuple(fits[place] for place in own) if len(own) > 1 else (1.0,),
                confidence,
                None,
            )
        )
    return hands


def places(found):
    return [(change.after.page, change.after.band) for change in found.changes]


def test_pages_come_in_the_order_of_their_numbers():
    names = ["f10r", "f2v", "f2r", "f1", "cover", "f02r"]
    assert sorted(names, key=natural_order) == ["cover", "f1", "f02r", "f2r", "f2v", "f10r"]


def test_bands_come_in_reading_order():
    found = follow_hands(grouped("a" * 50))
    assert [band.page for band in found.bands[::4]] == [f"f{n}.jpg" for n in range(1, 14)]
    assert [band.band for band in found.bands[:5]] == [0, 1, 2, 3, 0]


def test_one_hand_makes_no_change():
    assert follow_hands(grouped("aaaaaaa")).changes == ()


def test_a_change_lies_where_another_hand_begins():
    found = follow_hands(grouped("aaaaabbbaa"))
    assert places(found) == [("f2.jpg", 1), ("f3.jpg", 0)]
    assert [(c.before.hand, c.after.hand) for c in found.changes] == [(1, 2), (2, 1)]
    assert [band.change for band in found.bands] == [place in (5, 8) for place in range(10)]


def test_books_do_not_change_into_each_other():
    hands = [Hand(1, ("one/f1.jpg#band=0",), (1.0,), 0.5, None)]
    hands.append(Hand(2, ("two/f1.jpg#band=0",), (1.0,), 0.5, None))
    found = follow_hands(hands)
    assert found.changes == ()
    assert list(found.books()) == ["one", "two"]


def test_a_lone_band_that_fits_poorly_is_doubtful_and_makes_no_change():
    fits = [FIRM] * 11
    fits[2] = POOR
    found = follow_hands(grouped("aabaaaaabbb", fits))
    assert [band.doubtful for band in found.bands] == [place == 2 for place in range(11)]
    assert places(found) == [("f3.jpg", 0)]


def test_a_doubtful_band_keeps_its_hand():
    fits = [FIRM] * 8
    fits[2] = POOR
    assert follow_hands(grouped("aabaaabb", fits)).bands[2].hand == 2


def test_a_lone_band_that_fits_well_is_a_change_and_back():
    found = follow_hands(grouped("aabaaaaabbb"))
    assert not any(band.doubtful for band in found.bands)
    assert len(found.changes) == 3


def test_a_band_between_two_other_hands_is_not_doubtful():
    fits = [FIRM, FIRM, POOR, FIRM, FIRM, FIRM]
    assert not any(band.doubtful for band in follow_hands(grouped("aabccb", fits)).bands)


@pytest.mark.parametrize(("confidence", "doubtful"), [(POOR, True), (FIRM, False)])
def test_a_hand_of_one_band_is_as_firm_as_it_is_sure(confidence, doubtful):
    found = follow_hands(grouped("aabaa", confidence=confidence))
    assert found.bands[2].fit == 1
    assert found.bands[2].doubtful == doubtful


def test_a_change_is_as_sure_as_the_weaker_side():
    fits = [0.9, 0.8, 0.7, 0.6, 0.5]
    (change,) = follow_hands(grouped("aaabb", fits)).changes
    assert change.sure == pytest.approx(0.55)


def test_bounds_are_those_of_the_band():
    found = follow_hands(grouped("aa"), {"f1.jpg#band=1": (0, 10, 20, 30)})
    assert [band.bounds for band in found.bands] == [None, (0, 10, 20, 30)]


def test_no_bands_make_no_books():
    assert follow_hands([]).books() == {}

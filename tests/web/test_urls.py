"""Addresses: every one leads somewhere, and none breaks out of its place."""

from urllib.parse import parse_qs, urlsplit

from starlette.routing import Match, Route

from dgmp.web import urls
from dgmp.web.app import create_app

PAGE = "a/ö #&?=%2F\"'<b>.png"


def test_every_address_that_is_built_is_answered_by_the_application(described):
    routes = [route for route in create_app(described).routes if isinstance(route, Route)]
    built = [
        urls.START,
        urls.hands(folder="a"),
        urls.hand(3),
        urls.hand(3, "nearest"),
        urls.hand(3, "letterforms"),
        urls.page(PAGE),
        urls.thumbnail(PAGE, "1"),
        urls.cut_out(PAGE, (1, 2, 3, 4), 80),
        urls.compare(PAGE, "b"),
        urls.heat_map(1, PAGE, "b"),
        urls.review(2, 1),
        urls.search(page=PAGE),
        urls.words("a word", 2),
        urls.words_like(PAGE, (1, 2, 3, 4)),
        urls.upload("x1"),
        urls.upload_part("x1", (1, 2, 3, 4), 80, 1),
        urls.MAP,
        urls.decisions(leaf=2),
        urls.JOBS,
        urls.export("hands.csv"),
        urls.DECISIONS_FILE,
    ]
    for address in built:
        scope = {"type": "http", "method": "GET", "path": urlsplit(address).path}
        assert any(route.matches(scope)[0] == Match.FULL for route in routes), address


def test_a_page_name_comes_through_an_address_unharmed():
    assert parse_qs(urlsplit(urls.compare(PAGE, "b")).query)["first"] == [PAGE]


def test_a_place_on_a_page_stands_in_its_address():
    assert urls.page("a", (1, 2, 30, 40)) == f"{urls.page('a')}?box=1%2C2%2C30%2C40"


def test_what_is_not_chosen_is_left_out():
    assert urls.hands(folder="", manuscript=None, leaf=2) == "/hands?leaf=2"


def test_the_twin_keeps_what_is_asked():
    assert urls.twin("/compare?first=a") == "/compare.json?first=a"


def test_a_cut_out_is_never_drawn_larger_than_it_is():
    assert "/,40/" in urls.cut_out("a", (0, 0, 30, 40), 88)

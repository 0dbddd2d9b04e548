"""All pages in two dimensions, and what is said of those in a lasso."""

import pytest


def test_every_page_has_a_place_in_the_unit_square(reader, page_ids):
    found = reader.get("/map.json").json()
    assert sorted(found["page_ids"]) == page_ids
    assert all(0 <= value <= 1 for value in found["x"] + found["y"])
    assert len(found["hands"]) == len(page_ids)


def test_colours_are_the_numbers_of_hands(reader):
    found = reader.get("/map.json").json()
    sizes = {card["number"]: card["size"] for card in reader.get("/hands.json").json()["hands"]}
    assert {number: found["hands"].count(number) for number in set(found["hands"])} == sizes


def test_thumbnails_are_found_by_the_key_of_a_page(reader, page_ids):
    from dgmp.web.keys import page_key

    address = reader.get("/map.json").json()["thumbnails"].replace("KEY", page_key(page_ids[0]))
    assert reader.get(address).status_code == 200


def test_a_selection_becomes_one_hand_with_a_name(client, post, page_ids):
    chosen = "\n".join(page_ids[3:6])
    assert post("/map", page=chosen, action="same", name="Anna").status_code == 303
    (card,) = client.get("/hands.json?text=anna").json()["hands"]
    assert set(page_ids[3:6]) <= {page["page"] for page in card["pages"]}


def test_two_of_a_selection_can_be_compared(post, page_ids):
    answer = post("/map", page=page_ids[:2], action="compare")
    assert answer.headers["location"].startswith("/compare?first=")


@pytest.mark.parametrize(
    ("pages", "says"), [([], "choose two pages"), (["none", "b"], "holds no page")]
)
def test_what_cannot_be_done_with_a_selection_is_said(post, pages, says):
    answer = post("/map", page=pages, action="same")
    assert answer.status_code == 400
    assert says in answer.text


def test_a_large_map_is_made_by_a_job(client, monkeypatch):
    monkeypatch.setattr("dgmp.web.store.MAP_AT_ONCE", 0)
    assert "has not been made" in client.get("/map").text
    assert client.get("/map.json").json()["made"] is False

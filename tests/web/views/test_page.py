"""One page, and the letterforms of its hand."""

from dgmp.web import urls


def test_a_page_shows_its_hand_and_what_is_like_it(reader, page_ids):
    found = reader.get(urls.page(page_ids[0]) + ".json").json()
    assert found["hand"]["number"] == reader.app.state.store.number_of(page_ids[0])
    assert page_ids[0] not in {other["page"] for other in found["like"]}
    assert reader.get(urls.page(page_ids[0])).status_code == 200


def test_a_place_on_a_page_can_be_pointed_at(reader, page_ids):
    assert 'data-box="1,2,30,40"' in reader.get(urls.page(page_ids[0]) + "?box=1,2,30,40").text


def test_letterforms_are_pieces_of_the_pages_of_the_hand(reader):
    first_hand = reader.get("/hands/1.json").json()
    found = reader.get(first_hand["addresses"]["letterforms"] + ".json").json()
    pages = {page["page"] for page in first_hand["pages"]}
    assert {piece["page"] for piece in found["typical"] + found["distinctive"]} <= pages
    assert found["typical"]
    assert reader.get(found["typical"][0]["cut_out"]).content[:2] == b"\xff\xd8"
    assert reader.get(first_hand["addresses"]["letterforms"]).status_code == 200

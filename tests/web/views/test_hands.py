"""The list of hands: order, filters, leaves."""

import pytest

from dgmp.records import Hand
from dgmp.web.views.hands import attention


def hand(number, size=4, confidence=0.5, decided=False):
    pages = tuple(f"{number}-{i}" for i in range(size))
    return Hand(number, pages, (0.9,) * size, confidence, None, decided=decided)


def test_doubtful_and_large_hands_come_first_and_decided_ones_last():
    hands = [hand(1, decided=True), hand(2, confidence=0.9), hand(3), hand(4, size=8)]
    assert [h.number for h in sorted(hands, key=attention)] == [4, 3, 2, 1]


def test_every_page_is_in_one_hand(reader, page_ids):
    found = reader.get("/hands.json").json()
    assert found["pages"] == sum(h["size"] for h in found["hands"]) == len(page_ids)


def test_a_hand_has_its_thumbnails(reader):
    shown = reader.get("/hands.json").json()["hands"][0]["pages"][0]
    answer = reader.get(shown["thumbnail"])
    assert answer.headers["content-type"] == "image/jpeg"
    assert "max-age=604800" in answer.headers["cache-control"]
    assert answer.content[:2] == b"\xff\xd8"


@pytest.mark.parametrize(
    ("question", "all_have"),
    [({"folder": "w0001"}, "w0001"), ({"text": "W0002_P1"}, "w0002"), ({"text": "w0000"}, "w0000")],
)
def test_filters_leave_hands_with_such_pages(reader, question, all_have):
    found = reader.get("/hands.json", params=question).json()
    assert 0 < len(found["hands"]) < found["total"]
    for card in found["hands"]:
        assert any(page["folder"] == all_have for page in card["pages"])


def test_nothing_may_pass_the_filters(reader):
    assert "No hand passes" in reader.get("/hands?text=nowhere").text


@pytest.mark.parametrize("level", ["doubtful", "likely", "sure", "confirmed"])
def test_levels_of_confidence_divide_the_hands(reader, level):
    found = reader.get("/hands.json", params={"confidence": level}).json()
    assert {card["word"] for card in found["hands"]} <= {level}


def test_the_order_may_be_by_size(reader):
    sizes = [card["size"] for card in reader.get("/hands.json?order=size").json()["hands"]]
    assert sizes == sorted(sizes, reverse=True)


def test_leaves_hold_a_few_hands_each(client, monkeypatch):
    monkeypatch.setattr("dgmp.web.views.hands.ON_A_LEAF", 1)
    first = client.get("/hands.json").json()
    second = client.get(first["leaf"]["next"].replace("/hands", "/hands.json")).json()
    assert len(first["hands"]) == len(second["hands"]) == 1
    assert first["hands"][0]["number"] != second["hands"][0]["number"]
    assert first["leaf"]["previous"] is None


def test_a_catalogue_that_was_not_grouped_offers_to_group(catalogue, client, post):
    (catalogue / "hands.json").unlink()
    assert "have not been grouped" in client.get("/hands").text
    assert client.get("/hands.json").json()["grouped"] is False

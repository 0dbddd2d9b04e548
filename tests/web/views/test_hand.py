"""One hand, and what may be decided about it."""

import pytest

from dgmp.catalogue import Catalogue
from dgmp.records import Hit
from dgmp.tasks import decisions
from dgmp.web.store import Store


def act(post, hand, part, **fields):
    return post(hand["addresses"][part], as_seen=hand["as_seen"], seen=hand["seen"], **fields)


@pytest.fixture
def hands(client):
    """Every hand as JSON, those of one page last."""
    cards = client.get("/hands.json?order=size").json()["hands"]
    return [client.get(f"{card['address']}.json").json() for card in cards]


def hand_of(client, page):
    return client.app.state.store.number_of(page)


def ids(hand):
    return [page["page"] for page in hand["pages"]]


def test_a_hand_shows_all_its_pages(hands, page_ids):
    assert sorted(id for hand in hands for id in ids(hand)) == page_ids


def test_a_page_of_html_has_the_same_pages(client, hands):
    text = client.get(hands[0]["hand"]["address"]).text
    assert all(f'value="{id}"' in text for id in ids(hands[0]))


def test_a_name_and_a_note_are_kept(client, post, hands):
    answer = act(post, hands[0], "name", name="Scribe A", note="see f. 12")
    assert answer.status_code == 303
    card = client.get("/hands.json?text=scribe").json()["hands"][0]
    assert (card["title"], card["note"]) == ("Scribe A", "see f. 12")


def test_a_name_stays_with_most_of_the_pages(client, post, hands):
    act(post, hands[0], "name", name="Scribe A")
    named = client.get(f"/hands/{hand_of(client, ids(hands[0])[0])}.json").json()
    out, *rest = ids(named)
    act(post, named, "pages", page=out, action="reject")
    card = client.get("/hands.json?text=scribe").json()["hands"][0]
    assert card["number"] == hand_of(client, rest[0]) != hand_of(client, out)


def test_a_confirmed_hand_goes_to_the_end(client, post, hands):
    act(post, hands[0], "confirm")
    last = client.get("/hands.json").json()["hands"][-1]
    assert last["decided"]
    assert sorted(page["page"] for page in last["pages"]) == sorted(ids(hands[0]))


def test_merged_hands_are_one(client, post, hands):
    one, other = hands[0], hands[1]
    act(post, one, "merge", other=ids(other)[0])
    numbers = {hand_of(client, id) for id in ids(one) + ids(other)}
    assert len(numbers) == 1


def test_hands_that_are_not_the_same_stay_two(client, post, hands, catalogue):
    act(post, hands[0], "merge", other=ids(hands[1])[0], verdict="different")
    (decision,) = decisions(Catalogue.open(catalogue))
    assert (set(decision.first), set(decision.second)) == (set(ids(hands[0])), set(ids(hands[1])))


def test_rejected_pages_leave_the_hand(client, post, hands):
    out, *rest = ids(hands[0])
    act(post, hands[0], "pages", page=out, action="reject")
    assert hand_of(client, out) not in {hand_of(client, id) for id in rest}


def test_pages_split_off_are_one_other_hand(client, post, hands):
    first, second, *rest = ids(hands[0])
    act(post, hands[0], "pages", page=[first, second], action="split")
    assert hand_of(client, first) == hand_of(client, second) != hand_of(client, rest[0])


def test_moved_pages_are_in_the_other_hand(client, post, hands):
    moved, *rest = ids(hands[0])
    act(post, hands[0], "pages", page=moved, action="move", other=ids(hands[1])[0])
    assert hand_of(client, moved) == hand_of(client, ids(hands[1])[0]) != hand_of(client, rest[0])


def test_one_undo_takes_back_the_whole_action(post, hands, catalogue):
    two = ids(hands[0])[:2]
    act(post, hands[0], "pages", page=two, action="reject")
    stored = decisions(Catalogue.open(catalogue))
    assert len(stored) == 2
    post(f"/decisions/{stored[-1].id}/undo")
    assert decisions(Catalogue.open(catalogue)) == ()


def test_after_a_decision_the_hand_is_shown_with_a_way_back(client, post, hands):
    answer = act(post, hands[0], "pages", page=ids(hands[0])[0], action="reject")
    page = client.get(answer.headers["location"])
    assert "Stored: " in page.text
    assert "Undo" in page.text


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({}, "choose pages first"),
        ({"page": "none", "action": "reject"}, "has no page"),
        ({"action": "burn"}, "action must be"),
        ({"action": "move", "other": "none"}, "there is no hand with a page"),
    ],
)
def test_what_cannot_be_done_is_said(post, hands, fields, says):
    if "action" in fields:
        fields = {"page": ids(hands[0])[0]} | fields
    answer = act(post, hands[0], "pages", **fields)
    assert answer.status_code == 400
    assert says in answer.text


def test_all_pages_of_a_hand_cannot_leave_it(post, hands):
    answer = act(post, hands[0], "pages", page=ids(hands[0]), action="reject")
    assert "leave those that stay" in answer.text


def test_a_hand_that_has_changed_since_is_not_acted_on(post, hands):
    assert act(post, hands[0], "merge", other=ids(hands[1])[0]).status_code == 303
    late = act(post, hands[1], "confirm")
    assert late.status_code in (400, 404)
    assert "look again" in late.text or "no hand" in late.text


def test_the_second_of_two_people_sees_that_the_first_decided(post, hands):
    assert act(post, hands[0], "name", name="A").status_code == 303
    late = act(post, hands[0], "name", name="B")
    assert late.status_code == 409
    assert "Somebody else decided meanwhile" in late.text


def test_the_nearest_hands_are_others(client, hands):
    found = client.get(hands[0]["addresses"]["nearest"] + ".json").json()
    assert hands[0]["hand"]["number"] not in {other["number"] for other in found["nearest"]}
    assert found["nearest"]


def test_the_nearest_hands_stand_in_their_order_and_those_set_apart_last(client, post, hands):
    address = hands[0]["addresses"]["nearest"]
    before = client.get(f"{address}.json").json()["nearest"]
    likenesses = [other["likeness"] for other in before]
    assert likenesses == sorted(likenesses, reverse=True)
    act(post, hands[0], "merge", other=before[0]["page"], verdict="different")
    number = hand_of(client, ids(hands[0])[0])
    after = client.get(f"/hands/{number}/nearest.json").json()["nearest"]
    assert [other["apart"] for other in after] == [False] * (len(after) - 1) + [True]
    assert after[-1]["number"] == hand_of(client, before[0]["page"])
    assert after[-1]["sentence"].startswith("you said: two hands")


def nearest_of(client, hand, monkeypatch, *figures):
    """The hands nearest to a hand, where a search finds a page of each other one like this."""
    others = [other for other in client.app.state.store.hands() if other.number != hand.number]
    hits = [
        Hit(other.page_ids[0], "", cosine, probability, likeness=likeness)
        for other, (cosine, probability, likeness) in zip(others, figures, strict=False)
    ]
    monkeypatch.setattr(Store, "search", lambda store, query, n: hits)
    address = f"/hands/{hand.number}/nearest.json"
    return client.get(address).json()["nearest"]


def test_the_nearest_hands_are_ordered_by_likeness_even_with_too_little_writing(
    client, monkeypatch
):
    hand, *_ = client.app.state.store.hands()
    nearest = nearest_of(client, hand, monkeypatch, (0.9, None, 0.2), (0.3, 0.1, 0.6))
    assert [other["likeness"] for other in nearest] == [0.6, 0.2]
    assert [other["sentence"] for other in nearest] == [
        "most alike pair of pages: likeness 0.60, 10 % one hand",
        "most alike pair of pages: likeness 0.20, too little writing to say",
    ]


def test_without_a_calibration_the_nearest_hands_are_ordered_by_cosines(client, monkeypatch):
    hand, *_ = client.app.state.store.hands()
    nearest = nearest_of(client, hand, monkeypatch, (0.3, None, None), (0.413, None, None))
    assert [other["sentence"] for other in nearest] == [
        "most alike pair of pages: cosine 0.41",
        "most alike pair of pages: cosine 0.30",
    ]


def test_a_nearest_hand_that_no_search_finds_has_its_likeness(client, monkeypatch):
    hand, *_ = client.app.state.store.hands()
    (other,) = nearest_of(client, hand, monkeypatch)
    assert other["number"] == hand.nearest
    assert other["sentence"].startswith("most alike pair of pages: likeness ")


def test_a_fragment_for_htmx_has_no_frame(client, hands):
    address = hands[0]["addresses"]["nearest"]
    whole, bare = client.get(address).text, client.get(address, headers={"HX-Request": "true"}).text
    assert "<html" in whole
    assert "<html" not in bare
    assert "Merge" in bare

"""The history of decisions: undo, contradictions, files."""

import pytest


@pytest.fixture
def decide(post):
    def send(first, second, verdict):
        answer = post("/compare.json", first=first, second=second, verdict=verdict)
        return answer.json()["decision"]

    return send


def listed(client):
    return client.get("/decisions.json").json()


def test_the_newest_decision_stands_first(client, decide, page_ids):
    ids = [decide(page_ids[0], page_ids[1], "same"), decide(page_ids[0], page_ids[4], "different")]
    assert [decision["id"] for decision in listed(client)["decisions"]] == ids[::-1]


def test_what_is_undone_counts_no_longer_and_can_be_brought_back(client, post, decide, page_ids):
    decide(page_ids[0], page_ids[1], "same")
    post(listed(client)["decisions"][0]["undo"])
    assert listed(client)["in_force"] == 0
    undone = listed(client)["decisions"][1]
    assert undone["bring_back"]
    post(undone["bring_back"])
    assert listed(client)["in_force"] == 1
    said = [decision["sentence"].partition(":")[0] for decision in listed(client)["decisions"]]
    assert said[:2] == ["brought back", "taken back"]


def test_times_are_shown_to_the_minute(client, decide, page_ids):
    decide(page_ids[0], page_ids[1], "same")
    time = listed(client)["decisions"][0]["time"]
    assert f">{time[:10]} {time[11:16]}</time>" in client.get("/decisions").text


def test_undo_goes_back_to_where_it_was_pressed(post, client, decide, page_ids):
    decide(page_ids[0], page_ids[1], "same")
    undo = listed(client)["decisions"][0]["undo"]
    assert post(undo, back="/hands/1").headers["location"] == "/hands/1"


def test_undoing_nothing_is_said(post):
    assert post("/decisions/none/undo").status_code == 404


def test_contradictions_stand_on_top(client, decide, page_ids):
    a, b, c = page_ids[:3]
    ids = {decide(a, b, "same"), decide(b, c, "same"), decide(a, c, "different")}
    (contradiction,) = listed(client)["contradictions"]
    assert {decision["id"] for decision in contradiction["decisions"]} == ids
    text = client.get("/decisions").text
    assert text.index("cannot all be right") < text.index("Hands for other programs")


def test_decisions_go_to_another_catalogue_by_a_file(client, post, decide, page_ids, catalogue):
    decide(page_ids[0], page_ids[1], "same")
    file = client.get(listed(client)["file"])
    assert "attachment" in file.headers["content-disposition"]
    (catalogue / "decisions.jsonl").unlink()
    assert listed(client)["total"] == 0
    answer = post("/decisions/import", files={"decisions": ("d.jsonl", file.content)})
    assert answer.status_code == 303
    assert listed(client)["in_force"] == 1


@pytest.mark.parametrize("content", [b"", b"\x00\xff", b'{"format": "other"}\n'])
def test_a_file_that_holds_no_decisions_is_refused(post, content):
    answer = post("/decisions/import", files={"decisions": ("d.jsonl", content)})
    assert answer.status_code in (303, 400)

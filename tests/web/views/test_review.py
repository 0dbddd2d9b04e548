"""The review queue."""

import pytest


@pytest.fixture
def question(reader):
    """The first question, asked by a server of the catalogue whose copy a test may change."""
    return reader.get("/review.json").json()


def test_the_copy_of_a_catalogue_asks_the_same(client, question):
    assert client.get("/review.json").json() == question


def test_a_question_is_a_comparison(question):
    assert question["question"]["k"] == 1
    assert question["question"]["open"] >= 1
    assert question["first"]["page"] != question["second"]["page"]
    assert question["sentence"]


def test_an_answer_leads_to_the_next_question(client, post, question):
    answer = post(
        "/compare",
        first=question["first"]["page"],
        second=question["second"]["page"],
        verdict="unsure",
        answered=question["question"]["answered"],
        skip=0,
        seen=question["seen"],
    )
    assert answer.headers["location"].startswith("/review?answered=1&done=")


def test_after_the_last_question_it_says_so(client, question):
    page = client.get(f"/review?skip={question['question']['open']}")
    assert "No more questions" in page.text


def test_where_hands_are_outdated_more_questions_come_by_grouping_anew(
    client, post, question, monkeypatch
):
    monkeypatch.setattr("dgmp.web.store.AT_ONCE", 0)
    pair = {"first": question["first"]["page"], "second": question["second"]["page"]}
    post("/compare", pair, verdict="same")
    assert "Group anew" in client.get("/review?skip=99").text


def test_what_is_counted_is_what_was_answered_and_what_is_open_now(client, post, question):
    pair = {"first": question["first"]["page"], "second": question["second"]["page"]}
    post("/compare", pair, verdict="unsure")
    after = client.get("/review.json?answered=1").json()["question"]
    left = len(client.app.state.store.questions())
    assert (after["open"] if after else 0) == left
    assert " of " not in question["question"]["counted"]
    assert after is None or after["counted"].startswith("1 answered, ")


def test_a_question_can_be_passed_over(client, question):
    second = client.get("/review.json?skip=1").json()
    assert second["question"]["k"] == 2 or second["question"] is None


def test_what_was_answered_is_not_asked_again(client, post, question):
    pair = {"first": question["first"]["page"], "second": question["second"]["page"]}
    post("/compare", pair, verdict="unsure")
    again = client.get("/review.json").json()
    asked = {again["first"]["page"], again["second"]["page"]} if again["question"] else set()
    assert asked != set(pair.values())


def test_there_are_no_questions_before_pages_are_grouped(catalogue, client):
    (catalogue / "hands.json").unlink()
    assert "no questions before" in client.get("/review").text

"""The review queue."""

import pytest


@pytest.fixture
def question(client):
    return client.get("/review.json").json()


def test_a_question_is_a_comparison(question):
    assert question["question"]["k"] == 1
    assert question["question"]["n"] >= 1
    assert question["first"]["page"] != question["second"]["page"]
    assert question["sentence"]


def test_an_answer_leads_to_the_next_question(client, post, question):
    answer = post(
        "/compare",
        first=question["first"]["page"],
        second=question["second"]["page"],
        verdict="unsure",
        question=1,
        seen=question["seen"],
    )
    assert answer.headers["location"].startswith("/review?k=2&done=")


def test_after_the_last_question_more_can_be_looked_for(client, question):
    page = client.get(f"/review?k={question['question']['n'] + 1}")
    assert "Look for more questions" in page.text


def test_what_was_answered_is_not_asked_again(client, post, question):
    pair = {"first": question["first"]["page"], "second": question["second"]["page"]}
    post("/compare", pair, verdict="unsure")
    again = client.get("/review.json").json()
    asked = {again["first"]["page"], again["second"]["page"]} if again["question"] else set()
    assert asked != set(pair.values())


def test_there_are_no_questions_before_pages_are_grouped(catalogue, client):
    (catalogue / "hands.json").unlink()
    assert "no questions before" in client.get("/review").text

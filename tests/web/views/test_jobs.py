"""Long work: started, shown, stopped."""

import threading
import time

import pytest


def wait_until(condition):
    end = time.monotonic() + 120
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    assert condition()


def states(client):
    return [job["state"] for job in client.get("/jobs.json").json()["jobs"]]


def test_grouping_anew_is_a_job(client, post):
    before = client.app.state.store.grouped().time
    assert post("/jobs", kind="regroup").headers["location"] == "/jobs"
    wait_until(lambda: states(client) == ["done"])
    assert client.app.state.store.grouped().time >= before
    assert "done" in client.get("/jobs").text


def test_describing_more_pages_finds_new_ones(client, post, page_ids):
    assert client.get("/jobs.json").json()["folders"]
    post("/jobs", kind="describe")
    wait_until(lambda: states(client) == ["done"])
    assert client.get("/jobs.json").json()["pages"] == len(page_ids)


def test_a_job_shows_how_far_it_is_and_can_be_stopped(client, post):
    going, seen = threading.Event(), threading.Event()

    def work(stage, stopping):
        progress = stage("counting", 100)
        progress(7)
        going.set()
        seen.wait(30)
        for _ in range(93):
            progress(1)

    job = client.app.state.store.jobs.start("count", work)
    going.wait(30)
    page = client.get("/jobs").text
    assert 'max="100" value="7"' in page
    assert "counting, 7 of 100" in page
    assert post(f"/jobs/{job.id}/stop").status_code == 303
    seen.set()
    wait_until(lambda: states(client) == ["stopped"])


def test_a_job_that_cannot_be_done_says_what_it_needs(client, post, monkeypatch, tmp_path):
    monkeypatch.setattr("dgmp.web.words.SHIPPED_WORDS", tmp_path / "nowhere")
    post("/jobs", kind="words")
    wait_until(lambda: states(client) == ["failed"])
    assert "dgmp train words" in client.get("/jobs").text


@pytest.mark.parametrize(("address", "status"), [("/jobs", 400), ("/jobs/99/stop", 404)])
def test_what_is_no_job_is_refused(post, address, status):
    assert post(address, kind="dance").status_code == status

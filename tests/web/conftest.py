"""A small catalogue of synthetic pages, described once for all tests of the page."""

import fcntl
import os
import re
import shutil
from contextlib import contextmanager

import pytest
from PIL import Image
from starlette.testclient import TestClient
from word_models import save_word_model

from dgmp.catalogue import Catalogue
from dgmp.synthetic import synthesize
from dgmp.tasks import describe, group, index_words
from dgmp.web import create_app

HOME = "http://127.0.0.1"


@pytest.fixture(scope="session")
def described(tmp_path_factory):
    """Three writers with four pages each, one of which is taken for a hand of its own."""
    with once(tmp_path_factory, "web") as (shared, done):
        if not done:
            synthesize(shared / "scans", writers=3, pages=4, seed=7)
            for scan in (shared / "scans").rglob("*.jpg"):  # a part takes half the time
                Image.open(scan).crop((0, 0, 620, 620)).save(scan)
            describe(shared / "scans", shared / "catalogue")
            group(shared / "catalogue")
    return shared / "catalogue"


@pytest.fixture(scope="session")
def spotted(described, tmp_path_factory):
    """The first pages of two writers, looked at for words by a small network in ``model``."""
    with once(tmp_path_factory, "spotted") as (shared, done):
        if not done:
            made = Catalogue.open(shutil.copytree(described, shared / "catalogue"))
            ids = sorted(made.paths())
            made.drop([id for id in ids if id not in (ids[4], ids[8])])
            index_words(made.folder, save_word_model(shared / "model"))
    return shared / "catalogue"


@contextmanager
def once(tmp_path_factory, name):
    """A folder that one of the test processes fills, while the others wait; and whether it did."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    shared.mkdir(exist_ok=True)
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield shared, (shared / "done").exists()
        (shared / "done").touch()


@pytest.fixture(autouse=True)
def little_evidence(monkeypatch):
    """A comparison takes a while."""
    monkeypatch.setattr("dgmp.web.store.EVIDENCE_AT_ONCE", 1)


@pytest.fixture(scope="session")
def reader(described):
    """A client for looking only: what it has found out once serves all tests."""
    with TestClient(create_app(described, read_only=True), HOME) as client:
        yield client


@pytest.fixture
def catalogue(described, tmp_path):
    """A copy that a test may change."""
    return shutil.copytree(described, tmp_path / "shelf 7")


@pytest.fixture(scope="session")
def page_ids(described):
    return sorted(Catalogue.open(described).paths())


@pytest.fixture
def client(catalogue):
    with TestClient(create_app(catalogue), HOME) as client:
        yield client


@pytest.fixture
def post(client):
    """Send a form as a page of the server does; gives the answer, redirects not followed."""

    def send(address, fields=None, files=None, **more):
        found = re.search(r'name="csrf" value="([^"]+)"', client.get("/hands").text)
        data = {"csrf": found[1], **(fields or {}), **more}
        return client.post(
            address, data=data, files=files, headers={"Origin": HOME}, follow_redirects=False
        )

    return send


@pytest.fixture
def first_hand(client):
    """The hand that is asked about first, as JSON."""
    return client.get(client.get("/hands.json").json()["hands"][0]["address"] + ".json").json()

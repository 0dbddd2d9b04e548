"""Held-out pages are scored as described and classified pages are."""

from dataclasses import replace

import numpy as np
import pytest
from lightning_fabric import Fabric

from dgmp.describers import LearnedClassifier, LearnedDescriber, classify_pages, describe_pages
from dgmp.errors import CorpusError
from dgmp.evaluation import score_scripts, score_writers
from dgmp.models import InputSpec
from dgmp.pixels import open_store
from dgmp.training.validation import validate

FABRIC = Fabric(accelerator="cpu", devices=1)


@pytest.fixture(scope="module")
def store(hands, tmp_path_factory):
    pages = [replace(page, script=f"script {page.writer}") for page in hands.pages]
    return open_store(tmp_path_factory.mktemp("store"), pages)


@pytest.fixture
def model(tiny):
    def make(classes=None):
        found = tiny(classes=classes)
        looks_at = InputSpec(
            patch=256, stride=256, side=32, standardization=found.input.standardization
        )
        return replace(found, input=looks_at)

    return make


def test_writers_are_scored_by_map(store, model):
    pages = store.pages[2:9]
    described = describe_pages(pages, LearnedDescriber(model()), read=store.read)
    expected = score_writers(pages, described.descriptors.vectors, resamples=0).map
    assert validate(model(), store, range(2, 9), FABRIC) == pytest.approx(expected)


def test_scripts_are_scored_by_accuracy(store, model):
    scripts = tuple(sorted({page.script for page in store.pages}))
    found = classify_pages(store.pages, LearnedClassifier(model(scripts)), read=store.read)
    expected = score_scripts(store.pages, found.probabilities, scripts, resamples=0).accuracy
    assert validate(model(scripts), store, range(len(store)), FABRIC) == pytest.approx(expected)


def test_pages_that_cannot_be_described_are_an_error(store, model, monkeypatch):
    blank = np.full((300, 300), 255, np.uint8)
    monkeypatch.setattr(
        type(store), "read", lambda self, page: replace(store.image(0), page=page, pixels=blank)
    )
    with pytest.raises(CorpusError, match="no validation page could be described"):
        validate(model(), store, range(4), FABRIC)

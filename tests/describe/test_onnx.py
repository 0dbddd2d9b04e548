"""Models as ONNX files: the same numbers, and all that is needed to use them inside."""

import json
import sys

import numpy as np
import pytest

from dgmp.describe.learned import LearnedDescriber, classify_page
from dgmp.describe.onnx import export_model
from dgmp.errors import MissingExtra
from dgmp.models import InputSpec, load_model

from .test_learned import page


def run_onnx(path, image):
    """What someone does who has the file alone."""
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(str(path))
    about = json.loads(session.get_modelmeta().custom_metadata_map["dgmp"])
    looks_at = InputSpec.from_json(about["input"])
    squares = looks_at.standardization(looks_at.squares(image))[:, None]
    return about, session.run(None, {session.get_inputs()[0].name: squares})[0]


def test_an_exported_describer_describes_a_page_as_it_did_in_torch(runs, tmp_path, capfd):
    model = load_model(runs / "writers")
    export_model(model, tmp_path / "model.onnx")
    assert capfd.readouterr().err == ""
    assert [file.name for file in tmp_path.iterdir()] == ["model.onnx"]
    about, vectors = run_onnx(tmp_path / "model.onnx", page())
    mean = vectors.mean(axis=0)
    expected = LearnedDescriber(model).describe_page(page())
    np.testing.assert_allclose(mean / np.linalg.norm(mean), expected, atol=1e-4)
    assert about["gives"] == "vector"
    assert about["sha256"] == model.digest


def test_an_exported_classifier_gives_the_probabilities_of_its_classes(tiny, tmp_path):
    model = tiny("avg", classes=("a", "b", "c"))  # without a solver in the graph: quicker
    export_model(model, tmp_path / "model.onnx")
    about, shares = run_onnx(tmp_path / "model.onnx", page())
    np.testing.assert_allclose(shares.mean(axis=0), classify_page(model, page()), atol=1e-4)
    assert about["gives"] == "probabilities"
    assert about["classes"] == ["a", "b", "c"]


def test_without_onnx_the_extra_is_named(tiny, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    monkeypatch.delitem(sys.modules, "dgmp.pooling.export", raising=False)
    with pytest.raises(MissingExtra, match=r"dgmp\[export\]"):
        export_model(tiny(), tmp_path / "model.onnx")

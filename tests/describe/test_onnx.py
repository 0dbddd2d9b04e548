"""Models as ONNX files: the same numbers, and all that is needed to use them inside."""

import json
import sys

import numpy as np
import pytest
import torch

from dgmp.describe.learned import LearnedDescriber, classify_page
from dgmp.describe.onnx import export_model
from dgmp.errors import DgmpError, MissingExtra
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


@pytest.mark.parametrize("name", ["writers", "scripts"])
def test_an_exported_model_describes_a_page_as_it_did_in_torch(runs, tmp_path, name, capfd):
    model = load_model(runs / name)
    export_model(model, tmp_path / "model.onnx")
    assert [file.name for file in tmp_path.iterdir()] == ["model.onnx"]
    about, found = run_onnx(tmp_path / "model.onnx", page())
    mean = found.mean(axis=0)
    if name == "writers":
        mean /= np.linalg.norm(mean)
        expected = LearnedDescriber(model).describe_page(page())
        assert about["gives"] == "vector"
    else:
        expected = classify_page(model, page())
        assert about["gives"] == "probabilities"
        assert about["classes"] == list(model.classes)
    np.testing.assert_allclose(mean, expected, atol=1e-4)
    assert about["sha256"] == model.digest
    assert capfd.readouterr().err == ""


def test_a_network_that_is_not_finite_leaves_the_old_file(tiny, tmp_path):
    model = tiny("avg")
    torch.nn.init.constant_(model.network.layer3[2].bn2.weight, float("nan"))
    path = tmp_path / "model.onnx"
    path.write_text("old")
    with pytest.raises(DgmpError, match="was not written"):
        export_model(model, path)
    assert path.read_text() == "old"


def test_without_onnx_the_extra_is_named(tiny, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    monkeypatch.delitem(sys.modules, "dgmp.pooling.export", raising=False)
    with pytest.raises(MissingExtra, match=r"dgmp\[export\]"):
        export_model(tiny(), tmp_path / "model.onnx")

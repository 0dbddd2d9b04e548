"""Models as ONNX files: the same numbers, and all that is needed to use them inside."""

import json
import shutil
import sys

import numpy as np
import pytest
import torch

from dgmp.corpora import open_corpus
from dgmp.describers import LearnedClassifier, LearnedDescriber
from dgmp.errors import DgmpError, MissingExtra
from dgmp.files import from_plain
from dgmp.models import InputSpec, ModelSpec, TrainedModel, load_model, save_model
from dgmp.pixels import prepare_page
from dgmp.tasks import export, export_model


@pytest.fixture
def smaller(tiny):
    """A function that makes a model whose network is exported sooner than that of ``tiny``."""

    def make(pooling, options, classes=None):
        spec = ModelSpec("resnet8", pooling, options)
        torch.manual_seed(0)
        network = spec.build(None if classes is None else len(classes)).eval()
        for block in (network.layer1, network.layer2, network.layer3):
            torch.nn.init.ones_(block.bn2.weight)  # zero at the start, which hides the branches
        return TrainedModel(network, spec, tiny().input, classes, {"task": "test"})

    return make


@pytest.fixture
def image(hands, tiny):
    """A page, prepared as for all small models."""
    return prepare_page(open_corpus(hands).pages[0], tiny().input.preparation)


def run_onnx(path, image):
    """What someone does who has the file alone."""
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(str(path))
    about = json.loads(session.get_modelmeta().custom_metadata_map["dgmp"])
    looks_at = from_plain(about["input"], InputSpec, path)
    patches = looks_at.standardization(looks_at.patches(image))[:, None]
    return about, session.run(None, {session.get_inputs()[0].name: patches})[0]


def test_an_exported_run_describes_a_page_as_it_did_in_torch(smaller, tmp_path, image, capfd):
    run = tmp_path / "run"
    save_model(smaller("gmp", {"relative": True, "center": True}), run)
    before = {file.name for file in run.iterdir()}
    path, about = export(run)
    assert capfd.readouterr().err == ""
    assert path == run / "model.onnx"
    assert {file.name for file in run.iterdir()} - before == {"model.onnx"}
    written, vectors = run_onnx(path, image)
    mean = vectors.mean(axis=0)
    model = load_model(run)
    expected = LearnedDescriber(model).describe_page(image)
    np.testing.assert_allclose(mean / np.linalg.norm(mean), expected, atol=1e-4)
    assert written == json.loads(json.dumps(about))
    assert about["gives"] == "vector"
    assert about["sha256"] == model.digest


def test_an_exported_classifier_gives_the_probabilities_of_its_classes(smaller, tmp_path, image):
    model = smaller("avg", {}, ("a", "b", "c"))  # without a solver in the graph: quicker
    export_model(model, tmp_path / "model.onnx")
    about, shares = run_onnx(tmp_path / "model.onnx", image)
    expected = LearnedClassifier(model).classify_page(image)
    np.testing.assert_allclose(shares.mean(axis=0), expected, atol=1e-4)
    assert about["gives"] == "probabilities"
    assert about["classes"] == ["a", "b", "c"]


def test_a_place_that_cannot_be_written_to_is_refused_before_the_work(runs, tmp_path):
    with pytest.raises(DgmpError, match="cannot be written: it is a folder"):
        export(runs / "writers", tmp_path)


def test_a_describer_that_is_no_network_is_refused(tmp_path, classical_scripts):
    folder = shutil.copytree(classical_scripts, tmp_path / "classical")
    with pytest.raises(DgmpError, match="this needs a network by dgmp train"):
        export(folder)


def test_without_onnx_the_extra_is_named(tiny, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    monkeypatch.delitem(sys.modules, "dgmp.pooling.export", raising=False)
    with pytest.raises(MissingExtra, match=r"pip install 'dgmp\[export\]'"):
        export_model(tiny(), tmp_path / "model.onnx")

"""ONNX files against PyTorch, at sizes they were not traced with."""

import onnxruntime
import pytest
import torch
from torch import nn

from dgmp.errors import DgmpError
from dgmp.models import resnet18
from dgmp.pooling import AttentiveGeneralizedMaxPool, GeneralizedMaxPool
from dgmp.pooling.export import export_onnx

pytestmark = pytest.mark.filterwarnings("ignore")  # the exporter's own
SIZES = [(1, 5, 9), (4, 14, 14), (3, 1, 1)]  # 24 channels: dual, primal, dual


def run(path, *inputs):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [entry.name for entry in session.get_inputs()]
    feed = {name: x.numpy() for name, x in zip(names, inputs, strict=True)}
    return torch.from_numpy(session.run(None, feed)[0])


def maps(batch, height, width, channels=24):
    generator = torch.Generator().manual_seed(height)
    return torch.randn(batch, channels, height, width, generator=generator).relu()


def worst(path, model, *inputs):
    with torch.no_grad():
        ours = model(*inputs)
    return ((run(path, *inputs) - ours).abs().max() / ours.abs().max()).item()


@pytest.mark.parametrize(
    "layer",
    [
        GeneralizedMaxPool(),
        GeneralizedMaxPool(1e-3, relative=True),
        GeneralizedMaxPool(0.1, relative=True, center=24),
    ],
    ids=["absolute", "relative", "centred"],
)
def test_the_layer_alone(layer, tmp_path):
    path = tmp_path / "layer.onnx"
    if layer.mean is not None:
        layer.mean.running_mean.fill_(0.4)
    export_onnx(layer, path, maps(2, 7, 6))
    layer.eval()
    for size in SIZES:
        assert worst(path, layer, maps(*size)) < 1e-4


@pytest.mark.parametrize(
    "layer",
    [GeneralizedMaxPool(0.05, relative=True), AttentiveGeneralizedMaxPool(24, 0.05, relative=True)],
    ids=["gmp", "attentive"],
)
def test_masks_are_part_of_the_graph(layer, tmp_path):
    path = tmp_path / "masked.onnx"
    export_onnx(layer, path, maps(2, 7, 6), torch.rand(2, 7, 6) > 0.5)
    layer.eval()
    for batch, height, width in SIZES:
        mask = torch.rand(batch, height, width) > 0.3
        mask[-1] = False  # an image without any position
        pooled = run(path, maps(batch, height, width), mask)
        assert (pooled[-1] == 0).all()
        mask[:, 0] = True
        assert worst(path, layer, maps(batch, height, width), mask) < 1e-4


def test_inside_a_network_with_a_mask_of_the_image(tmp_path):
    torch.manual_seed(0)
    model = resnet18(pooling=GeneralizedMaxPool(0.1, relative=True, center=512), classes=None)
    path = tmp_path / "network.onnx"
    export_onnx(model, path, torch.randn(2, 3, 96, 64), torch.ones(2, 96, 64, dtype=torch.bool))
    assert model.training
    model.eval()
    for batch, height, width in [(1, 100, 70), (3, 64, 129), (2, 33, 32)]:
        mask = torch.zeros(batch, height, width, dtype=torch.bool)
        mask[:, :32, :32] = True
        mask[0] = True
        assert worst(path, model, torch.randn(batch, 3, height, width), mask) < 1e-4


def test_nothing_is_written_when_the_graph_disagrees(tmp_path):
    class Broken(nn.Module):
        def forward(self, features):
            return GeneralizedMaxPool()(features) * torch.nan

    path = tmp_path / "broken.onnx"
    with pytest.raises(DgmpError, match="was not written"):
        export_onnx(Broken(), path, maps(2, 7, 6))
    assert not path.exists()


def test_too_many_inputs_are_refused(tmp_path):
    with pytest.raises(ValueError, match="perhaps a mask: got 3"):
        export_onnx(GeneralizedMaxPool(), tmp_path / "x.onnx", *[maps(1, 2, 2)] * 3)

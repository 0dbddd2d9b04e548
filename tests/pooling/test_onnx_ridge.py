"""The operator in ONNX against PyTorch, at sizes it was not traced with."""

import pytest
import torch

from dgmp.pooling import AttentiveGeneralizedMaxPool, GeneralizedMaxPool
from dgmp.pooling.export import export_onnx

from .onnx_files import maps, run, worst

pytestmark = pytest.mark.filterwarnings("ignore")  # the exporter's own
SIZES = [(1, 5, 9), (4, 14, 14), (3, 1, 1)]  # 24 channels: dual, primal, dual


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

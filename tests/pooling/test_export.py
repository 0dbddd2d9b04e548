"""ONNX files against PyTorch, at sizes they were not traced with."""

import pytest
import torch
from torch import nn

from dgmp.errors import DgmpError
from dgmp.models import resnet18
from dgmp.pooling import GeneralizedMaxPool
from dgmp.pooling.export import export_onnx

from .onnx_files import maps, worst

pytestmark = pytest.mark.filterwarnings("ignore")  # the exporter's own


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

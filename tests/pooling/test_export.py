"""ONNX files against PyTorch, at sizes they were not traced with."""

import sys

import onnx
import pytest
import torch
from torch import nn

from dgmp.errors import DgmpError
from dgmp.models import Backbone
from dgmp.pooling import (
    POOLINGS,
    GeneralizedMaxPool,
    generalized_sum,
    make_pooling,
    onnx_translations,
)
from dgmp.pooling.export import export_onnx

from .onnx_files import maps, worst
from .small_poolings import SMALL

pytestmark = pytest.mark.filterwarnings("ignore")  # the exporter's own


class Stem(Backbone):
    """The smallest network that halves its image twice; a deeper one takes longer to export."""

    stride, map_channels, mean, std = 4, 24, (0.5,) * 3, (0.5,) * 3

    def __init__(self, pooling):
        super().__init__()
        self.in_channels = 3
        self.layers = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.Conv2d(8, 24, 3, stride=2, padding=1),
        )
        self.attach_head(pooling, None)

    def features(self, images):
        return self.layers(images)


def test_inside_a_network_with_a_mask_of_the_image(tmp_path):
    torch.manual_seed(0)
    model = Stem(GeneralizedMaxPool(0.1, relative=True, center=24))
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
            return features.mean((2, 3)) * torch.nan

    path = tmp_path / "broken.onnx"
    with pytest.raises(DgmpError, match="was not written"):
        export_onnx(Broken(), path, maps(2, 7, 6))
    assert not path.exists()


def test_too_many_inputs_are_refused(tmp_path):
    with pytest.raises(ValueError, match="perhaps a mask: got 3"):
        export_onnx(GeneralizedMaxPool(), tmp_path / "x.onnx", *[maps(1, 2, 2)] * 3)


class AllPoolings(nn.Module):
    def __init__(self):
        super().__init__()
        self.poolings = nn.ModuleList(
            make_pooling(name, channels=24, **SMALL.get(name, {})) for name in POOLINGS
        )

    def forward(self, features):
        return torch.cat([pooling(features) for pooling in self.poolings], dim=1)


def test_a_file_with_every_pooling_passes_the_full_check(tmp_path, monkeypatch):
    monkeypatch.setattr(generalized_sum, "_BISECTIONS", 4)  # each is in the graph
    path = tmp_path / "poolings.onnx"
    model = AllPoolings()
    export_onnx(model, path, maps(2, 4, 5))
    onnx.checker.check_model(path, full_check=True)
    assert worst(path, model, maps(3, 6, 7)) < 1e-4


def test_plain_export_finds_the_translation_it_is_given():
    program = torch.onnx.export(
        GeneralizedMaxPool().eval(),
        (maps(2, 4, 5),),
        dynamo=True,
        custom_translation_table=onnx_translations(),
        verbose=False,
    )
    onnx.checker.check_model(program.model_proto, full_check=True)


def test_plain_export_without_it_is_told_where_it_is(monkeypatch):
    monkeypatch.delitem(sys.modules, "dgmp.pooling.onnx_ridge")
    with pytest.raises(Exception, match=r"use dgmp\.pooling\.export_onnx"):
        torch.onnx.export(GeneralizedMaxPool().eval(), (maps(2, 4, 5),), dynamo=True, verbose=False)

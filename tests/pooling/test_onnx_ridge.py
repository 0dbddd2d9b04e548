"""The operator in ONNX against PyTorch, at sizes it was not traced with."""

import onnx
import pytest
import torch
from torch import nn

from dgmp.pooling import AttentiveGeneralizedMaxPool, GeneralizedMaxPool
from dgmp.pooling.export import export_onnx

from .onnx_files import maps, run

pytestmark = pytest.mark.filterwarnings("ignore")  # the exporter's own
SIZES = [(1, 5, 9), (4, 14, 14), (3, 1, 1)]  # 24 channels: dual, primal, dual
LAYERS = {
    "energy": GeneralizedMaxPool(),
    "absolute": GeneralizedMaxPool(2.0),
    "relative": GeneralizedMaxPool(1e-3, relative=True),
    "centred": GeneralizedMaxPool(0.1, relative=True, center=24),
    "small ridge": GeneralizedMaxPool(1e-5, relative=True, normalize=False),
}
MASKED = {
    "energy": GeneralizedMaxPool(),
    "gmp": GeneralizedMaxPool(0.05, relative=True),
    "attentive": AttentiveGeneralizedMaxPool(24, 0.05, relative=True),
}


class Beside(nn.Module):
    """The vectors of several layers, one after the other, so that one file holds them all."""

    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, features, mask=None):
        return torch.cat([layer(features, mask) for layer in self.layers], dim=1)


class Exported:
    """A file with the layers of a table."""

    def __init__(self, path, layers, *mask):
        self.path, self.names, self.model = path, list(layers), Beside(layers.values()).eval()
        export_onnx(self.model, path, maps(2, 7, 6), *mask)

    def pooled(self, name, *inputs):
        """What onnxruntime makes of one layer."""
        return run(self.path, *inputs).split(24, dim=1)[self.names.index(name)]

    def worst(self, name, *inputs):
        """The largest difference of one layer, relative to its largest value."""
        with torch.no_grad():
            ours = self.model.layers[self.names.index(name)](*inputs)
        return ((self.pooled(name, *inputs) - ours).abs().max() / ours.abs().max()).item()


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    LAYERS["centred"].mean.running_mean.fill_(0.4)
    return Exported(tmp_path_factory.mktemp("exported") / "plain.onnx", LAYERS)


@pytest.fixture(scope="module")
def masked(tmp_path_factory):
    path = tmp_path_factory.mktemp("exported") / "masked.onnx"
    return Exported(path, MASKED, torch.rand(2, 7, 6) > 0.5)


@pytest.mark.parametrize("name", LAYERS)
def test_the_layer_without_a_mask(name, plain):
    for size in SIZES:
        assert plain.worst(name, maps(*size)) < 1e-4


@pytest.mark.parametrize("scale", [1e-15, 1.0, 1e15])
def test_an_ill_conditioned_batch_is_solved_in_float64(scale, plain):
    alike = maps(2, 3, 3)[:, :, :1, :1].expand(2, 24, 6, 6).contiguous() * scale
    assert plain.worst("small ridge", alike) < 1e-4


@pytest.mark.parametrize("name", LAYERS)
def test_features_that_are_no_numbers_show(name, plain):
    assert plain.pooled(name, maps(2, 4, 5) * torch.nan).isnan().all()


@pytest.mark.parametrize("name", MASKED)
def test_masks_are_part_of_the_graph(name, masked):
    for batch, height, width in SIZES:
        mask = torch.rand(batch, height, width) > 0.3
        mask[-1] = False  # an image without any position
        assert (masked.pooled(name, maps(batch, height, width), mask)[-1] == 0).all()
        mask[:, 0] = True
        assert masked.worst(name, maps(batch, height, width), mask) < 1e-4


def test_the_file_with_a_mask_passes_the_full_check(masked):
    onnx.checker.check_model(masked.path, full_check=True)

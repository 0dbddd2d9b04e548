"""The operator in ONNX against PyTorch, at sizes it was not traced with."""

import onnx
import pytest
import torch

from dgmp.pooling import AttentiveGeneralizedMaxPool, GeneralizedMaxPool
from dgmp.pooling.export import export_onnx

from .onnx_files import maps, run, worst

pytestmark = pytest.mark.filterwarnings("ignore")  # the exporter's own
SIZES = [(1, 5, 9), (4, 14, 14), (3, 1, 1)]  # 24 channels: dual, primal, dual
LAYERS = {
    "absolute": GeneralizedMaxPool(),
    "relative": GeneralizedMaxPool(1e-3, relative=True),
    "centred": GeneralizedMaxPool(0.1, relative=True, center=24),
}
MASKED = {
    "gmp": GeneralizedMaxPool(0.05, relative=True),
    "attentive": AttentiveGeneralizedMaxPool(24, 0.05, relative=True),
}


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A function that gives the file of a layer, without a mask or with one; each is made once."""
    folder, files = tmp_path_factory.mktemp("exported"), {}

    def export(name, layer, *mask):
        if name not in files:
            files[name] = folder / f"{name}.onnx"
            export_onnx(layer, files[name], maps(2, 7, 6), *mask)
            layer.eval()
        return files[name]

    return export


@pytest.mark.parametrize("name", LAYERS)
def test_the_layer_alone(name, exported):
    layer = LAYERS[name]
    if layer.mean is not None:
        layer.mean.running_mean.fill_(0.4)
    path = exported(name, layer)
    for size in SIZES:
        assert worst(path, layer, maps(*size)) < 1e-4


def test_a_ridge_that_is_no_number_shows(exported):
    path = exported("absolute", LAYERS["absolute"])
    assert run(path, maps(2, 4, 5) * torch.nan).isnan().all()


@pytest.mark.parametrize("name", MASKED)
def test_masks_are_part_of_the_graph(name, exported):
    layer = MASKED[name]
    path = exported(name, layer, torch.rand(2, 7, 6) > 0.5)
    for batch, height, width in SIZES:
        mask = torch.rand(batch, height, width) > 0.3
        mask[-1] = False  # an image without any position
        pooled = run(path, maps(batch, height, width), mask)
        assert (pooled[-1] == 0).all()
        mask[:, 0] = True
        assert worst(path, layer, maps(batch, height, width), mask) < 1e-4


def test_the_file_with_a_mask_passes_the_full_check(exported):
    path = exported("default", GeneralizedMaxPool(), torch.rand(2, 7, 6) > 0.5)
    onnx.checker.check_model(path, full_check=True)

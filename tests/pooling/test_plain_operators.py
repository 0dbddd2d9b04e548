"""Programs with the solver written out: the same vectors, without dgmp."""

import shutil

import pytest
import torch
from torch import nn
from torch.export import Dim
from torch.testing import assert_close

from dgmp.pooling import GeneralizedMaxPool, generalized_max_pool, plain_program

pytestmark = pytest.mark.filterwarnings("ignore")  # the exporter's own
FREE = {0: Dim.AUTO, 2: Dim.AUTO, 3: Dim.AUTO}


def written_out(model, example):
    return plain_program(torch.export.export(model.eval(), (example,), dynamic_shapes=(FREE,)))


class Absolute(nn.Module):
    def forward(self, features, mask):
        return generalized_max_pool(features, 2.0, attention=mask)


@pytest.fixture(scope="module")
def of_energy():
    """The layer as it is by default, with its program."""
    layer = GeneralizedMaxPool()
    return layer, written_out(layer, torch.randn(2, 8, 5, 6))


@pytest.fixture(scope="module")
def of_the_paper():
    """The layer with a relative ridge, with its program."""
    layer = GeneralizedMaxPool(0.03, relative=True)
    return layer, written_out(layer, torch.randn(2, 8, 5, 6))


def test_no_operator_of_dgmp_is_left(of_energy, of_the_paper):
    for _, program in (of_energy, of_the_paper):
        assert "dgmp" not in str(program.graph)


@pytest.mark.parametrize("channels", [4, 40], ids=["primal", "dual"])
def test_vectors_are_those_of_the_layer_at_other_sizes(channels):
    layer = GeneralizedMaxPool(0.01, relative=True, center=channels)
    program = written_out(layer, torch.randn(2, channels, 5, 6)).module()
    for shape in [(3, channels, 7, 9), (1, channels, 1, 2)]:
        features = torch.randn(shape)
        assert_close(program(features), layer(features))


@pytest.mark.parametrize("scale", [1e-22, 1e18])
def test_the_whole_range_of_float32_is_pooled(scale, of_the_paper):
    layer, program = of_the_paper
    features = scale * torch.randn(2, 8, 3, 3)
    assert_close(program.module()(features), layer(features))


def test_what_a_mask_covers_does_not_matter():
    features, mask = torch.randn(2, 8, 3, 4), torch.ones(2, 3, 4, dtype=torch.bool)
    mask[:, :, 2:] = False
    covered = features.masked_fill(~mask.unsqueeze(1), torch.nan)
    program = plain_program(torch.export.export(Absolute(), (features, mask))).module()
    assert_close(program(covered, mask), generalized_max_pool(features[..., :2], 2.0))


def test_an_image_that_is_not_finite_spoils_no_other(of_energy):
    layer, program = of_energy
    features = torch.randn(2, 8, 3, 3)
    features[0, 0, 0, 0] = torch.inf
    found = program.module()(features)
    assert found[0].isnan().all()
    assert_close(found[1], layer(features)[1])


RUN = """
import sys, torch
pooled = torch._inductor.aoti_load_package("pool.pt2")(torch.load("features.pt"))
assert "dgmp" not in sys.modules
torch.save(pooled, "pooled.pt")
"""


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_compiled_ahead_of_time_it_runs_where_dgmp_is_not_known(tmp_path, of_the_paper, forks):
    (layer, program), features = of_the_paper, torch.randn(3, 8, 4, 5)
    package = tmp_path / "pool.pt2"
    quickly = {"aot_inductor.compile_wrapper_opt_level": "O0"}
    torch._inductor.aoti_compile_and_package(
        program, package_path=str(package), inductor_configs=quickly
    )
    torch.save(features, tmp_path / "features.pt")
    (tmp_path / "run.py").write_text(RUN)
    done = forks.run(tmp_path / "run.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert_close(torch.load(tmp_path / "pooled.pt"), layer(features))

"""The contract of every backbone, run over the table of them."""

import math
from functools import cache

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from dgmp.errors import UnknownName
from dgmp.models import BACKBONES, make_backbone

from .random_images import images


@cache
def made(name):
    """A backbone with classes, made once: a large one takes longer to fill than to run."""
    return make_backbone(name, classes=3)


@pytest.mark.parametrize("size", [(1, 1), (32, 64), (33, 65), (63, 97)], ids=str)
@pytest.mark.parametrize("name", BACKBONES)
def test_map_has_one_position_per_stride_pixels_begun(name, size):
    model = made(name).eval()
    features = model.features(images(*size))
    positions = [math.ceil(side / model.stride) for side in size]
    assert features.shape == (2, model.map_channels, *positions)


@pytest.mark.parametrize("name", BACKBONES)
def test_one_input_channel_takes_grey_pages(name):
    model = make_backbone(name, in_channels=1).eval()
    assert model(images(channels=1)).shape == (2, model.map_channels)


@pytest.mark.parametrize("name", BACKBONES)
def test_every_parameter_learns_in_one_step(name):
    model = made(name).train()
    nn.functional.cross_entropy(model(images(64, 64)), torch.tensor([0, 2])).backward()
    assert all(parameter.grad is not None for parameter in model.parameters())


def test_backbone_compiles_without_a_break():
    model = make_backbone("resnet20", classes=5).eval()
    compiled = torch.compile(model, backend="eager", fullgraph=True)
    mask = torch.ones(2, 40, 70, dtype=torch.bool)
    assert_close(compiled(images(), mask), model(images(), mask))


@pytest.mark.parametrize("name", ["resnet18", "efficientnet-lite0"])
def test_exported_backbone_takes_other_batches_and_heights(name):
    model = make_backbone(name, classes=5).eval()
    free = {"images": {0: torch.export.Dim.DYNAMIC, 2: torch.export.Dim.DYNAMIC}}
    exported = torch.export.export(model, (images(40, 70),), dynamic_shapes=free).module()
    other = torch.rand(3, 3, 65, 70)
    assert_close(exported(other), model(other))


def test_unknown_name_offers_the_nearest():
    with pytest.raises(
        UnknownName, match="no backbone called 'resnet_50'; did you mean 'resnet50'"
    ):
        make_backbone("resnet_50")


def test_unlike_name_lists_all():
    with pytest.raises(UnknownName, match="choose from resnet18, resnet34"):
        make_backbone("xyz")


def test_option_of_another_backbone_is_refused():
    with pytest.raises(ValueError, match=r"resnet20 has no last_stride; .*stem_stride"):
        make_backbone("resnet20", last_stride=1)

"""ResNet-18, -34, -50: torchvision's names, the two kinds of strides."""

import pytest
import torch
from torch.testing import assert_close

from dgmp.models import make_backbone


def images(size=70):
    return torch.rand(1, 3, size, size, generator=torch.Generator().manual_seed(0))


def torchvision_names(depths, convolutions):
    """The state dict of torchvision's ResNet, by the rule its names follow."""

    def norm(name):
        ends = ("weight", "bias", "running_mean", "running_var", "num_batches_tracked")
        return [f"{name}.{end}" for end in ends]

    names = ["conv1.weight", *norm("bn1")]
    for stage, depth in enumerate(depths, start=1):
        for block in range(depth):
            at = f"layer{stage}.{block}"
            for i in range(1, convolutions + 1):
                names += [f"{at}.conv{i}.weight", *norm(f"{at}.bn{i}")]
            # A bottleneck widens in the first stage already; a basic block keeps its width there.
            if block == 0 and (stage > 1 or convolutions == 3):
                names += [f"{at}.downsample.0.weight", *norm(f"{at}.downsample.1")]
    return [*names, "fc.weight", "fc.bias"]


@pytest.mark.parametrize(
    ("name", "depths", "convolutions", "entries", "parameters"),
    [
        ("resnet18", (2, 2, 2, 2), 2, 122, 11_689_512),
        ("resnet34", (3, 4, 6, 3), 2, 218, 21_797_672),
        ("resnet50", (3, 4, 6, 3), 3, 320, 25_557_032),
    ],
)
def test_names_and_sizes_are_those_of_torchvision(name, depths, convolutions, entries, parameters):
    with torch.device("meta"):
        model = make_backbone(name, classes=1000)
    assert list(model.state_dict()) == torchvision_names(depths, convolutions)
    assert len(model.state_dict()) == entries
    assert sum(parameter.numel() for parameter in model.parameters()) == parameters


def test_last_stride_of_one_doubles_the_map():
    fine, coarse = make_backbone("resnet18", last_stride=1), make_backbone("resnet18")
    assert (fine.stride, coarse.stride) == (16, 32)
    assert fine.eval().features(images(70)).shape == (1, 512, 5, 5)
    assert coarse.eval().features(images(70)).shape == (1, 512, 3, 3)


def test_last_stride_changes_no_name():
    with torch.device("meta"):
        fine, coarse = make_backbone("resnet50", last_stride=1), make_backbone("resnet50")
    assert fine.state_dict().keys() == coarse.state_dict().keys()


def test_strides_in_the_1x1_give_the_same_names_and_sizes_but_another_map():
    torch.manual_seed(0)
    ours, original = make_backbone("resnet50"), make_backbone("resnet50", stride_in_1x1=True)
    original.load_state_dict(ours.state_dict())
    maps = [model.eval().features(images()) for model in (ours, original)]
    assert maps[0].shape == maps[1].shape
    assert not torch.allclose(*maps, rtol=0.1)


def test_strides_in_the_1x1_change_nothing_where_there_is_no_1x1():
    ours, original = make_backbone("resnet18"), make_backbone("resnet18", stride_in_1x1=True)
    original.load_state_dict(ours.state_dict())
    assert_close(ours.eval()(images()), original.eval()(images()))

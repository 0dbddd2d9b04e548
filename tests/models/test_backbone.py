"""What every backbone shares: its head, masks, standardised images, weights at the start."""

import math

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from dgmp.models import BACKBONES, make_backbone
from dgmp.pooling.average import AveragePool
from dgmp.pooling.layer import Pooling

from .random_images import images

SMALL = ["resnet18", "resnet20", "efficientnet-lite0"]


class TwoMoments(Pooling):
    """Mean and mean square side by side: a pooling twice as wide as its map."""

    def __init__(self, channels):
        super().__init__()
        self.channels, self.out_channels = channels, 2 * channels

    def pool(self, phi, weights):
        return torch.cat([phi.mean(2), phi.square().mean(2)], dim=1)


@pytest.mark.parametrize("name", BACKBONES)
def test_without_pooling_and_classes_the_mean_of_the_map_comes_out(name):
    model = make_backbone(name).eval()
    assert_close(model(images()), model.features(images()).mean(dim=(2, 3)))


@pytest.mark.parametrize("name", BACKBONES)
def test_classifier_takes_what_the_pooling_gives(name):
    with torch.device("meta"):
        width = make_backbone(name).map_channels
    model = make_backbone(name, pooling=TwoMoments(width), classes=7).eval()
    assert model.fc.in_features == 2 * width
    assert model(images()).shape == (2, 7)


def test_pooling_for_other_channels_is_refused():
    with pytest.raises(ValueError, match="built for 32 channels, the map of this ResNet20 has 64"):
        make_backbone("resnet20", pooling=TwoMoments(32))


@pytest.mark.parametrize("normalize", [False, True])
def test_scores_of_a_new_network_have_a_spread_of_about_one(normalize):
    torch.manual_seed(0)
    model = make_backbone("resnet8", pooling=AveragePool(normalize=normalize), classes=200)
    pooled = torch.randn(50, 128)
    if normalize:
        pooled = nn.functional.normalize(pooled)
    assert 0.4 < model.fc(pooled).std() < 1.2


@pytest.mark.parametrize("name", SMALL)
def test_masked_positions_are_not_pooled(name):
    model = make_backbone(name, pooling=AveragePool()).eval()
    batch = images(64, 96)
    mask = torch.zeros(2, 64, 96, dtype=torch.bool)
    mask[0, :33, :64] = True  # one pixel over a stride: the second row of positions counts
    mask[1] = True
    rows, columns = math.ceil(33 / model.stride), math.ceil(64 / model.stride)
    features = model.features(batch)
    alone = features[:1, :, :rows, :columns].mean(dim=(2, 3))
    assert_close(model(batch, mask), torch.cat([alone, features[1:].mean(dim=(2, 3))]))


def test_mask_that_covers_everything_changes_nothing():
    model = make_backbone("resnet20").eval()
    batch = images()
    assert_close(model(batch, torch.ones(2, 40, 70, dtype=torch.bool)), model(batch))


def test_mask_of_another_size_is_refused():
    with pytest.raises(ValueError, match=r"one value per pixel .*\(2, 41, 70\)"):
        make_backbone("resnet20")(images(), torch.ones(2, 41, 70, dtype=torch.bool))


def test_standardised_images_have_the_training_mean_and_spread():
    model = make_backbone("resnet18")
    typical = torch.tensor(model.mean).reshape(1, 3, 1, 1)
    spread = torch.tensor(model.std).reshape(1, 3, 1, 1)
    assert_close(model.standardize(typical), torch.zeros(1, 3, 1, 1))
    assert_close(model.standardize(typical + spread), torch.ones(1, 3, 1, 1))


def test_grey_images_are_standardised_by_the_mean_of_the_colours():
    grey = make_backbone("resnet18", in_channels=1)
    assert_close(grey.standardize(torch.full((1, 1, 2, 2), 0.449)), torch.zeros(1, 1, 2, 2))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"last_stride": 3}, "last_stride must be 1 or 2, got 3"),
        ({"in_channels": 2}, "in_channels must be 1 or 3, got 2"),
        ({"classes": 0}, "classes must be positive"),
    ],
    ids=["stride", "channels", "classes"],
)
def test_impossible_structure_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        make_backbone("resnet18", **options)


def test_random_weights_keep_the_scale_of_the_signal():
    features = make_backbone("efficientnet-lite0").features(torch.randn(4, 3, 64, 64))
    assert 0.1 < features.std() < 10

import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from dgmp.errors import UnknownName
from dgmp.spotting.pyramids import PYRAMIDS, make_word_pooling

GMP = {"relative": True}
NAMES = ["avg", "max", "gem", "gmp", "spp-max", "tpp-max", "tpp-avg", "tpp-gmp"]


def features(batch=2, channels=6, height=5, width=13):
    torch.manual_seed(1)
    return torch.rand(batch, channels, height, width, dtype=torch.float64)


@pytest.mark.parametrize("width", [1, 3, 5, 13])
def test_temporal_max_pooling_is_adaptive_pooling_of_one_row(width):
    maps = features(width=width)
    slow = [F.adaptive_max_pool2d(maps, (1, n)) for n in range(1, 6)]
    slow = torch.cat([level.permute(0, 2, 3, 1).flatten(1) for level in slow], dim=1)
    assert_close(make_word_pooling("tpp-max", 6, {})(maps), slow)


def test_spatial_max_pooling_is_adaptive_pooling_of_squares():
    maps = features()
    slow = [F.adaptive_max_pool2d(maps, (n, n)) for n in (1, 2, 4)]
    slow = torch.cat([level.permute(0, 2, 3, 1).flatten(1) for level in slow], dim=1)
    assert_close(make_word_pooling("spp-max", 6, {})(maps), slow)


def test_every_cell_of_temporal_gmp_is_gmp_of_that_cell():
    maps = features(width=10)
    pyramid = make_word_pooling("tpp-gmp", 6, GMP)
    found = pyramid(maps).reshape(2, 15, 6)
    slow = make_word_pooling("gmp", 6, GMP)
    assert_close(found[:, 0], slow(maps))
    assert_close(found[:, 1], slow(maps[..., :5]))
    assert_close(found[:, -1], slow(maps[..., 8:]))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("centred", [False, True])
def test_a_mask_pools_as_the_crop_does(name, centred):
    options = {**GMP, "center": 6 * centred} if name.endswith("gmp") else {}
    pooling = make_word_pooling(name, 6, options).double().eval()
    maps = features()
    mask = torch.zeros(2, 5, 13, dtype=torch.bool)
    mask[0, :4, :7] = True
    mask[1] = True
    together = pooling(maps, mask)
    assert_close(together[:1], pooling(maps[:1, :, :4, :7]))
    assert_close(together[1:], pooling(maps[1:]))


@pytest.mark.parametrize("name", NAMES)
def test_the_width_of_the_vector_is_as_stated(name):
    pooling = make_word_pooling(name, 6, {})
    assert pooling(features()).shape == (2, pooling.out_channels)


def test_gradients_of_temporal_gmp_are_those_of_small_steps():
    pooling = make_word_pooling("tpp-gmp", 3, GMP).double()
    maps = features(1, 3, 2, 6).requires_grad_()
    assert torch.autograd.gradcheck(pooling, (maps,))


def test_an_unknown_pooling_inside_a_pyramid_is_named():
    with pytest.raises(UnknownName, match="'maxx'"):
        make_word_pooling("tpp-maxx", 6, {})


def test_the_published_pyramids_have_15_and_21_cells():
    cells = {name: sum(r * c for r, c in grids) for name, grids in PYRAMIDS.items()}
    assert cells == {"tpp": 15, "spp": 21}

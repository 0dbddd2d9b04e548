import numpy as np
import pytest
import torch
from torch.testing import assert_close

from dgmp.errors import UnknownName
from dgmp.spotting.networks import MaskedNorm, PhocNet, WordResNet, make_word_network
from dgmp.spotting.word_model import stack_words

POOLINGS = {
    "avg": {},
    "max": {},
    "gem": {},
    "spp-max": {},
    "tpp-max": {},
    "gmp": {"relative": True},
    "gmp centred": {"relative": True, "center": True},
    "tpp-gmp": {"relative": True},
    "tpp-gmp centred": {"relative": True, "center": True},
}


def words(*sizes):
    generator = np.random.default_rng(3)
    return [generator.integers(0, 255, size).astype(np.uint8) for size in sizes]


def small(kind, name):
    torch.manual_seed(0)
    options = POOLINGS[name]
    if kind == "phocnet":
        return PhocNet(20, name.split()[0], options, share=16).eval()
    return WordResNet(20, name.split()[0], options, (4, 6, 8, 8)).eval()


@pytest.mark.parametrize("kind", ["word-resnet", "phocnet"])
@pytest.mark.parametrize("name", POOLINGS)
def test_a_word_in_a_padded_batch_gives_what_it_gives_alone(kind, name):
    network = small(kind, name).double()
    batch = words((24, 20), (32, 51), (19, 33))
    images, mask = stack_words(batch)
    together = network(images.double(), mask)
    for row, word in zip(together, batch, strict=True):
        alone, _ = stack_words([word])
        assert_close(network(alone.double())[0], row)


def test_the_padding_may_hold_anything():
    network = small("word-resnet", "tpp-gmp")
    images, mask = stack_words(words((24, 20), (32, 51)))
    other = torch.where(mask.unsqueeze(1), images, 7.0)
    assert_close(network(images, mask), network(other, mask))


def test_masked_normalisation_in_training_is_that_of_the_positions_inside():
    torch.manual_seed(0)
    values = torch.randn(2, 3, 4, 5)
    mask = torch.zeros(2, 4, 5, dtype=torch.bool)
    mask[0, :3, :2] = True
    mask[1] = True
    norm, slow = MaskedNorm(3), torch.nn.BatchNorm1d(3)
    found = norm(values, mask).permute(0, 2, 3, 1)
    assert_close(found[mask], slow(values.permute(0, 2, 3, 1)[mask]))
    assert (found[~mask] == 0).all()
    assert_close(norm.running_var, slow.running_var)


def test_without_padding_a_mask_changes_nothing_in_training():
    torch.manual_seed(0)
    values, whole = torch.randn(2, 3, 4, 5), torch.ones(2, 4, 5, dtype=torch.bool)
    assert_close(MaskedNorm(3)(values, whole), MaskedNorm(3)(values))


def test_the_map_of_the_processor_net_is_an_eighth_high_and_a_quarter_wide():
    network = small("word-resnet", "max")
    maps, _ = network.features(torch.zeros(1, 1, 32, 50), None)
    assert maps.shape[2:] == (4, 13)


def test_phocnet_has_thirteen_convolutions_and_its_published_head():
    with torch.device("meta"):
        network = make_word_network("phocnet", 604, "spp-max", {})
    convolutions = [m for m in network.modules() if isinstance(m, torch.nn.Conv2d)]
    linear = [m for m in network.modules() if isinstance(m, torch.nn.Linear)]
    assert len(convolutions) == 13
    assert [(m.in_features, m.out_features) for m in linear] == [
        (21 * 512, 4096),
        (4096, 4096),
        (4096, 604),
    ]


def test_an_unknown_network_is_named():
    with pytest.raises(UnknownName, match="word network"):
        make_word_network("resnet", 20, "max", {})

"""Targets of energy: a mean in which loud positions count and copies share a vote."""

import pytest
import torch
from torch.testing import assert_close

from dgmp.pooling import GeneralizedMaxPool, energy_max_pool

SIZES = pytest.mark.parametrize(("group", "positions"), [(4, 9), (6, 3), (3, 20)])


def features(channels=6, positions=9, seed=0):
    return torch.randn(
        2,
        channels,
        positions,
        generator=torch.Generator().manual_seed(seed),
        dtype=torch.float64,
    )


def by_the_normal_equations(phi, rho, group, weights=None):
    """Image by image, group by group."""
    counts = torch.ones_like(phi[:, 0]) if weights is None else weights
    vectors = []
    for image, count in zip(phi, counts, strict=True):
        parts = []
        for part in image.split(group):
            energy = part.square().sum(0)
            ridge = rho * (count * energy).sum()
            gram = part @ torch.diag(count) @ part.T + ridge * torch.eye(len(part)).double()
            parts.append((1 + rho) * torch.linalg.solve(gram, part @ (count * energy)))
        vectors.append(torch.cat(parts))
    return torch.stack(vectors)


@SIZES
@pytest.mark.parametrize("weighted", [False, True])
def test_it_solves_the_normal_equations(group, positions, weighted):
    phi = features(positions=positions)
    weights = torch.rand(2, positions, dtype=torch.float64) if weighted else None
    expected = by_the_normal_equations(phi, 0.3, group, weights)
    assert_close(energy_max_pool(phi, 0.3, group=group, attention=weights), expected)


@pytest.mark.parametrize("rho", [1e-3, 1.0, 1e3])
def test_positions_that_are_all_alike_pool_to_what_they_are(rho):
    one = features(positions=1)
    assert_close(energy_max_pool(one.expand(2, 6, 30), rho, group=4), one.squeeze(2))


def test_a_large_ridge_gives_the_average_weighted_by_energy():
    phi = features()
    energy = phi.square().sum(1, keepdim=True)
    expected = (energy * phi).sum(2) / energy.sum(2)
    assert_close(energy_max_pool(phi, 1e9, group=6), expected)


def test_a_small_ridge_gives_the_sum_of_orthogonal_positions_however_often_they_are_repeated():
    phi = torch.diag(torch.tensor([3.0, 2.0, 0.5, 1.0])).double().unsqueeze(0)
    repeated = phi[:, :, [0, 0, 0, 0, 1, 1, 2, 3]]
    assert_close(energy_max_pool(repeated, 1e-12, group=4), phi.sum(2), rtol=1e-6, atol=1e-6)


def test_a_group_of_one_channel_gives_a_mean_close_to_the_maximum():
    phi = features().abs()
    expected = phi.pow(3).sum(2) / phi.square().sum(2)
    assert_close(energy_max_pool(phi, 1e-12, group=1), expected)
    assert (expected > phi.mean(2)).all()


@pytest.mark.parametrize("scale", [1e-22, 1e-3, 1e22])
def test_the_vector_grows_with_the_features(scale):
    phi = features().float()
    assert_close(energy_max_pool(scale * phi, 0.5) / scale, energy_max_pool(phi, 0.5))


def test_silent_positions_and_repeating_all_change_nothing():
    phi = features()
    more = torch.cat([phi, torch.zeros(2, 6, 40)], dim=2)
    assert_close(energy_max_pool(more, 0.5), energy_max_pool(phi, 0.5))
    assert_close(energy_max_pool(torch.cat([phi] * 3, dim=2), 0.5), energy_max_pool(phi, 0.5))


def test_whatever_lies_under_a_weight_of_zero_changes_nothing():
    phi, weights = features(positions=9), torch.rand(2, 9, dtype=torch.float64)
    weights[:, 4:] = 0
    expected = energy_max_pool(phi[:, :, :4], 0.5, attention=weights[:, :4])
    phi[:, :, 5], phi[:, :, 6], phi[:, :, 7] = 1e30, torch.nan, torch.inf
    assert_close(energy_max_pool(phi, 0.5, attention=weights), expected)


@pytest.mark.parametrize(("group", "positions"), [(4, 5), (6, 3), (3, 7)])
def test_its_gradient_is_right(group, positions):
    phi = features(positions=positions).requires_grad_()
    weights = torch.rand(2, positions, dtype=torch.float64)
    weights[0, 0] = 0
    rho = torch.tensor([0.7], dtype=torch.float64, requires_grad=True)

    def pool(phi, rho, weights):
        return energy_max_pool(phi, rho, group=group, attention=weights)

    assert torch.autograd.gradcheck(pool, (phi, rho, weights))
    assert torch.autograd.gradgradcheck(pool, (phi, rho, weights))


def test_the_layer_is_the_function_and_remembers_its_ridge():
    phi, layer = features(), GeneralizedMaxPool().double()
    assert_close(layer(phi), energy_max_pool(phi, 1.0))
    assert layer.last_relative_ridge == pytest.approx(1)
    assert layer.last_ridge == pytest.approx(phi.square().sum((1, 2)).mean().item())
    assert_close(
        GeneralizedMaxPool(normalize=True).double()(phi).norm(dim=1), torch.ones(2).double()
    )

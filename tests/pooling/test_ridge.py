"""How exact the solution is, against the singular values of the features in float64."""

from functools import cache

import pytest
import torch

from dgmp.pooling import generalized_max_pool, solvers
from dgmp.pooling.ridge import ridge_pool

SIZES = [(1, 1), (1, 4096), (2048, 1), (16, 16), (64, 4096), (512, 169), (512, 512), (2048, 320)]


@cache
def made(kind, size):
    """Features in float32 and their singular values in float64, which several tests look at."""
    torch.manual_seed(1)
    phi = kind(*size)
    return phi, torch.linalg.svd(phi.double(), full_matrices=False)


def by_singular_values(singular, ridge):
    """ξ = U diag(σ/(σ²+λ)) Vᵀ1; singular values that are rounding alone are left out."""
    u, sigma, vt = singular
    noise = sigma[:, :1] * max(u.shape[1], vt.shape[2]) * torch.finfo(torch.float64).eps
    gain = torch.where(sigma > noise, sigma / (sigma.square() + ridge.double()[:, None]), 0)
    return torch.einsum("bck,bk->bc", u, gain * vt.sum(2))


def random(channels, positions):
    return torch.randn(2, channels, positions)


def relu(channels, positions):
    return random(channels, positions).relu()


def repeated(channels, positions):
    half = relu(channels, -(-positions // 2))
    return torch.cat([half, half], dim=2)[:, :, :positions]


def rank_one(channels, positions):
    return torch.randn(2, channels, 1).expand(-1, -1, positions).contiguous()


def masked(channels, positions):
    return relu(channels, positions) * (torch.rand(2, 1, positions) > 0.5)


FORMATS = [random, relu, repeated, rank_one, masked]


def relative_error(phi, singular, share):
    """Worst error over the images at λ = share·mean‖φᵢ‖²."""
    ridge = share * phi.square().sum(1).mean(1).clamp_min(1e-30)
    expected = by_singular_values(singular, ridge)
    error = (generalized_max_pool(phi, ridge) - expected).norm(dim=1)
    return (error / expected.norm(dim=1).clamp_min(1e-30)).max().item()


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_float64_is_exact_to_eight_digits(kind, size):
    phi, singular = made(kind, size)
    for share in (1e-6, 1e-2):
        assert relative_error(phi.double(), singular, share) < 1e-8


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_float32_is_exact_to_four_digits(kind, size):
    phi, singular = made(kind, size)
    for share in (1e-2, 1.0, 100.0):
        assert relative_error(phi, singular, share) < 1e-4


@pytest.mark.parametrize("size", [(64, 1024), (512, 169)], ids=["primal", "dual"])
def test_zeros_pool_to_zeros(size):
    assert (generalized_max_pool(torch.zeros(2, *size), 1e-6) == 0).all()


@pytest.mark.parametrize("size", [(64, 4096), (512, 169), (512, 512)], ids=str)
def test_positions_on_one_line_with_mixed_signs(size):
    """The result is a small difference of large sums; float64 keeps what it can, float32 all.

    Whole numbers make the features of rank one exactly, so that the result is known:
    φ Σv / (‖φ‖²Σv² + λ). In float64 with λ = 1e-6·mean‖φᵢ‖² that sum loses 12 of 16 digits.
    """
    torch.manual_seed(2)
    channels, positions = size
    line = torch.randint(1, 4, (2, channels)).double()
    amount = torch.randint(-3, 4, (2, positions)).double()
    amount[:, 0] += 1 - amount.sum(1) + 40  # the amounts add up to 41
    phi = line[:, :, None] * amount[:, None, :]
    for dtype, share, bound in [(torch.float32, 1e-2, 1e-6), (torch.float64, 1e-6, 1e-3)]:
        ridge = (share * phi.square().sum(1).mean(1)).to(dtype)
        total = line.square().sum(1) * amount.square().sum(1) + ridge.double()
        expected = line * (amount.sum(1) / total)[:, None]
        error = (generalized_max_pool(phi.to(dtype), ridge) - expected).norm(dim=1)
        assert (error / expected.norm(dim=1)).max() < bound


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("size", [(64, 1024), (512, 169), (300, 300)], ids=str)
def test_below_the_floor_the_ridge_is_the_floor(kind, size, dtype):
    torch.manual_seed(1)
    phi = kind(*size).to(dtype)
    floor = 16 * torch.finfo(dtype).eps
    at_floor = generalized_max_pool(phi, floor, relative=True)
    assert at_floor.isfinite().all()
    assert torch.equal(generalized_max_pool(phi, floor / 1e3, relative=True), at_floor)


@pytest.mark.parametrize("kind", [relu, repeated, rank_one])
@pytest.mark.parametrize("size", [(64, 1024), (512, 169)], ids=["primal", "dual"])
def test_float32_gradients_agree_with_float64(kind, size):
    torch.manual_seed(1)
    phi = kind(*size)
    target = torch.randn(2, size[0])
    grads = []
    for dtype in (torch.float32, torch.float64):
        leaf = phi.clone().to(dtype).requires_grad_()
        ridge = torch.tensor(1e-4, dtype=dtype, requires_grad=True)
        pooled = generalized_max_pool(leaf, ridge, relative=True)
        (pooled * target.to(dtype)).sum().backward()
        grads.append((leaf.grad.double(), ridge.grad.double()))
    for ours, exact in zip(*grads, strict=True):
        assert (ours - exact).norm() <= 1e-3 * exact.norm()


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("size", [(64, 1024), (512, 169)], ids=["primal", "dual"])
def test_the_way_of_accelerators_which_reads_nothing_back_gives_the_same(kind, size, monkeypatch):
    torch.manual_seed(1)
    phi = kind(*size)
    target = torch.randn(2, size[0])
    results = []
    for readable in (True, False):
        monkeypatch.setattr(solvers, "can_read", lambda _, readable=readable: readable)
        leaf = phi.clone().requires_grad_()
        pooled = generalized_max_pool(leaf, 1e-3, relative=True)
        (pooled * target).sum().backward()
        results.append((pooled.detach(), leaf.grad))
    for ours, theirs in zip(*results, strict=True):
        assert (ours - theirs).norm() <= 1e-3 * ours.norm()


@pytest.mark.parametrize("size", [(6, 30), (30, 6), (130, 120), (120, 130)], ids=str)
@pytest.mark.parametrize("relative", [False, True])
def test_what_compilers_are_told_of_the_operator_is_true(size, relative):
    phi = torch.randn(2, *size, requires_grad=True)
    weights = torch.rand(2, size[1], requires_grad=True)
    ridge = torch.tensor(0.3, requires_grad=True)
    torch.library.opcheck(ridge_pool, (phi, weights, ridge, relative))

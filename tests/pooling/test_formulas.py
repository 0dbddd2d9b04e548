"""Each pooling against its formula in slow, obvious numpy, and at its limits."""

import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.testing import assert_close

from dgmp.pooling.average import AveragePool
from dgmp.pooling.covariance import CovariancePool, covariance, matrix_square_root
from dgmp.pooling.democratic import (
    DemocraticPool,
    GammaDemocraticPool,
    democratic_pool,
    democratic_weights,
)
from dgmp.pooling.gated import GatedPool
from dgmp.pooling.generalized_mean import GeneralizedMeanPool
from dgmp.pooling.log_sum_exp import LogSumExpPool
from dgmp.pooling.maximum import MaxPool
from dgmp.pooling.mixed import MixedPool
from dgmp.pooling.netrvlad import NetRvladPool
from dgmp.pooling.power import PowerNormalized
from dgmp.pooling.simpool import SimPool
from dgmp.pooling.tree import TreePool

CHANNELS, POSITIONS = 4, 7
TOLERANCE = {"rtol": 1e-9, "atol": 1e-12}  # float64 throughout


def random_map(low=0.0, channels=CHANNELS, positions=POSITIONS, seed=0):
    generator = torch.Generator().manual_seed(seed)
    uniform = torch.rand(2, channels, positions, generator=generator, dtype=torch.float64)
    return low + (1 - low) * uniform


def close(actual, expected):
    assert_close(actual, torch.as_tensor(np.asarray(expected)), **TOLERANCE)


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def softmax(scores):
    exps = [math.exp(score) for score in scores]
    return np.array(exps) / sum(exps)


def average(x, pooling):
    return [sum(row) / len(row) for row in x]


def maximum(x, pooling):
    return [max(row) for row in x]


def mixed(x, pooling):
    return [0.5 * max(row) + 0.5 * sum(row) / len(row) for row in x]


def log_sum_exp(x, pooling):
    r = pooling.sharpness.item()
    return [math.log(sum(math.exp(r * v) for v in row) / len(row)) / r for row in x]


def generalized_mean(x, pooling):
    p = pooling.exponent.item()
    return [(sum(max(v, 1e-6) ** p for v in row) / len(row)) ** (1 / p) for row in x]


def gated(x, pooling):
    pooled = []
    for row, by_average, by_maximum in zip(
        x, pooling.average_gate.tolist(), pooling.maximum_gate.tolist(), strict=True
    ):
        mean, top = sum(row) / len(row), max(row)
        a = sigmoid(by_average * mean + by_maximum * top)
        pooled.append(a * top + (1 - a) * mean)
    return pooled


def tree(x, pooling):
    """A node is its gate over its two children; children of node n are 2n + 1 and 2n + 2."""
    betas, gates = pooling.sharpness.tolist(), pooling.gates.tolist()

    def value(node, c):
        if node >= len(gates):
            beta = betas[node - len(gates)]
            return softmax([beta * v for v in x[c]]) @ x[c]
        g = sigmoid(gates[node][c] * sum(x[c]) / len(x[c]))
        return g * value(2 * node + 1, c) + (1 - g) * value(2 * node + 2, c)

    return [value(0, c) for c in range(len(x))]


def gamma_democratic(x, pooling):
    gamma, n = getattr(pooling, "gamma", 0), x.shape[1]
    kernel = [[max(x[:, i] @ x[:, j], 0) for j in range(n)] for i in range(n)]
    alpha = [1.0] * n
    for _ in range(10):
        say = [alpha[i] * sum(alpha[j] * kernel[i][j] for j in range(n)) for i in range(n)]
        alpha = [alpha[i] * math.sqrt(sum(kernel[i]) ** gamma / say[i]) for i in range(n)]
    return sum(alpha[i] * x[:, i] for i in range(n))


def root_covariance(x, pooling):
    if pooling.projection is not None:
        x = pooling.projection.weight.detach().numpy() @ x
    sigma = np.cov(x, bias=True)
    trace, eye = np.trace(sigma), np.eye(len(x))
    y, z = sigma / trace, eye
    for _ in range(5):
        y, z = y @ (3 * eye - z @ y) / 2, (3 * eye - z @ y) @ z / 2
    return [math.sqrt(trace) * y[i, j] for i in range(len(x)) for j in range(i, len(x))]


def netrvlad(x, pooling):
    weight, bias = pooling.assignment.weight.detach().numpy(), pooling.assignment.bias.tolist()
    centers = pooling.centers.detach().numpy()
    sums = np.zeros_like(centers)
    for position in x.T:
        assigned = softmax(weight @ position + bias)
        for k in range(len(centers)):
            sums[k] += assigned[k] * (position - centers[k])
    return sums.reshape(-1)


def simpool(x, pooling):
    """With the layer norm at its start: no scale, no shift."""
    normed = [(p - p.mean()) / math.sqrt(p.var() + 1e-6) for p in x.T]
    query = pooling.query.weight.detach().numpy() @ x.mean(axis=1)
    keys = [pooling.key.weight.detach().numpy() @ token for token in normed]
    attention = softmax([query @ key / math.sqrt(len(x)) for key in keys])
    values = [token - np.min(normed) + 1e-6 for token in normed]
    return np.sqrt(sum(a * value**2 for a, value in zip(attention, values, strict=True)))


FORMULAS = {
    "avg": (AveragePool, average),
    "max": (MaxPool, maximum),
    "mixed": (MixedPool, mixed),
    "lse": (LogSumExpPool, log_sum_exp),
    "gem": (GeneralizedMeanPool, generalized_mean),
    "gated": (lambda: GatedPool(CHANNELS), gated),
    "tree": (lambda: TreePool(CHANNELS), tree),
    "tree of 3 levels": (lambda: TreePool(CHANNELS, levels=3), tree),
    "democratic": (DemocraticPool, gamma_democratic),
    "gamma-democratic": (GammaDemocraticPool, gamma_democratic),
    "isqrt-cov": (lambda: CovariancePool(CHANNELS), root_covariance),
    "isqrt-cov, reduced": (lambda: CovariancePool(CHANNELS, reduced=3), root_covariance),
    "netrvlad": (lambda: NetRvladPool(CHANNELS), netrvlad),
    "simpool": (lambda: SimPool(CHANNELS), simpool),
}


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("low", [0.0, -1.0], ids=["non-negative", "signed"])
def test_a_pooling_is_its_formula(name, low):
    kind, formula = FORMULAS[name]
    torch.manual_seed(0)
    pooling = kind().double()
    features = random_map(low)
    for gate in [p for key, p in pooling.named_parameters() if "gate" in key]:
        nn.init.normal_(gate)
    close(pooling(features), [formula(x.numpy(), pooling) for x in features])


@pytest.mark.parametrize(
    ("pooling", "value"),
    [
        (MixedPool().alpha, 0.5),
        (LogSumExpPool().sharpness, 10),
        (GeneralizedMeanPool().exponent, 3),
    ],
    ids=["mixed", "lse", "gem"],
)
def test_parameters_start_at_the_values_of_the_papers(pooling, value):
    assert pooling.item() == pytest.approx(value)


@pytest.mark.parametrize("kind", [GatedPool, TreePool])
def test_gates_start_at_an_even_mix(kind):
    features = random_map()
    low = AveragePool()(features)
    high = MaxPool()(features) if kind is GatedPool else _softmax_average(features, 10)
    close(kind(CHANNELS).double()(features), ((low + high) / 2).detach())


def _softmax_average(features, beta):
    return ((beta * features).softmax(dim=2) * features).sum(dim=2)


def test_a_large_exponent_tends_to_max_pooling():
    features = random_map()
    pooled = GeneralizedMeanPool(exponent=1e6).double()(features)
    assert_close(pooled, features.amax(dim=2), rtol=1e-5, atol=0)


def test_an_exponent_of_one_is_average_pooling():
    features = random_map()
    close(GeneralizedMeanPool(exponent=1.0).double()(features).detach(), features.mean(dim=2))


def test_a_small_sharpness_tends_to_average_pooling():
    features = random_map()
    pooled = LogSumExpPool(sharpness=1e-6).double()(features)
    assert_close(pooled, features.mean(dim=2), rtol=1e-5, atol=0)


def test_a_large_sharpness_tends_to_max_pooling():
    features = random_map()
    pooled = LogSumExpPool(sharpness=1e6).double()(features)
    assert_close(pooled, features.amax(dim=2), rtol=1e-5, atol=0)


@pytest.mark.parametrize("pooling", [LogSumExpPool(), GeneralizedMeanPool()], ids=["lse", "gem"])
def test_large_features_do_not_overflow(pooling):
    features = random_map().float() * 1e30
    assert pooling(features).isfinite().all()


def test_gamma_of_one_is_sum_pooling():
    features = random_map(low=-1.0)
    close(GammaDemocraticPool(gamma=1.0)(features), features.sum(dim=2))


def test_gamma_of_zero_is_democratic_pooling():
    features = random_map()
    close(GammaDemocraticPool(gamma=0.0)(features), DemocraticPool()(features))


@pytest.mark.parametrize("gamma", [0.0, 0.5])
@pytest.mark.parametrize(("iterations", "error"), [(10, 1e-3), (40, 1e-9)])
def test_democratic_weights_equalise_what_positions_contribute(gamma, iterations, error):
    features = random_map()
    alpha = democratic_weights(features, None, gamma=gamma, iterations=iterations)
    contributions = alpha.unsqueeze(1) * features
    pooled = contributions.sum(dim=2)
    say = (pooled.unsqueeze(1) @ contributions).squeeze(1)
    target = (features.sum(dim=2).unsqueeze(1) @ features).squeeze(1) ** gamma
    assert_close(say, target, rtol=error, atol=0)


@pytest.mark.parametrize("gamma", [0.0, 0.3, 1.0])
def test_scaling_all_features_scales_democratic_pooling_by_the_power_gamma(gamma):
    features = random_map()
    pooled = democratic_pool(features, None, gamma=gamma, iterations=10)
    for factor in [1e-30, 1e30]:
        scaled = democratic_pool(factor * features, None, gamma=gamma, iterations=10)
        close(scaled, factor**gamma * pooled)


def test_a_position_of_zeros_says_nothing_in_democratic_pooling():
    features = random_map()
    with_zeros = torch.cat([features, torch.zeros_like(features[:, :, :2])], dim=2)
    close(DemocraticPool()(with_zeros), DemocraticPool()(features))


def test_the_square_of_the_pooled_triangle_is_the_covariance():
    features = random_map(positions=40)
    triangle = CovariancePool(CHANNELS, iterations=20)(features)
    root = torch.zeros(2, CHANNELS, CHANNELS, dtype=torch.float64)
    rows, columns = torch.triu_indices(CHANNELS, CHANNELS)
    root[:, rows, columns] = triangle
    root[:, columns, rows] = triangle
    close(root @ root, np.stack([np.cov(x, bias=True) for x in features.numpy()]))


def test_the_root_of_a_root_times_itself_is_the_matrix():
    matrices = covariance(random_map(positions=40), None)
    root = matrix_square_root(matrices, iterations=20)
    close(root @ root, matrices)
    close(root, root.mT)


def test_covariance_pooling_grows_with_the_features_and_ignores_their_mean():
    features = random_map()
    pooling = CovariancePool(CHANNELS)
    close(pooling(1e25 * features + 1e25), 1e25 * pooling(features))


@pytest.mark.parametrize(("channels", "width"), [(100, 5050), (256, 32896), (512, 32896)], ids=str)
def test_covariance_pooling_projects_only_what_is_wider_than_asked(channels, width):
    pooling = CovariancePool(channels)
    assert pooling.out_channels == width
    assert (pooling.projection is not None) == (channels > 256)


def test_netrvlad_has_a_hundred_clusters():
    assert NetRvladPool(CHANNELS).out_channels == 100 * CHANNELS


def test_simpool_of_one_image_does_not_depend_on_the_others():
    pooling = SimPool(CHANNELS).double()
    features = random_map()
    close(pooling(features)[:1].detach(), pooling(features[:1]).detach())


def test_power_normalization_takes_the_signed_root_and_then_the_length():
    features = random_map(low=-1.0)
    means = features.mean(dim=2)
    rooted = means.sign() * means.abs().sqrt()
    close(PowerNormalized(AveragePool(), normalize=False)(features), rooted)
    close(PowerNormalized(AveragePool())(features), rooted / rooted.norm(dim=1, keepdim=True))


def test_power_normalization_hands_on_weights_and_widths():
    pooling = PowerNormalized(NetRvladPool(CHANNELS, clusters=3), power=1.0, normalize=False)
    assert (pooling.channels, pooling.out_channels) == (CHANNELS, 3 * CHANNELS)
    features, mask = random_map(), torch.arange(POSITIONS).expand(2, -1) < 3
    pooling = pooling.double()
    close(pooling(features, mask), pooling.pooling(features[:, :, :3]).detach())


@pytest.mark.parametrize("normalize", [False, True])
def test_power_normalization_has_finite_gradients_at_zero(normalize):
    features = random_map()
    features[0] = 0
    features[1, 2] = 0
    features.requires_grad_()
    PowerNormalized(AveragePool(), normalize=normalize)(features).sum().backward()
    assert features.grad.isfinite().all()
    assert not features.grad[0].any()


def test_power_normalization_passes_gradcheck_away_from_zero():
    pooling = PowerNormalized(MixedPool(), power=0.3).double()
    assert torch.autograd.gradcheck(pooling, (random_map(low=-1.0).requires_grad_(),))

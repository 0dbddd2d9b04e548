"""The contract that every pooling of the table keeps."""

import copy
import re

import pytest
import torch
from torch.testing import assert_close

from dgmp.errors import UnknownName
from dgmp.pooling import generalized_sum
from dgmp.pooling.generalized_mean import GeneralizedMeanPool
from dgmp.pooling.log_sum_exp import LogSumExpPool
from dgmp.pooling.mixed import MixedPool
from dgmp.pooling.zoo import POOLINGS, make_pooling

from .feature_maps import random_map
from .small_poolings import CHANNELS, close, every_pooling, make, random_features, random_weights

with_or_without_weights = pytest.mark.parametrize(
    "weighted", [False, True], ids=["plain", "weighted"]
)


def gradients(pooling, features, weights=None):
    """The gradients of a fixed mix of the outputs, for features, weights and parameters."""
    inputs = [t for t in (features, weights) if t is not None and t.is_floating_point()]
    inputs = [tensor.requires_grad_() for tensor in inputs]
    pooled = pooling(features, weights)
    direction = random_features(*pooled.shape, dtype=pooled.dtype, seed=3)
    return torch.autograd.grad(
        (pooled * direction).sum(), [*inputs, *pooling.parameters()], materialize_grads=True
    )


@every_pooling
def test_there_is_one_vector_per_image_of_the_promised_width(name):
    pooling = make(name, torch.float32)
    pooled = pooling(random_features(3, CHANNELS, 4, 4, dtype=torch.float32))
    assert pooled.shape == (3, pooling.out_channels)
    assert type(pooling.out_channels) is int
    assert pooling.channels == CHANNELS


@every_pooling
@with_or_without_weights
def test_the_layout_of_positions_does_not_matter(name, weighted):
    pooling = make(name)
    features = random_features(2, CHANNELS, 12)
    weights = random_weights(2, 12) if weighted else None
    pooled = pooling(features, weights)
    for layout in [(3, 4), (12, 1), (2, 3, 2)]:
        map_weights = None if weights is None else weights.unflatten(1, layout)
        close(pooling(features.unflatten(2, layout), map_weights), pooled)
    channels_last = features.unflatten(2, (3, 4)).to(memory_format=torch.channels_last)
    close(pooling(channels_last, None if weights is None else weights.unflatten(1, (3, 4))), pooled)


@every_pooling
@with_or_without_weights
def test_the_order_of_positions_does_not_matter(name, weighted):
    pooling = make(name)
    features, weights = random_features(2, CHANNELS, 12), random_weights(2, 12)
    order = torch.randperm(12, generator=torch.Generator().manual_seed(4))
    close(
        pooling(features[:, :, order], weights[:, order] if weighted else None),
        pooling(features, weights if weighted else None),
    )


@every_pooling
@pytest.mark.parametrize("garbage", [torch.nan, torch.inf, -torch.inf, 1e30, -1e30])
@pytest.mark.parametrize("kind", [torch.bool, torch.float32], ids=["mask", "weights"])
def test_a_padded_image_pools_to_what_it_pools_to_alone(name, garbage, kind):
    pooling = make(name, torch.float32)
    sizes = [12, 7, 1]
    features = random_features(3, CHANNELS, 12, dtype=torch.float32)
    present = torch.arange(12) < torch.tensor(sizes).unsqueeze(1)
    padded = features.masked_fill(~present.unsqueeze(1), garbage)
    pooled = pooling(padded, present.to(kind))
    alone = [pooling(features[i : i + 1, :, :n]) for i, n in enumerate(sizes)]
    close(pooled, torch.cat(alone))


@every_pooling
@pytest.mark.parametrize("garbage", [torch.nan, 1e30])
@pytest.mark.parametrize("kind", [torch.bool, torch.float32], ids=["mask", "weights"])
def test_what_stands_under_the_mask_gets_no_gradient_and_gives_none(name, garbage, kind):
    pooling = make(name, torch.float32)
    features = random_features(1, CHANNELS, 9, dtype=torch.float32)
    present = torch.arange(9).unsqueeze(0) < 6
    padded = features.masked_fill(~present.unsqueeze(1), garbage)
    by_features, *rest = gradients(pooling, padded, present.to(kind))
    by_parameters = rest[1:] if kind.is_floating_point else rest
    by_cropped, *expected = gradients(pooling, features[:, :, :6])
    close(by_features[:, :, :6], by_cropped)
    assert not by_features[:, :, 6:].any()
    for actual, wanted in zip(by_parameters, expected, strict=True):
        assert_close(actual, wanted, rtol=1e-3, atol=1e-4)


@every_pooling
def test_an_integer_weight_counts_as_so_many_copies(name):
    pooling = make(name)
    features = random_features(1, CHANNELS, 6)
    counts = torch.tensor([1, 3, 0, 2, 1, 4])
    copies = features.repeat_interleave(counts, dim=2)
    close(pooling(features, counts.double().unsqueeze(0)), pooling(copies))


@every_pooling
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("kind", [torch.bool, torch.float64], ids=["mask", "weights"])
def test_an_image_without_positions_pools_to_zeros_with_finite_gradients(name, normalize, kind):
    pooling = make(name, normalize=normalize)
    features, present = random_features(2, CHANNELS, 6), torch.ones(2, 6, dtype=kind)
    present[0] = 0
    pooled = pooling(features, present)
    assert not pooled[0].any()
    close(pooled[1:], pooling(features[1:]))
    by_features, *others = gradients(pooling, features, present)
    assert not by_features[0].any()
    assert all(gradient.isfinite().all() for gradient in others)


@every_pooling
@with_or_without_weights
def test_gradients_are_those_of_finite_differences(name, weighted):
    pooling = make(name)
    features = random_features(2, CHANNELS, 4).requires_grad_()
    weights = (random_weights(2, 4).requires_grad_(),) if weighted else ()
    names = [key for key, _ in pooling.named_parameters()]

    def pool(features, *rest):
        attention, parameters = rest[: len(weights)], rest[len(weights) :]
        state = dict(zip(names, parameters, strict=True))
        return torch.func.functional_call(pooling, state, (features, *attention))

    # Nondeterminism of a custom operator's solve is no concern here, so a little is let through.
    assert torch.autograd.gradcheck(
        pool, (features, *weights, *pooling.parameters()), nondet_tol=1e-9
    )


@every_pooling
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_float32_rounded_at_the_end(name, dtype):
    features = random_features(2, CHANNELS, 12, dtype=dtype)
    pooling = make(name, torch.float32)
    pooled = pooling(features)
    assert pooled.dtype == dtype
    close(pooled, pooling(features.float()).to(dtype))
    half = pooling.to(dtype)
    close(half(features), copy.deepcopy(half).float()(features.float()).to(dtype))


@every_pooling
def test_autocast_changes_nothing(name):
    pooling = make(name, torch.float32)
    features = random_features(2, CHANNELS, 12, dtype=torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        pooled = pooling(features)
    assert_close(pooled, pooling(features), rtol=0, atol=0)


@every_pooling
@with_or_without_weights
def test_compiled_equals_eager(name, weighted, monkeypatch):
    monkeypatch.setattr(generalized_sum, "_BISECTIONS", 4)  # each is in the graph
    torch.compiler.reset()
    pooling = make(name)
    compiled = torch.compile(pooling, backend="aot_eager", fullgraph=True)
    features = random_features(2, CHANNELS, 12)
    weights = random_weights(2, 12) if weighted else None
    expected = gradients(pooling, features, weights)
    close(compiled(features, weights), pooling(features, weights))
    for actual, wanted in zip(gradients(compiled, features, weights), expected, strict=True):
        close(actual, wanted)


@every_pooling
def test_a_state_dict_and_a_copy_carry_all_there_is(name):
    pooling, other = make(name, seed=0), make(name, seed=5)
    features = random_features(2, CHANNELS, 12)
    expected = pooling(features)
    other.load_state_dict(pooling.state_dict())
    assert_close(other(features), expected, rtol=0, atol=0)
    assert_close(copy.deepcopy(pooling)(features), expected, rtol=0, atol=0)


@every_pooling
@with_or_without_weights
def test_a_batch_of_no_images_pools_to_no_vectors(name, weighted):
    pooling = make(name, torch.float32)
    features = torch.zeros(0, CHANNELS, 4, requires_grad=True)
    pooled = pooling(features, torch.zeros(0, 4) if weighted else None)
    assert pooled.shape == (0, pooling.out_channels)
    pooled.sum().backward()
    assert features.grad.shape == features.shape


@every_pooling
def test_one_position_is_enough(name):
    pooling = make(name)
    features = random_features(2, CHANNELS, 1)
    assert pooling(features).isfinite().all()
    assert all(gradient.isfinite().all() for gradient in gradients(pooling, features))


@every_pooling
def test_features_of_zeros_give_finite_vectors_and_gradients(name):
    pooling = make(name)
    features = torch.zeros(2, CHANNELS, 4, dtype=torch.float64)
    assert pooling(features).isfinite().all()
    assert all(gradient.isfinite().all() for gradient in gradients(pooling, features))


@every_pooling
@pytest.mark.parametrize("broken", [torch.nan, torch.inf, -torch.inf])
@with_or_without_weights
def test_broken_features_show_in_their_image_only(name, broken, weighted):
    pooling = make(name)
    features, weights = random_features(2, CHANNELS, 6), random_weights(2, 6)
    weights = weights if weighted else None
    expected = pooling(features, weights)
    features[0, 1, 2] = broken
    pooled = pooling(features, weights)
    assert not pooled[0].isfinite().all()
    close(pooled[1], expected[1])


@every_pooling
def test_a_traced_pooling_takes_other_sizes_and_shows_broken_features(name):
    pooling = make(name)
    traced = torch.jit.trace(pooling, random_features(2, CHANNELS, 3, 3))
    features = random_features(3, CHANNELS, 4, 5)
    close(traced(features), pooling(features))
    features[0, 1, 2] = torch.nan
    assert not traced(features)[0].isfinite().all()


def test_the_table_is_complete():
    assert list(POOLINGS) == [
        "avg",
        "max",
        "mixed",
        "lse",
        "gem",
        "gated",
        "tree",
        "democratic",
        "gamma-democratic",
        "isqrt-cov",
        "netrvlad",
        "salad",
        "simpool",
        "gsp",
        "gmp",
        "attentive-gmp",
    ]


def test_no_pooling_normalizes_by_default():
    assert not any(make_pooling(name, channels=CHANNELS).normalize for name in POOLINGS)


def test_an_unknown_name_is_answered_with_the_nearest_and_all():
    message = f"'netvlad'; did you mean 'netrvlad'? Choose from {', '.join(POOLINGS)}"
    with pytest.raises(UnknownName, match=re.escape(message)):
        make_pooling("netvlad", channels=CHANNELS)
    with pytest.raises(UnknownName, match="no pooling called 'zzz'; choose from avg, max"):
        make_pooling("zzz", channels=CHANNELS)


@pytest.mark.parametrize("name", POOLINGS)
def test_an_unknown_option_is_answered_with_those_there_are(name):
    with pytest.raises(TypeError, match=f"'{name}' has no option 'rdige'; .*normalize"):
        make_pooling(name, channels=CHANNELS, rdige=1.0)


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [
        ("lse", "sharpness", 0.0),
        ("gem", "exponent", -1.0),
        ("gem", "eps", 0.0),
        ("tree", "levels", 0),
        ("democratic", "iterations", 0),
        ("gamma-democratic", "gamma", 2.0),
        ("isqrt-cov", "reduced", 0),
        ("isqrt-cov", "iterations", 0),
        ("netrvlad", "clusters", 0),
        ("salad", "clusters", 0),
        ("salad", "width", 0),
        ("simpool", "gamma", 0.0),
        ("gsp", "prototypes", 0),
        ("gsp", "ratio", 1.0),
        ("gsp", "sharpness", 0.0),
        ("avg", "channels", 0),
    ],
)
def test_an_impossible_value_is_named(name, option, value):
    with pytest.raises(ValueError, match=f"{option} must be .*, got {value}"):
        make_pooling(name, **{"channels": CHANNELS, option: value})


@pytest.mark.parametrize("name", ["gmp", "attentive-gmp"])
def test_a_center_of_all_channels_can_be_asked_for_by_true(name):
    asked = make_pooling(name, channels=CHANNELS, center=True)
    spelled = make_pooling(name, channels=CHANNELS, center=CHANNELS)
    shapes = [{key: value.shape for key, value in p.state_dict().items()} for p in (asked, spelled)]
    assert shapes[0] == shapes[1]


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


@pytest.mark.parametrize("pooling", [LogSumExpPool(), GeneralizedMeanPool()], ids=["lse", "gem"])
def test_large_features_do_not_overflow(pooling):
    features = random_map().float() * 1e30
    assert pooling(features).isfinite().all()

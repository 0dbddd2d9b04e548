"""What every pooling has from the layer they share."""

import copy

import pytest
import torch
from torch import nn
from torch.func import functional_call, jvp
from torch.testing import assert_close

from dgmp.pooling import GeneralizedMaxPool, make_pooling
from dgmp.pooling.layer import parameter_groups, pooling_parameters

from .small_poolings import CHANNELS, close, every_pooling, make, random_features, random_weights

NUMBERS = ("log_ridge", "log_exponent", "log_sharpness", "alpha", "bin_score")


@every_pooling
def test_normalize_gives_rows_of_unit_length(name):
    pooled = make(name, normalize=True)(random_features(3, CHANNELS, 12))
    close(pooled.norm(dim=1), torch.ones(3, dtype=torch.float64))
    raw = make(name, normalize=False)(random_features(3, CHANNELS, 12))
    close(raw / raw.norm(dim=1, keepdim=True), pooled)


@every_pooling
def test_wrong_shapes_are_named(name):
    pooling = make(name)
    with pytest.raises(ValueError, match=r"built for 5 channels, got features with 7: \(2, 7, 4\)"):
        pooling(random_features(2, 7, 4))
    with pytest.raises(ValueError, match=r"got torch.float64 of shape \(2, 5\)"):
        pooling(random_features(2, CHANNELS))
    with pytest.raises(ValueError, match=r"shape \(2, 3, 4\) for .* got \(2, 12\)"):
        pooling(random_features(2, CHANNELS, 3, 4), random_weights(2, 12))


@every_pooling
def test_the_parameters_of_a_pooling_are_found_inside_a_model(name):
    pooling = make(name)
    model = nn.Sequential(nn.Conv2d(3, CHANNELS, 1), pooling, nn.Linear(pooling.out_channels, 2))
    assert {id(p) for p in pooling_parameters(model)} == {id(p) for p in pooling.parameters()}


def test_only_the_parameters_of_poolings_are_kept_from_weight_decay():
    model = nn.Sequential(nn.Conv2d(3, CHANNELS, 1), GeneralizedMaxPool(), nn.Linear(CHANNELS, 2))
    model[0].bias.requires_grad_(False)
    decayed, kept = parameter_groups(model, weight_decay=0.1)
    assert decayed["weight_decay"] == 0.1
    assert kept == {"params": [model[1].log_ridge], "weight_decay": 0.0}
    assert {id(p) for p in decayed["params"]} == {
        id(p) for p in (model[0].weight, *model[2].parameters())
    }


@every_pooling
def test_a_tangent_is_the_gradient_along_a_direction(name):
    pooling = make(name)
    inputs = (random_features(2, CHANNELS, 4), dict(pooling.named_parameters()))
    along = (random_features(2, CHANNELS, 4, seed=5), {k: p + 1 for k, p in inputs[1].items()})

    def pool(features, state):
        return functional_call(pooling, state, features)

    pooled, tangent = jvp(pool, inputs, along)
    weights = random_features(*pooled.shape, seed=6)
    leaves = [inputs[0].requires_grad_(), *inputs[1].values()]
    slopes = torch.autograd.grad((pooling(leaves[0]) * weights).sum(), leaves)
    directions = [along[0], *along[1].values()]
    expected = sum((s * d).sum() for s, d in zip(slopes, directions, strict=True))
    close((tangent * weights).sum(), expected)
    assert tangent.any()


@every_pooling
def test_gradients_per_sample_are_those_of_each_image_alone(name):
    pooling = make(name)
    features = random_features(3, CHANNELS, 4)

    def loss(image):
        return pooling(image.unsqueeze(0)).square().sum()

    got = torch.vmap(torch.func.grad(loss))(features)
    close(got, torch.stack([torch.func.grad(loss)(image) for image in features]))


@every_pooling
def test_on_meta_there_are_shapes(name):
    with torch.device("meta"):
        pooling = make(name, torch.float32)
        pooled = pooling(torch.empty(2, CHANNELS, 3, 4), torch.empty(2, 3, 4))
    assert pooled.is_meta
    assert pooled.shape == (2, pooling.out_channels)
    assert "Pool" in repr(pooling)


@every_pooling
def test_a_pooling_made_on_meta_is_reset_to_its_start(name):
    with torch.device("meta"):
        pooling = make(name, torch.float32)
    pooling.to_empty(device="cpu")
    for tensor in pooling.state_dict().values():
        tensor.fill_(77)
    for module in pooling.modules():
        if hasattr(module, "reset_parameters"):
            module.reset_parameters()
    assert not any((parameter == 77).any() for parameter in pooling.parameters())
    with torch.no_grad():
        assert pooling(random_features(2, CHANNELS, 4).float()).isfinite().all()


@pytest.mark.parametrize("name", ["mixed", "lse", "gem", "gated", "tree", "gmp", "attentive-gmp"])
def test_a_start_without_chance_is_that_of_a_new_pooling(name):
    new, changed = (make_pooling(name, channels=CHANNELS) for _ in range(2))
    for parameter in changed.parameters():
        nn.init.constant_(parameter, 77)
    for module in changed.modules():
        if hasattr(module, "reset_parameters"):
            module.reset_parameters()
    for key, value in new.state_dict().items():
        assert_close(changed.state_dict()[key], value, rtol=0, atol=0)


@every_pooling
def test_torch_fx_sees_a_leaf(name):
    pooling = make(name, torch.float32)
    model = nn.Sequential(nn.Conv2d(3, CHANNELS, 1), pooling)
    images = torch.randn(2, 3, 4, 4)
    traced = torch.fx.symbolic_trace(model)
    assert_close(traced(images), model(images))
    assert len(list(traced.parameters())) == len(list(model.parameters()))


def test_torchvision_finds_the_features_before_and_after_a_pooling():
    extraction = pytest.importorskip("torchvision.models.feature_extraction")
    model = nn.Sequential(nn.Conv2d(3, CHANNELS, 1), make("gmp", torch.float32))
    features = extraction.create_feature_extractor(model, ["0", "1"])(torch.randn(2, 3, 4, 4))
    assert_close(features["1"], model[1](features["0"]))


def test_torch_fx_is_told_to_trace_what_is_around_a_pooling():
    with pytest.raises(ValueError, match=r"GeneralizedMaxPool is a leaf of torch\.fx"):
        torch.fx.symbolic_trace(GeneralizedMaxPool())


@every_pooling
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_parameter_that_is_one_number_stays_in_float32(name, dtype):
    pooling = make(name, torch.float32)
    half = copy.deepcopy(pooling).to(dtype)
    for key, after in half.named_parameters():
        assert after.dtype == (torch.float32 if key.endswith(NUMBERS) else dtype)
    for key in [key for key, _ in half.named_parameters() if key.endswith(NUMBERS)]:
        assert torch.equal(half.get_parameter(key), pooling.get_parameter(key))


def test_a_ridge_of_a_bfloat16_layer_moves_under_adam():
    layer = GeneralizedMaxPool(7e4).bfloat16()
    optimiser = torch.optim.Adam(layer.parameters(), lr=1e-3)
    before = layer.ridge.item()
    features = torch.randn(2, 8, 4, 4).relu().bfloat16() * 100
    layer(features)[:, 0].sum().backward()
    optimiser.step()
    assert layer.ridge.item() != before
    assert layer.half()(features.half()).isfinite().all()


OF_VERSION_0_1 = {"gmp": {"relative": True}, "attentive-gmp": {"relative": True}}


@every_pooling
def test_states_whose_numbers_have_no_axis_still_load(name):
    pooling, other = (make(name, seed=seed, **OF_VERSION_0_1.get(name, {})) for seed in (0, 5))
    old = {
        key: value.squeeze() if key.endswith(NUMBERS) else value
        for key, value in pooling.state_dict().items()
        if "_extra_state" not in key
    }
    other.load_state_dict(old)
    features = random_features(2, CHANNELS, 6)
    assert_close(other(features), pooling(features), rtol=0, atol=0)


@every_pooling
def test_no_parameter_is_without_an_axis(name):
    assert all(tensor.ndim for tensor in make(name).state_dict().values())


@every_pooling
def test_a_single_image_without_a_batch_is_refused_with_what_would_be_right(name):
    with pytest.raises(ValueError, match=r"batch axis, features.unsqueeze\(0\)"):
        make(name)(random_features(CHANNELS, 7, 6))

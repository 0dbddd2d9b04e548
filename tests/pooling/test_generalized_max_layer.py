"""Generalized max pooling as a layer: its ridge, its copies, compiled and exported."""

import copy

import pytest
import torch
from torch.testing import assert_close

from dgmp.pooling import GeneralizedMaxPool, generalized_max_pool, unit_length

from .feature_maps import RELATIVE, feature_map


def test_one_position_points_along_itself():
    features = torch.randn(2, 5, 1)
    assert_close(GeneralizedMaxPool(1e3)(features), unit_length(features.squeeze(2)))


@pytest.mark.parametrize("learn", [True, False, "linear"])
@RELATIVE
def test_the_layer_is_the_function(learn, relative):
    features = feature_map(6)
    layer = GeneralizedMaxPool(0.5, relative=relative, learn_ridge=learn)
    expected = unit_length(generalized_max_pool(features, 0.5, relative=relative))
    assert_close(layer(features), expected, rtol=1e-6, atol=1e-7)
    assert len(list(layer.parameters())) == bool(learn)
    assert layer.state_dict().keys() == {
        "linear_ridge" if learn == "linear" else "log_ridge",
        "_extra_state",
    }


def test_a_ridge_without_a_value_is_the_documented_default():
    assert GeneralizedMaxPool(target="one").ridge.item() == pytest.approx(1e3)
    assert GeneralizedMaxPool(relative=False).ridge.item() == pytest.approx(1e3)
    assert GeneralizedMaxPool().ridge.item() == pytest.approx(1)
    assert GeneralizedMaxPool(relative=True, center=4).ridge.item() == pytest.approx(0.03)
    assert GeneralizedMaxPool(relative=True).ridge.item() == pytest.approx(1)


def test_the_learned_ridge_stays_positive_under_any_step():
    layer = GeneralizedMaxPool(1e-3)
    optimiser = torch.optim.SGD(layer.parameters(), lr=1e3)
    for _ in range(3):
        optimiser.zero_grad()
        layer(torch.randn(2, 8, 4, 4)).sum().backward()
        optimiser.step()
    assert layer.ridge >= 0  # exp underflows to zero, never below
    assert layer(torch.randn(2, 8, 4, 4)).isfinite().all()


def test_a_linear_ridge_below_zero_pools_at_the_floor():
    layer = GeneralizedMaxPool(1.0, learn_ridge="linear")
    with torch.no_grad():
        layer.linear_ridge.fill_(-5)
    features = torch.randn(2, 8, 4, 4)
    assert layer(features).isfinite().all()
    assert layer.last_relative_ridge == pytest.approx(16 * torch.finfo(torch.float32).eps)


@RELATIVE
def test_the_last_batch_leaves_its_ridge_in_both_units(relative):
    features = feature_map(6, dtype=torch.float32)
    layer = GeneralizedMaxPool(0.5, relative=relative)
    assert layer.last_ridge is None
    layer(features)
    energy = features.square().sum((1, 2, 3))
    ridge = 0.5 * energy if relative else torch.full((3,), 0.5)
    assert layer.last_ridge == pytest.approx(ridge.mean().item())
    assert layer.last_relative_ridge == pytest.approx((ridge / energy).mean().item())


@pytest.mark.parametrize(
    ("backend", "channels"),
    # One with inductor: the graph is the same, as the operator chooses the form when it runs.
    [("aot_eager", 6), ("aot_eager", 40), ("inductor", 40)],
    ids=["primal-aot_eager", "dual-aot_eager", "dual-inductor"],
)
def test_it_compiles_as_one_graph(backend, channels):
    torch._dynamo.reset()
    layer = GeneralizedMaxPool(0.1, relative=True, center=channels)
    compiled = torch.compile(copy.deepcopy(layer), fullgraph=True, backend=backend)
    features = torch.randn(2, channels, 5, 6)
    ours, theirs = features.clone().requires_grad_(), features.clone().requires_grad_()
    mask = torch.rand(2, 5, 6) > 0.3
    expected, got = layer(ours, mask), compiled(theirs, mask)
    assert_close(got, expected)
    expected[:, 0].sum().backward()
    got[:, 0].sum().backward()
    assert_close(theirs.grad, ours.grad)
    assert_close(compiled.mean.running_mean, layer.mean.running_mean)


def test_it_exports_with_any_size_and_chooses_the_form_when_it_runs():
    layer = GeneralizedMaxPool(0.1, relative=True, center=40).eval()
    auto = torch.export.Dim.AUTO
    program = torch.export.export(
        layer, (torch.randn(2, 40, 5, 6),), dynamic_shapes=({0: auto, 2: auto, 3: auto},)
    ).module()
    for size in [(3, 40, 4, 4), (1, 40, 9, 11)]:
        features = torch.randn(size)
        assert_close(program(features), layer(features))


def test_copies_and_saved_states_pool_alike():
    features = torch.randn(2, 8, 5, 5)
    layer = GeneralizedMaxPool(0.2, relative=True, center=8)
    layer(features)
    fresh = GeneralizedMaxPool(7.0, relative=True, center=8)
    fresh.load_state_dict(layer.state_dict())
    for other in (fresh.eval(), copy.deepcopy(layer).eval()):
        assert_close(other(features), layer.eval()(features))


@pytest.mark.parametrize("value", [0, -1.0, float("nan"), float("inf")])
def test_a_ridge_that_is_not_positive_is_refused(value):
    with pytest.raises(ValueError, match="ridge must be a positive number, got"):
        GeneralizedMaxPool(value)


def test_wrong_settings_say_what_would_be_right():
    with pytest.raises(ValueError, match=r"center=4 must be the number of channels.* 5"):
        GeneralizedMaxPool(center=4)(torch.randn(2, 5, 3, 3))
    for center in (-1, True, 2.5, "512"):
        with pytest.raises(ValueError, match="center must be the number of channels, such as"):
            GeneralizedMaxPool(center=center)
    with pytest.raises(ValueError, match="ridge must be a positive number, got 'auto'"):
        GeneralizedMaxPool(ridge="auto")
    with pytest.raises(ValueError, match="learn_ridge must be"):
        GeneralizedMaxPool(learn_ridge="log")


@RELATIVE
@pytest.mark.parametrize("learn", [True, False, "linear"])
def test_a_ridge_of_the_other_kind_is_refused_with_words(relative, learn):
    layer = GeneralizedMaxPool(5.0, relative=relative, learn_ridge=learn)
    other = GeneralizedMaxPool(5.0, relative=not relative, learn_ridge=learn)
    with pytest.raises(ValueError, match=f"build it with relative={relative}"):
        other.load_state_dict(layer.state_dict())


def test_a_state_of_version_0_1_is_refused_where_its_ridge_can_only_be_absolute():
    with pytest.raises(ValueError, match="build it with relative=False"):
        GeneralizedMaxPool(relative=True).load_state_dict({"log_ridge": torch.tensor(6.9)})
    GeneralizedMaxPool(relative=True).load_state_dict({"log_ridge": torch.tensor(-3.5)})


def test_the_layer_prints_its_ridge_and_centring():
    shown = "ridge=0.05, relative=True, target='one', learn_ridge=True, center=8, normalize=True"
    assert shown in repr(GeneralizedMaxPool(0.05, relative=True, center=8))
    assert "target='energy', group=16" in repr(GeneralizedMaxPool())


def test_a_ridge_or_its_unit_asks_for_the_paper_and_no_argument_for_targets_of_energy():
    made = GeneralizedMaxPool(), GeneralizedMaxPool(center=4)
    assert [(layer.target, layer.normalize) for layer in made] == [("energy", False)] * 2
    made = GeneralizedMaxPool(5.0), GeneralizedMaxPool(relative=True)
    assert [(layer.target, layer.normalize) for layer in made] == [("one", True)] * 2


def test_a_state_of_the_paper_is_refused_by_targets_of_energy():
    with pytest.raises(ValueError, match=r"holds an absolute ridge.*build it with relative=False"):
        GeneralizedMaxPool().load_state_dict(GeneralizedMaxPool(1e3).state_dict())
    with pytest.raises(ValueError, match='build it with target="energy"'):
        GeneralizedMaxPool(relative=True).load_state_dict(GeneralizedMaxPool().state_dict())
    with pytest.raises(ValueError, match="build it with relative=False"):  # of version 0.1
        GeneralizedMaxPool().load_state_dict({"log_ridge": torch.tensor(6.9)})


@pytest.mark.parametrize(
    "options",
    [
        {"target": "two"},
        {"group": 0},
        {"target": "energy", "relative": False},
        {"relative": True, "group": 8},
    ],
)
def test_options_that_contradict_each_other_are_refused(options):
    with pytest.raises(ValueError, match=r"target|group|relative"):
        GeneralizedMaxPool(**options)

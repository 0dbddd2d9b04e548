"""Learning rates."""

from dataclasses import replace

import pytest

from dgmp.models import ModelSpec
from dgmp.pooling import pooling_parameters
from dgmp.training import RECIPES
from dgmp.training.schedules import decay, make_optimizer, set_learning_rate


def test_the_rate_is_constant_and_then_falls_to_a_thousandth():
    recipe = replace(RECIPES["writer-paper"], epochs=300, decay_from=150)
    assert decay(recipe, 0) == decay(recipe, 150) == 1
    assert decay(recipe, 225) == pytest.approx(0.001**0.5)
    assert decay(recipe, 300) == pytest.approx(0.001)
    assert decay(replace(recipe, final_rate=0.5), 300) == pytest.approx(0.5)
    assert decay(replace(recipe, decay_from=300), 299) == 1


def test_poolings_keep_their_multiplier_through_the_decay_and_have_no_weight_decay():
    recipe = replace(RECIPES["writer-small"], pooling_rate=30.0)
    model = ModelSpec("resnet20", "gmp", stem_stride=2).build()
    optimizer = make_optimizer(model, recipe)
    network, pooling = optimizer.param_groups
    assert pooling["params"] == pooling_parameters(model)
    assert (network["weight_decay"], pooling["weight_decay"]) == (recipe.weight_decay, 0)
    assert len(network["params"]) + 1 == len(list(model.parameters()))
    for epoch in (0, recipe.epochs - 1):
        set_learning_rate(optimizer, recipe, epoch, step=10**6)
        assert pooling["lr"] == pytest.approx(30 * network["lr"])


def test_the_rate_warms_up_over_the_first_steps():
    recipe = replace(RECIPES["writer-small"], warmup_steps=10)
    optimizer = make_optimizer(ModelSpec("resnet20", "avg", stem_stride=2).build(), recipe)
    rates = [set_learning_rate(optimizer, recipe, 0, step) for step in range(12)]
    assert rates[0] == pytest.approx(recipe.learning_rate / 10)
    assert rates[9] == rates[11] == pytest.approx(recipe.learning_rate)

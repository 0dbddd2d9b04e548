"""What is planted, and what the table says of it."""

from dataclasses import replace

import pytest
import torch
from torch import Generator
from torch.testing import assert_close

from dgmp.demo import (
    SCENES,
    SMALL_RIDGE,
    Planted,
    PlantedMaps,
    Planting,
    Scene,
    plant,
    planted_table,
)
from dgmp.demo.planted import PLANTED_POOLINGS, judge
from dgmp.pooling import GeneralizedMaxPool, generalized_max_weights

SMALL = Planting(writers=6, maps_per_writer=3)
SCENE = Scene("small", SMALL, "Six writers.")
EVERY_POOLING = pytest.mark.parametrize("pooling", PLANTED_POOLINGS)
EVERY_SCENE = pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)


def seeded(seed=0):
    return Generator().manual_seed(seed)


def small_maps(**changes):
    return plant(replace(SMALL, **changes), seeded())


def values(row):
    return torch.tensor([row.writer, row.writing, row.top1, row.mean_average_precision])


@EVERY_SCENE
def test_as_much_is_planted_as_the_scene_says(scene):
    maps = plant(scene.planting, seeded())
    positions = scene.planting.side**2
    count = {kind: (maps.kinds == kind).flatten(1).sum(1) for kind in Planted}
    assert (count[Planted.RARE] == scene.planting.rare).all()
    assert (count[Planted.BLOT] == scene.planting.blots).all()
    assert (count[Planted.STROKE] >= 0.15 * positions - 0.5).all()
    assert (count[Planted.STROKE] <= 0.35 * positions + 0.5).all()
    assert (count[Planted.PARCHMENT] > positions / 2).all()


def test_without_noise_each_position_is_its_pattern_on_the_shared_mean():
    maps = small_maps(noise=0, mean=0)
    writer = maps.writers[-1]
    rare = maps.features[-1][:, maps.kinds[-1] == Planted.RARE]  # (C, rare)
    assert_close(rare, (SMALL.scale * maps.own[writer]).unsqueeze(1).expand_as(rare))


def test_parchment_is_the_same_for_all_writers():
    maps = small_maps(noise=0)
    parchment = [f[:, k == Planted.PARCHMENT].mean(1) for f, k in zip(*_both(maps), strict=True)]
    assert_close(torch.stack(parchment), parchment[0].expand(len(parchment), -1))


def test_features_look_as_after_a_relu():
    features = plant(SCENES[0].planting, seeded()).features
    assert (features >= 0).all()
    assert (features == 0).any()
    assert 0.5 < features.mean() < 0.7


def test_what_does_not_fit_on_the_map_is_refused():
    with pytest.raises(ValueError, match="must fit on the 98 positions"):
        Planting(rare=50)
    with pytest.raises(ValueError, match="blots must fit"):
        Planting(blots=99)
    with pytest.raises(ValueError, match="active must be from 1 to 256, got 257"):
        Planting(active=257)


def test_gmp_gives_rare_positions_more_weight_than_frequent_ones():
    maps = small_maps()
    weights = generalized_max_weights(maps.features, SMALL_RIDGE, relative=True)
    mean = {
        kind: (weights * (maps.kinds == kind)).sum((1, 2)) / (maps.kinds == kind).sum((1, 2))
        for kind in (Planted.RARE, Planted.STROKE, Planted.PARCHMENT)
    }
    assert (mean[Planted.RARE] > 1.5 * mean[Planted.STROKE]).all()
    assert (mean[Planted.RARE] > 1.5 * mean[Planted.PARCHMENT]).all()


@EVERY_POOLING
def test_where_nothing_is_planted_no_pooling_keeps_more_than_chance(pooling):
    row = judge(small_maps(rare=0), pooling, PLANTED_POOLINGS[pooling])
    assert row.writer < 100 * 4 / SMALL.channels


@EVERY_POOLING
def test_the_order_of_the_positions_is_nothing_to_a_pooling(pooling):
    maps = small_maps()
    order = torch.randperm(SMALL.side**2, generator=seeded(1))
    shuffled = maps.features.flatten(2)[:, :, order].unflatten(2, (SMALL.side, SMALL.side))
    before = judge(maps, pooling, PLANTED_POOLINGS[pooling])
    after = judge(replace(maps, features=shuffled), pooling, PLANTED_POOLINGS[pooling])
    assert_close(values(after), values(before), rtol=1e-3, atol=1e-3)


def test_the_same_seed_gives_the_same_table():
    first, second = (planted_table(SCENE, seeded(3), draws=2) for _ in range(2))
    assert first == second


def test_the_table_is_the_mean_over_its_draws():
    single = [planted_table(SCENE, seeded(0), draws=1)]
    generator = seeded(0)
    plant(SMALL, generator)
    single.append(planted_table(SCENE, generator, draws=1))
    both = planted_table(SCENE, seeded(0), draws=2)
    for row, *alone in zip(both.rows, *(table.rows for table in single), strict=True):
        assert_close(values(row), torch.stack([values(one) for one in alone]).mean(0))


def test_centred_gmp_is_the_layer_with_center_in_training():
    maps = small_maps()
    layer = GeneralizedMaxPool(SMALL_RIDGE, relative=True, center=SMALL.channels).train()
    row = judge(maps, "layer", layer)
    name = "GMP ρ=0.03, centred"
    assert_close(
        values(row), values(judge(maps, name, PLANTED_POOLINGS[name])), rtol=1e-3, atol=1e-3
    )


def test_the_layers_defaults_are_in_the_table():
    absolute, raw, centred = (
        f"{GeneralizedMaxPool(**options).ridge.item():.4g}"
        for options in ({"target": "one"}, {"relative": True}, {"relative": True, "center": 4})
    )
    assert {f"GMP λ={absolute}", f"GMP ρ={raw}", f"GMP ρ={centred}, centred"} <= set(
        PLANTED_POOLINGS
    )


def test_a_descriptor_that_is_the_writer_itself_is_all_writer_and_finds_all():
    maps = small_maps()
    row = judge(maps, "truth", lambda _: maps.own[maps.writers])
    assert row.writer + row.writing == pytest.approx(100, abs=0.1)
    assert row.top1 == row.mean_average_precision == 100


def test_a_writer_that_comes_third_has_average_precision_one_third():
    corners = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    writers = torch.tensor([0, 1, 0, 1])  # both neighbours of a corner are the other writer's
    truth = PlantedMaps(corners, writers, writers, own=corners[:2], writing=corners[3])
    row = judge(truth, "corners", lambda corners: corners + 1)
    assert row.top1 == 0
    assert row.mean_average_precision == pytest.approx(100 / 3)


def test_rare_strokes_are_kept_better_by_gmp_than_by_any_other():
    rows = _rows(SCENES[0])
    gmp = rows.pop("GMP ρ=0.03")
    rivals = [row for name, row in rows.items() if not name.startswith("GMP")]
    assert gmp.writer > 2 * max(row.writer for row in rivals)
    assert gmp.mean_average_precision > 20 + max(row.mean_average_precision for row in rivals)


def test_where_rare_positions_are_blots_gmp_loses_to_avg_unless_centred():
    rows = _rows(SCENES[2])
    plain = rows["GMP ρ=0.03"]
    centred = rows["GMP ρ=0.03, centred"]
    assert plain.mean_average_precision < rows["avg, ℓ2"].mean_average_precision
    assert centred.mean_average_precision > rows["avg, ℓ2"].mean_average_precision


def _both(maps):
    return maps.features, maps.kinds


def _rows(scene):
    return {row.pooling: row for row in planted_table(scene, seeded(), draws=1).rows}

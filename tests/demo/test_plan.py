"""How much the demo makes."""

from dataclasses import replace

from dgmp.demo import DemoPlan


def test_the_demo_tests_on_enough_writers_that_were_not_learned():
    plan = DemoPlan()
    assert plan.unseen.writers >= 50
    assert plan.unseen.seed != plan.known.seed


def test_the_recipes_differ_in_the_pooling_alone():
    gmp, average = DemoPlan().writer_recipe, DemoPlan().average_recipe
    assert gmp.model.pooling == "gmp"
    assert average.model.pooling == "avg"
    model = replace(
        average.model, pooling="gmp", pooling_options=gmp.model.pooling_options, normalize=True
    )
    assert replace(average, model=model) == gmp

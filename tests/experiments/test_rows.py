"""Rows differ in what they name, and every table is whole."""

import pytest

from dgmp.errors import UnknownName
from dgmp.experiments import TABLES, Setting

from .conftest import POOLINGS, TINY


def test_rows_differ_from_their_recipe_in_the_pooling_and_the_margin_alone(writers):
    base = Setting.choose(POOLINGS, writers, changes=TINY).recipe
    for table in (POOLINGS, TABLES["margins"]):
        for row in table.rows:
            recipe = row.recipe(base)
            assert recipe.model.backbone == base.model.backbone
            assert (recipe.epochs, recipe.batch, recipe.input) == (2, 6, base.input)
            assert recipe.margin == (base.margin if row.margin is None else row.margin)
            assert recipe.mining == (base.mining if row.margin is None else "hard")


@pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
def test_every_row_is_compared_with_a_row_that_is_there(table):
    names = {row.name for row in table.rows}
    assert len(names) == len(table.rows)
    assert {row.baseline for row in table.rows if row.baseline} <= names
    assert {row.whitened for row in table.rows if row.whitened} <= names


def test_the_row_that_is_whitened_brings_the_row_it_needs():
    names = [row.name for row in POOLINGS.chosen(["avg-l2-whitened"])]
    assert names == ["avg-l2", "avg-l2-whitened"]


def test_a_row_that_is_not_there_is_refused_with_the_nearest_that_is():
    with pytest.raises(UnknownName, match=r"no row of the table poolings called 'gmp-centered'"):
        POOLINGS.chosen(["avg", "gmp-centered"])
    with pytest.raises(UnknownName, match=r"did you mean 'gmp-centred'\? Choose from avg, avg-l2"):
        POOLINGS.chosen(["avg", "gmp-centered"])

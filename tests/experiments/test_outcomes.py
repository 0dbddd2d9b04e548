"""Means over seeds, paired differences, ensembles."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from dgmp.evaluation import compare, load_scores
from dgmp.experiments import mean_scores
from dgmp.experiments.outcomes import outcomes

from .conftest import SCRIPTS


def test_a_value_is_the_mean_over_seeds_and_a_difference_is_paired(made):
    with made.paths[1].open() as file:
        row = next(
            row
            for row in csv.DictReader(file)
            if (row["row"], row["view"], row["measure"]) == ("gmp-centred", "square", "map")
        )
    runs = made.out / "runs"
    ours = [load_scores(runs / f"gmp-centred-{seed}/scores-square.json") for seed in (0, 1)]
    others = [load_scores(runs / f"avg-l2-{seed}/scores-square.json") for seed in (0, 1)]
    assert float(row["value"]) == pytest.approx(np.mean([s.map for s in ours]), rel=1e-4)
    assert float(row["std"]) == pytest.approx(np.std([s.map for s in ours], ddof=1), abs=1e-4)
    paired = compare(mean_scores(ours), mean_scores(others))["map"]
    assert float(row["difference"]) == pytest.approx(paired.value, abs=1e-4)
    assert float(row["difference_low"]) == pytest.approx(paired.low, abs=1e-4)


def test_a_query_that_a_run_lacks_is_left_out_of_the_mean(made):
    runs = made.out / "runs"
    whole = load_scores(runs / "avg-l2-0/scores-page.json")
    less = replace(
        whole,
        item_ids=whole.item_ids[1:],
        item_labels=whole.item_labels[1:],
        item_clusters=whole.item_clusters[1:],
        item_values={name: values[1:] for name, values in whole.item_values.items()},
    )
    mean = mean_scores([whole, less])
    assert mean.item_ids == less.item_ids
    assert mean.queries == whole.queries - 1
    assert "1 pages could not be described by every run" in mean.notes


def test_a_script_table_has_an_ensemble_and_counts_manuscripts(made_scripts):
    pages = made_scripts.setting.test.pages
    found = outcomes(SCRIPTS, made_scripts.out, "page", pages)
    assert [outcome.row.name for outcome in found] == ["avg-l2", "dgmp"]
    for outcome in found:
        assert outcome.ensemble is not None
        assert outcome.scores.queries == 3
        assert "group_accuracy" in outcome.scores.values

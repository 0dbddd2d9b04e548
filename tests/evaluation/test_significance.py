"""Intervals cover, comparisons are fair, and neither depends on the order of the pages."""

from dataclasses import replace

import numpy as np
import pytest

from dgmp.evaluation import classification_scores, compare, retrieval_scores, with_intervals
from dgmp.evaluation.significance import measure
from dgmp.records import Scores


def corpus(seed=0, writers=15, pages=4, noise=1.5, dim=16):
    generator = np.random.default_rng(seed)
    hands = generator.standard_normal((writers, dim)).repeat(pages, axis=0)
    labels = [f"w{n // pages}" for n in range(len(hands))]
    return hands + noise * generator.standard_normal(hands.shape), labels


def two_systems():
    vectors, labels = corpus()
    worse = vectors + np.random.default_rng(9).standard_normal(vectors.shape)
    return retrieval_scores(vectors, labels), retrieval_scores(worse, labels)


def bare(values, clusters):
    ids = tuple(str(n) for n in range(len(values)))
    return Scores(
        task="retrieval",
        values={"map": float(np.mean(values))},
        definitions={},
        queries=len(values),
        item_ids=ids,
        item_labels=tuple(clusters),
        item_clusters=tuple(clusters),
        item_values={"map": tuple(values)},
    )


def test_intervals_cover_the_truth_where_single_queries_would_not():
    generator = np.random.default_rng(0)
    clusters = [f"{n // 5}" for n in range(200)]
    covered, width = 0, []
    for _ in range(300):  # five queries of a writer share the writer's fortune
        values = generator.beta(2, 2, 40).repeat(5) * 0.9 + 0.1 * generator.random(200)
        low, high = with_intervals(bare(values, clusters), resamples=300).intervals["map"]
        covered += low < 0.5 < high
        width.append(high - low)
    assert 0.90 < covered / 300 < 0.985
    single = with_intervals(bare(values, [str(n) for n in range(200)]), resamples=300)
    low, high = single.intervals["map"]
    assert high - low < 0.6 * np.mean(width)


@pytest.mark.parametrize("name", ["map", "top_1", "top_5", "top_5_hard"])
def test_a_value_is_what_the_resamples_compute_without_resampling(name):
    scores = retrieval_scores(*corpus())
    assert measure(scores, name) == pytest.approx(scores[name], abs=1e-12)


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "group_accuracy"])
def test_so_it_is_for_a_classification(name):
    generator = np.random.default_rng(1)
    groups = generator.integers(20, size=80)
    shares = generator.dirichlet([1, 1, 1], size=80)
    scores = classification_scores(shares, groups % 3, groups=groups)
    assert measure(scores, name) == pytest.approx(scores[name], abs=1e-12)
    low, high = scores.intervals[name]
    assert low <= scores[name] <= high


def test_the_same_seed_gives_the_same_interval():
    vectors, labels = corpus()
    first = retrieval_scores(vectors, labels, seed=3)
    assert retrieval_scores(vectors, labels, seed=3) == first
    assert retrieval_scores(vectors, labels, seed=4).intervals != first.intervals


def test_more_writers_make_the_interval_narrower():
    few, many = (retrieval_scores(*corpus(writers=n)).intervals["map"] for n in (10, 80))
    assert many[1] - many[0] < few[1] - few[0]


def test_no_interval_comes_from_one_cluster():
    scores = with_intervals(bare([0.2, 0.8], ["w", "w"]))
    assert not scores.intervals
    assert "one cluster" in scores.notes[0]


def test_a_comparison_is_antisymmetric():
    a, b = two_systems()
    there, back = compare(a, b)["map"], compare(b, a)["map"]
    assert there.value == -back.value
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low), abs=1e-12)
    assert (there.below_zero, there.above_zero) == (back.above_zero, back.below_zero)


def test_a_better_system_is_recognised():
    found = compare(*two_systems())
    assert found["map"].low > 0
    assert found["map"].below_zero < 0.025
    assert "a − b on 60 queries, 15 clusters" in str(found)


def test_a_system_does_not_differ_from_itself():
    a, _ = two_systems()
    found = compare(a, a)["map"]
    assert (found.value, found.low, found.high) == (0, 0, 0)
    assert found.below_zero == found.above_zero == 0


def test_pairing_makes_a_comparison_sharper():
    generator = np.random.default_rng(2)
    clusters = [str(n // 5) for n in range(200)]
    hard = generator.random(40).repeat(5) * 0.8
    a, b = (with_intervals(bare(hard + shift, clusters)) for shift in (0.11, 0.1))
    found = compare(a, b)["map"]
    assert a.intervals["map"][0] < b.values["map"]  # the single intervals overlap
    assert found.low > 0


def test_queries_are_matched_by_id():
    a, b = two_systems()
    order = np.random.default_rng(0).permutation(len(b.item_ids))
    moved = replace(
        b,
        item_ids=tuple(b.item_ids[n] for n in order),
        item_labels=tuple(b.item_labels[n] for n in order),
        item_clusters=tuple(b.item_clusters[n] for n in order),
        item_values={k: tuple(v[n] for n in order) for k, v in b.item_values.items()},
    )
    assert compare(a, moved) == compare(a, b)


def test_classifications_are_compared_over_manuscripts():
    generator = np.random.default_rng(3)
    groups = np.arange(60) // 3
    truth = groups % 3
    good, bad = (
        classification_scores(
            0.6 * np.eye(3)[np.where(generator.random(60) < share, truth, 0)] + 0.4 / 3,
            truth,
            groups=groups,
        )
        for share in (0.95, 0.5)
    )
    found = compare(good, bad)
    assert set(found.differences) == {"accuracy", "balanced_accuracy", "group_accuracy"}
    assert found.clusters == 20
    assert found["accuracy"].low > 0


def test_what_cannot_be_compared_is_named():
    a, b = two_systems()
    other = retrieval_scores(*corpus(writers=16))
    shares = classification_scores([[0.5, 0.5], [0.1, 0.9]], [0, 1])
    with pytest.raises(ValueError, match="'000000060' is in one only"):
        compare(a, other)
    with pytest.raises(ValueError, match="a is a retrieval, b a classification"):
        compare(a, shares)
    with pytest.raises(ValueError, match=r"share no measure \['mAP'\]"):
        compare(a, b, measures=["mAP"])
    with pytest.raises(ValueError, match="resamples must be at least 1"):
        compare(a, b, resamples=0)
    with pytest.raises(ValueError, match="resamples must not be negative"):
        with_intervals(a, resamples=-1)
    with pytest.raises(ValueError, match="other labels or groups"):
        compare(a, replace(b, item_clusters=a.item_clusters[::-1]))

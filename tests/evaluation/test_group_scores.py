"""Measures of groupings: slow references, scikit-learn, and laws."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgmp.evaluation import adjusted_rand_index, bcubed

LABELS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=25)


def slow_bcubed(writers, groups):
    pages = range(len(writers))
    precision = recall = 0.0
    for page in pages:
        group = [p for p in pages if groups[p] == groups[page]]
        hand = [p for p in pages if writers[p] == writers[page]]
        both = len(set(group) & set(hand))
        precision += both / len(group) / len(writers)
        recall += both / len(hand) / len(writers)
    return precision, recall


@given(LABELS)
def test_bcubed_is_that_of_the_slow_way(pairs):
    writers, groups = zip(*pairs, strict=True)
    found = bcubed(writers, groups)
    assert found[:2] == pytest.approx(slow_bcubed(writers, groups))
    assert found.f == pytest.approx(2 / (1 / found.precision + 1 / found.recall))


@given(LABELS)
def test_the_adjusted_rand_index_is_that_of_scikit_learn(pairs):
    from sklearn.metrics import adjusted_rand_score

    writers, groups = zip(*pairs, strict=True)
    assert adjusted_rand_index(writers, groups) == pytest.approx(
        adjusted_rand_score(writers, groups)
    )


@given(LABELS)
def test_names_of_groups_and_the_order_of_pages_do_not_matter(pairs):
    writers, groups = zip(*pairs, strict=True)
    named = [f"hand {group}" for group in groups]
    turned = writers[::-1], named[::-1]
    assert adjusted_rand_index(*turned) == pytest.approx(adjusted_rand_index(writers, groups))
    assert bcubed(*turned) == pytest.approx(bcubed(writers, groups))


@given(LABELS)
def test_exchanging_the_two_exchanges_precision_and_recall(pairs):
    writers, groups = zip(*pairs, strict=True)
    there, back = bcubed(writers, groups), bcubed(groups, writers)
    assert (there.precision, there.recall) == pytest.approx((back.recall, back.precision))
    assert adjusted_rand_index(writers, groups) == pytest.approx(
        adjusted_rand_index(groups, writers)
    )


def test_true_groups_are_perfect():
    writers = list("aabbbc")
    assert adjusted_rand_index(writers, writers) == 1
    assert bcubed(writers, writers) == (1, 1, 1)


def test_groups_by_chance_have_an_index_of_0_on_average():
    found = [
        adjusted_rand_index(order, (0, 0, 1, 1, 2))
        for order in itertools.permutations((0, 0, 0, 1, 1))
    ]
    assert np.mean(found) == pytest.approx(0, abs=1e-9)


def test_a_case_worked_by_hand():
    found = bcubed(list("aab"), [0, 0, 0])
    assert found.precision == pytest.approx((2 / 3 + 2 / 3 + 1 / 3) / 3)
    assert found.recall == 1


def test_lists_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="got 2 and 1"):
        bcubed("ab", "a")

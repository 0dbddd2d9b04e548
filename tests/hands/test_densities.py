"""The densities of likenesses come back from pairs that were drawn from them."""

from dataclasses import replace

import numpy as np
import pytest

from dgmp.hands.densities import START, Pairs, fit_densities


def drawn_pairs(mean, noise, spread=0.12, pairs=4000, reliability=0.6, seed=0):
    """Half of them by one hand, from densities with this mean of one hand and this noise."""
    generator = np.random.default_rng(seed)
    same = np.arange(pairs) % 2 == 0
    one, two = replace(START.one_hand, mean=mean), replace(START.two_hands, spread=spread)
    likeness = np.empty(pairs)
    for kind, rows in ((one, same), (two, ~same)):
        other = generator.random(pairs) < kind.share
        centre = np.where(other, kind.other_mean, kind.mean)
        width = np.where(other, kind.other_spread, kind.spread)
        width = np.hypot(width, noise / np.sqrt(reliability))
        likeness[rows] = (centre + width * generator.standard_normal(pairs))[rows]
    return Pairs(likeness, np.full(pairs, reliability), same, spread)


@pytest.mark.parametrize("mean", [0.6, 0.8])
def test_the_likeness_of_one_hand_is_found_again(mean):
    assert fit_densities([drawn_pairs(mean, 0.03)]).one_hand.mean == pytest.approx(mean, abs=0.02)


def test_the_noise_is_found_again_where_pages_have_little_writing():
    found = fit_densities([drawn_pairs(0.7, 0.05, reliability=0.05)])
    assert found.noise == pytest.approx(0.05, rel=0.15)


def test_the_spread_is_the_geometric_mean_of_those_of_collections():
    found = fit_densities([drawn_pairs(0.7, 0.03, spread=spread) for spread in (0.1, 0.225)])
    assert found.two_hands.spread == pytest.approx(0.15)


def test_how_many_pairs_a_collection_has_by_one_hand_does_not_matter():
    whole = drawn_pairs(0.7, 0.03)
    kept = np.flatnonzero(~whole.same | (np.arange(4000) % 8 == 0))
    few = Pairs(whole.likeness[kept], whole.reliability[kept], whole.same[kept], whole.spread)
    found, wanted = fit_densities([few]), fit_densities([whole])
    assert found.one_hand.mean == pytest.approx(wanted.one_hand.mean, abs=0.02)


def test_two_copies_of_a_collection_say_no_more_than_one():
    pairs = drawn_pairs(0.7, 0.03)
    assert fit_densities([pairs, pairs]) == fit_densities([pairs])


def test_shapes_and_all_other_values_stay():
    start = replace(START, threshold=-1.5)
    found = fit_densities([drawn_pairs(0.7, 0.03)], start)
    assert found.threshold == -1.5
    assert replace(found.one_hand, mean=start.one_hand.mean) == start.one_hand
    assert replace(found.two_hands, spread=start.two_hands.spread) == start.two_hands

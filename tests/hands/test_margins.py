"""How far groups are from falling apart or together."""

from dataclasses import replace

import numpy as np
import pytest

from dgmp.hands.evidence import Evidence, part
from dgmp.hands.linkage import link_pages
from dgmp.hands.margins import margins
from dgmp.hands.neighbours import Neighbours


def test_margins_are_those_of_the_slow_way(collection, fitted):
    evidence = Evidence.of(part(collection[0], np.arange(40)), fitted)
    groups = link_pages(evidence, fitted.threshold)
    found = margins(evidence, groups, fitted.threshold)
    odds = evidence.between(np.arange(40), np.arange(40)) - fitted.threshold
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        means = {
            other: odds[np.ix_(members, groups == other)].mean()
            for other in np.unique(groups)
            if other != group
        }
        assert found.near[group, 0] == max(means, key=means.get)
        assert found.apart[group] == pytest.approx(-max(means.values()), abs=1e-3)
        for page in members[: len(members) * (len(members) > 1)]:
            others = members[members != page]
            assert found.fits[page] == pytest.approx(odds[page, others].mean(), abs=1e-3)
        assert found.weakest[group] == found.fits[members].min()


def test_margins_by_neighbours_are_those_of_all_pairs_where_all_are_neighbours(collection, fitted):
    evidence = Evidence.of(part(collection[0], np.arange(60)), fitted)
    rows = np.arange(60)
    odds = evidence.between(rows, rows) - evidence.prior
    np.fill_diagonal(odds, -np.inf)
    order = np.argsort(-odds, axis=1)[:, :59]
    found = Neighbours(
        order.astype(np.int32), np.take_along_axis(odds, order, 1), np.zeros((60, 2), np.float16)
    )
    groups = link_pages(evidence, fitted.threshold)
    ours = margins(replace(evidence, neighbours=found), groups, fitted.threshold)
    theirs = margins(evidence, groups, fitted.threshold)
    np.testing.assert_allclose(ours.fits, theirs.fits, atol=1e-4)
    np.testing.assert_array_equal(ours.near, theirs.near)
    np.testing.assert_allclose(ours.means, theirs.means, atol=1e-4)
    np.testing.assert_allclose(ours.apart, theirs.apart, atol=1e-4)


def test_groups_that_reach_the_threshold_are_named(collection, fitted):
    evidence = Evidence.of(part(collection[0], np.arange(30)), fitted)
    alone = np.arange(30)
    first, second = margins(evidence, alone, fitted.threshold).pairs_above(fitted.threshold)
    odds = evidence.between(alone, alone)
    assert len(first)
    assert (odds[first, second] >= fitted.threshold).all()

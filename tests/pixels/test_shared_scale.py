"""Scans that share a resolution get one distance, others their own."""

import math

import numpy as np
import pytest

from dgmp.files import from_plain, to_plain
from dgmp.pixels import CollectionScale, Measured, learn_scale


def collection(factors, *, spread=0.05, seed=0, **more):
    """Pages with lines about 76 pixels apart, at resolutions that differ by ``factors``."""
    off = np.random.default_rng(seed).normal(0, spread, len(factors))
    return [Measured(76 * f * math.exp(o), 0.6, **more) for f, o in zip(factors, off, strict=True)]


def distances(pages, scale=None):
    scale = scale or learn_scale(pages)
    return np.array([scale.distance(page) for page in pages])


@pytest.mark.parametrize("number", [1, 3, 10, 60, 600])
@pytest.mark.parametrize("factor", [0.7, 1, 1.4])
def test_scans_of_one_resolution_get_one_distance(number, factor):
    (found,) = set(distances(collection([factor] * number)))
    assert found == pytest.approx(76 * factor, rel=0.1)


@pytest.mark.parametrize("spread", [0.1, 0.2])
def test_writers_of_different_sizes_keep_them(spread):
    found = distances(collection([1] * 100, spread=spread))
    assert np.mean(found == np.median(found)) > 0.95


@pytest.mark.parametrize("factors", [(0.7, 1.4), (0.5, 1, 2)])
def test_several_resolutions_are_told_apart(factors):
    each = np.random.default_rng(1).choice(factors, 120)
    found = distances(collection(each))
    assert len(set(found)) == len(factors)
    assert found == pytest.approx(76 * each, rel=0.05)


def test_pages_keep_their_own_where_every_resolution_is_another():
    each = np.exp(np.random.default_rng(2).uniform(math.log(0.5), math.log(2), 100))
    pages = collection(each)
    assert distances(pages).tolist() == [page.distance for page in pages]


def test_a_wrong_estimate_that_is_not_sure_goes_with_the_others():
    pages = collection([1] * 50)
    assert distances([*pages, Measured(150, sure=0.05)])[-1] == pytest.approx(76, rel=0.05)


def test_a_page_far_from_all_others_keeps_its_own_if_it_is_sure():
    assert distances([*collection([1] * 50), Measured(230, sure=0.8)])[-1] == 230


def test_the_order_of_pages_does_not_matter():
    pages = collection([0.7] * 20 + [1.4] * 30, size=(800, 600), folder="a")
    mixed = [pages[i] for i in np.random.default_rng(3).permutation(len(pages))]
    assert learn_scale(pages) == learn_scale(mixed)


def test_another_unit_of_length_changes_nothing_else():
    pages = collection([1] * 20 + [2] * 20)
    larger = [Measured(3 * page.distance, page.sure) for page in pages]
    assert distances(larger) == pytest.approx(3 * distances(pages), rel=1e-6)


def test_tags_of_different_resolutions_give_the_ratio():
    tags = [300, 400] * 20
    pages = [
        Measured(page.distance, page.sure, dpi=dpi)
        for page, dpi in zip(collection([dpi / 300 for dpi in tags]), tags, strict=True)
    ]
    found = distances(pages)
    assert found[1] / found[0] == pytest.approx(4 / 3)
    assert len(set(found)) == 2


def test_a_known_resolution_is_shared_whatever_the_estimates_are():
    each = np.exp(np.random.default_rng(2).uniform(math.log(0.5), math.log(2), 100))
    pages = collection(each)
    scale = learn_scale(pages, dpi=300)
    assert len({scale.distance(scale.with_dpi(page)) for page in pages}) == 1
    other = scale.with_dpi(pages[0], dpi=600)
    assert scale.distance(other) == pytest.approx(
        2 * scale.distance(scale.with_dpi(pages[0])), rel=1e-9
    )


def test_a_known_line_distance_is_that_of_every_page():
    assert CollectionScale(line_distance=55).distance(Measured(90)) == 55


def test_a_query_without_a_tag_is_taken_at_the_usual_one():
    pages = collection([1] * 30, dpi=400)
    assert learn_scale(pages).distance(Measured(80, 0.5)) == pytest.approx(76, rel=0.05)


def test_a_folder_whose_pages_agree_shares_its_median_where_there_are_no_modes():
    each = np.exp(np.linspace(math.log(0.3), math.log(3), 40))
    pages = [
        page
        for name, factor in enumerate(each)
        for page in collection(
            [factor] * 4, seed=name, folder=f"{name}", size=(int(900 * factor), 700)
        )
    ]
    found = distances(pages).reshape(-1, 4)
    assert np.mean(np.ptp(found, axis=1) == 0) > 0.9
    assert np.median(np.abs(np.log(found[:, 0] / (76 * each)))) < 0.05


def test_what_was_learned_survives_json():
    scale = learn_scale(collection([1] * 20) + collection([1] * 5, dpi=300))
    assert from_plain(to_plain(scale), CollectionScale, "here") == scale


def test_modes_that_are_known_stay_when_pages_are_added():
    scale = learn_scale(collection([1] * 20))
    more = scale.extended(collection([2] * 50) + collection([1] * 5, dpi=300))
    assert more.plain == scale.plain
    assert more.tagged is not None

"""Calibrations fitted on drawn collections: folds, scans, and what they need."""

from dataclasses import replace

import numpy as np
import pytest

from dgmp.hands import fit_calibration, fitting
from dgmp.hands.evidence import part
from dgmp.hands.fitting import groups_and_number

from .writers import PAGE, described, unit


def test_the_names_of_the_writers_do_not_matter(writers_apart):
    pages, writers = writers_apart
    options = {"scans": [None] * len(writers), "collections": 5}
    named = [f"writer {w}" for w in writers]
    assert fit_calibration(pages, named, **options) == fit_calibration(pages, writers, **options)


def test_the_seed_decides_what_is_drawn(writers_apart):
    pages, writers = writers_apart
    first, again, other = (
        fit_calibration(pages, writers, [None] * len(writers), collections=5, seed=seed)
        for seed in (1, 1, 2)
    )
    assert first == again != other


def test_the_likeness_of_one_hand_is_that_of_the_writers(fitted):
    assert fitted.one_hand.mean == pytest.approx(1 / (1 + PAGE**2), abs=0.06)


def test_a_drawn_collection_holds_one_page_of_a_scan_at_most():
    writers = np.repeat(np.arange(10), 6)
    scans = [None if i % 6 == 5 else i % 6 // 2 for i in range(60)]  # 2, 2 and 1, then alone
    folds = writers % 2
    drawn = fitting._draw(writers, scans, folds, 50, np.random.default_rng(0))
    named = [
        (w, i if s is None else f"scan {s}")
        for i, (w, s) in enumerate(zip(writers, scans, strict=True))
    ]
    for rows in drawn:
        assert len({named[i] for i in rows}) == len(rows)
        assert len(set(folds[rows])) == 1
    assert max(np.bincount(writers[rows]).max() for rows in drawn) == 4


def test_pages_of_different_folds_are_never_compared(writers_apart):
    pages, writers = writers_apart
    folds = writers % 2
    turned = pages.vectors.copy()
    turned[folds == 1] = turned[folds == 1][:, ::-1]  # another describer for the second fold
    options = {"folds": folds.tolist(), "collections": 10}
    scans = [None] * len(writers)
    first = fit_calibration(pages, writers, scans, **options)
    second = fit_calibration(replace(pages, vectors=turned), writers, scans, **options)
    assert second.one_hand.mean == pytest.approx(first.one_hand.mean, abs=1e-3)
    assert second.threshold == first.threshold


NEEDS = {
    "6 page_ids, but 5 writers": ([0] * 5, [None] * 6),
    "6 page_ids, but 4 scans": ([0] * 6, [None] * 4),
    "at least 3": ([0, 0, 0, 1, 1, 1], [None] * 6),
    "two scans or more": ([0, 0, 1, 1, 2, 2], [0] * 6),
}


@pytest.mark.parametrize("message", NEEDS)
def test_fitting_says_what_it_needs(writers_apart, message):
    writers, scans = NEEDS[message]
    with pytest.raises(ValueError, match=message):
        fit_calibration(part(writers_apart[0], np.arange(6)), writers, scans)


def test_pages_without_halves_cannot_calibrate(writers_apart):
    pages, writers = writers_apart
    with pytest.raises(ValueError, match="must have the halves of pages"):
        fit_calibration(replace(pages, halves=None), writers, [None] * len(writers))


def test_vectors_that_set_the_pages_of_a_writer_apart_cannot_be_calibrated():
    writers, kinds = np.repeat(np.arange(9), 3), np.tile(np.arange(3), 9)
    noise = np.random.default_rng(0).standard_normal((27, 8))
    vectors = unit(np.eye(3, 8)[kinds] + 0.1 * noise)  # alike: the first pages of all writers, …
    with pytest.raises(ValueError, match="do not tell the writers apart"):
        fit_calibration(described(vectors), writers, [None] * 27, collections=10)


def test_a_grouping_is_best_where_it_is_that_of_the_writers():
    writers = np.array([0, 0, 1, 1, 2])
    assert groups_and_number(writers, np.array([4, 4, 3, 3, 0])) == 1
    assert groups_and_number(writers, np.array([0, 0, 1, 2, 3])) < 1


def test_a_wrong_number_of_groups_costs_half_of_its_share():
    writers = np.array([0, 0, 1, 1])
    alone = np.arange(4)  # precision 1, recall 1/2; twice as many groups as writers
    assert groups_and_number(writers, alone) == pytest.approx(2 / 3 - 1 / 2)

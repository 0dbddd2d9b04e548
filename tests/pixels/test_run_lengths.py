"""Lengths of runs give the distance between lines, whatever the guess they begin with."""

import numpy as np
import pytest
from drawing import written

from dgmp.corpora import open_corpus
from dgmp.pixels import read_image, text_scale
from dgmp.pixels.run_lengths import OCTAVES, expected_distance, run_counts, run_shares
from dgmp.pixels.scale import CANONICAL, ink_at


def plain_counts(ink):
    """The same by walking along every row and column."""
    found = np.zeros((4, max(ink.shape) + 1))
    for kind, lines in ((0, ink), (2, ink.T)):
        for line in lines:
            text = "".join(map(str, line))
            for run in text.split("0"):
                found[kind, len(run)] += bool(run)
            for gap in text.strip("0").split("1"):
                found[kind + 1, len(gap)] += bool(gap)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_runs_are_those_a_walk_along_the_rows_finds(seed):
    ink = (np.random.default_rng(seed).random((17, 23)) < 0.4).astype(np.uint8)
    np.testing.assert_array_equal(run_counts(ink), plain_counts(ink))


def test_a_page_without_ink_and_one_without_paper_have_no_gaps():
    assert not run_counts(np.zeros((4, 6), np.uint8)).any()
    full = run_counts(np.ones((4, 6), np.uint8))
    assert full[0, 6] == 4
    assert full[2, 4] == 6
    assert full.sum() == 10


def test_shares_of_each_kind_sum_to_one_and_follow_the_scale():
    counts = np.zeros((4, 400))
    counts[:, 40] = 3
    counts[:, 80] = 1
    shares = run_shares(counts, 160.0)
    assert shares.shape == (4, len(OCTAVES) + 1)
    np.testing.assert_allclose((shares**2).sum(1), 1)
    doubled = np.zeros((4, 400))
    doubled[:, 80] = 3
    doubled[:, 160] = 1
    np.testing.assert_allclose(run_shares(doubled, 320.0), shares, atol=0.1)


@pytest.mark.parametrize("factor", [0.6, 1.6])
def test_the_answer_hardly_depends_on_the_first_guess(factor):
    ink = ink_at(written(1100, 840, distance=76, letter=28), 1.0)
    assert expected_distance(ink, 76 * factor) == pytest.approx(
        expected_distance(ink, 76.0), rel=0.05
    )


def test_without_runs_the_answer_stays_within_five_times_the_guess():
    assert 4 <= expected_distance(np.zeros((50, 50), np.uint8), 20.0) <= 100


def test_pages_of_the_scripts_set_come_out_at_their_line_distance(shared_data):
    pages = open_corpus(shared_data / "scripts").pages[::9]
    errors = np.array([abs(np.log(text_scale(read_image(p.source)) / CANONICAL)) for p in pages])
    assert np.mean(errors < 0.1) >= 0.9
    assert errors.max() < 0.75

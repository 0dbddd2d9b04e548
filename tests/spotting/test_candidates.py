import numpy as np
import pytest

from dgmp.spotting import find_candidates, overlaps
from dgmp.synthetic import draw_word_page


def bars(*words, slope=0.0):
    """A page of 500 × 800 with words of upright strokes: (left, line, strokes)."""
    page = np.full((500, 800), 220, np.uint8)
    for left, line, strokes in words:
        for number in range(strokes):
            x = left + 14 * number
            y = 60 + 80 * line + round(slope * x)
            page[y : y + 46, x : x + 5] = 30
            page[y + 42 : y + 46, x : x + 14] = 30  # joined at the foot
    return page


WORDS = [(60, 0, 5), (200, 0, 4), (340, 0, 6), (60, 1, 5), (190, 1, 8), (420, 1, 4), (60, 2, 9)]


def boxes(slope=0.0):
    found = []
    for left, line, strokes in WORDS:
        right = left + 14 * strokes
        ends = [60 + 80 * line + round(slope * x) for x in (left, right - 14)]
        found.append((left, min(ends), right, max(ends) + 46))
    return np.array(found)


@pytest.mark.parametrize("slope", [0.0, 0.06])
def test_every_word_of_a_simple_page_is_a_candidate(slope):
    found = find_candidates(bars(*WORDS, slope=slope), 80)
    assert overlaps(boxes(slope), found).max(axis=1).min() > 0.5


def test_no_candidate_spans_two_lines():
    found = find_candidates(bars(*WORDS), 80)
    assert (found[:, 3] - found[:, 1]).max() < 80


def test_candidates_lie_on_the_page_and_differ():
    found = find_candidates(bars(*WORDS), 80)
    assert found.min() >= 0
    assert (found[:, 2:] <= (800, 500)).all()
    assert len(np.unique(found, axis=0)) == len(found)


def test_twice_the_distance_between_lines_is_put_right():
    page = bars(*[(left, line, 6) for left in (60, 220, 400) for line in range(5)])
    assert len(find_candidates(page, 160)) == len(find_candidates(page, 80))


def test_an_empty_page_has_none():
    assert find_candidates(np.full((300, 300), 200, np.uint8), 60).shape == (0, 4)


def test_most_words_of_a_synthetic_page_are_found():
    page, known = draw_word_page(3, 13)
    found = find_candidates(page, 76)
    truth = np.array([box for box, _ in known])
    assert (overlaps(truth, found).max(axis=1) > 0.5).mean() > 0.75

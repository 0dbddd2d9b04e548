"""How a picture of writing lies: quarter turns that are found, and what turns with the page."""

import numpy as np
import pytest
from photographs import page_of

from dgmp.pixels.scale import ink_at
from dgmp.pixels.upright import (
    _weights,
    asymmetries,
    clearness_of_lines,
    quarter_turns,
    upright_evidence,
    upside_down,
)


def looked_at(page):
    return page, ink_at(page, 1.0)


def turned(page, turn):
    return np.ascontiguousarray(np.rot90(page, turn))


@pytest.mark.parametrize("writer", [1, 2, 3])
@pytest.mark.parametrize("turn", [0, 1, 3])
def test_a_page_on_its_side_is_set_upright(writer, turn):
    assert quarter_turns(*looked_at(turned(page_of(writer), turn))) == turn


def test_lines_are_clearer_along_rows_than_along_columns():
    _, ink = looked_at(page_of(4))
    assert clearness_of_lines(ink) > 2 * clearness_of_lines(turned(ink, 1))


def test_what_is_known_of_up_and_down_changes_its_sign_with_the_page():
    patterns, steepness = asymmetries(*looked_at(page_of(5)))
    against, falling = asymmetries(*looked_at(turned(page_of(5), 2)))
    assert np.abs(patterns + against).max() < 0.05 * np.abs(patterns).max()
    assert falling == pytest.approx(-steepness, abs=0.05)


def test_the_rule_weighs_a_pattern_against_itself_upside_down():
    assert np.allclose(_weights()[upside_down()], -_weights(), atol=0.002)


def test_an_upright_page_has_more_evidence_than_the_same_page_upside_down():
    page = page_of(6)
    assert upright_evidence(*looked_at(page)) > 0 > upright_evidence(*looked_at(turned(page, 2)))


def test_where_no_line_repeats_a_picture_stays_as_it_is():
    blots = np.where(np.random.default_rng(0).random((500, 600)) < 0.001, 30, 220).astype(np.uint8)
    assert quarter_turns(*looked_at(blots)) == 0


def test_a_page_without_ink_has_no_side_up():
    blank = np.full((300, 400), 220, np.uint8)
    assert upright_evidence(blank, np.zeros_like(blank)) == 0

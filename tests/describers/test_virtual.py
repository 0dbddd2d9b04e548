"""Pages as another hand would have written them."""

import numpy as np
import pytest
from drawing import written

from dgmp.describers import VIRTUAL_HANDS, VirtualHand

PAGE = np.where(written(300, 200) > 128, np.uint8(255), np.uint8(0))


def test_a_hand_that_changes_nothing_gives_the_page_and_a_column_of_paper():
    bent = VirtualHand()(PAGE)
    np.testing.assert_array_equal(bent[:, :-1], PAGE)
    assert (bent[:, -1] == 255).all()


@pytest.mark.parametrize("hand", VIRTUAL_HANDS)
def test_ink_stays_ink_and_little_is_lost(hand):
    bent = hand(PAGE)
    assert bent.shape[0] == PAGE.shape[0]
    assert set(np.unique(bent)) == {0, 255}
    assert (bent == 0).sum() == pytest.approx(hand.width * (PAGE == 0).sum(), rel=0.15)


def test_an_upright_stroke_slants_by_as_much_as_was_asked():
    stroke = np.full((101, 60), 255, np.uint8)
    stroke[:, 30:33] = 0
    rows, columns = np.nonzero(VirtualHand(slant=0.25)(stroke) == 0)
    assert np.polyfit(rows, columns, 1)[0] == pytest.approx(0.25, abs=0.01)
    rows, columns = np.nonzero(VirtualHand(slant=-0.25)(stroke) == 0)
    assert np.polyfit(rows, columns, 1)[0] == pytest.approx(-0.25, abs=0.01)


def test_letters_have_a_width():
    with pytest.raises(ValueError, match="width must be positive"):
        VirtualHand(width=0)

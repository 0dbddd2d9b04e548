"""Places on a page in whole pixels."""

from hypothesis import given
from hypothesis import strategies as st

from dgmp.records import Page, Region
from dgmp.sources import FileSource
from dgmp.web.views.places import box_of, cut_box, region_of

SIDES = st.floats(0, 500)


@given(SIDES, SIDES, st.floats(0.1, 600), st.floats(0.1, 600))
def test_a_cut_out_lies_on_the_scan(left, top, width, height):
    page = Page("a", FileSource("a"), size=(501, 503))
    x, y, w, h = cut_box(page, Region.rectangle(left, top, left + width, top + height))
    assert 0 <= x < x + w <= 502
    assert 0 <= y < y + h <= 504


def test_a_region_of_an_address_is_that_rectangle():
    assert region_of(box_of("10,20,30,40")).bounds == (10, 20, 40, 60)


def test_no_region_is_none():
    assert box_of("") is None

"""Places on a page in whole pixels."""

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dgmp.records import Page, Region
from dgmp.sources import FileSource
from dgmp.web.views.parts.places import area_of, box_of, cut_box, region_of

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


def test_the_area_of_a_page_is_around_all_of_its_regions():
    page = Page("a", FileSource(Path("a")), size=(100, 80))
    assert area_of(page) is None
    regions = (Region.rectangle(10, 20, 30, 40), Region.rectangle(25, 15, 120, 30))
    assert area_of(replace(page, regions=regions)) == (10, 15, 90, 25)

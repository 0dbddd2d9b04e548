"""Parts of a page as pages: their ids, where they lie, and what they share."""

import pytest

from dgmp.corpora import band_pages, page_of_side, region_pages, side_pages, whole_and_part
from dgmp.records import Page, Region
from dgmp.sources import FileSource

REGIONS = (Region.rectangle(0, 0, 10, 10), Region.rectangle(0, 20, 10, 30))


@pytest.fixture
def page(tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"picture")
    return Page("ms 1/a.jpg", FileSource(tmp_path / "a.jpg"), writer="Otto", regions=REGIONS)


def test_every_region_becomes_a_page(page):
    parts = region_pages(page)
    assert [part.id for part in parts] == ["ms 1/a.jpg#region=0", "ms 1/a.jpg#region=1"]
    assert [part.regions for part in parts] == [(REGIONS[0],), (REGIONS[1],)]


def test_a_page_without_regions_stays_whole(tmp_path):
    page = Page("a.jpg", FileSource(tmp_path / "a.jpg"))
    assert region_pages(page) == (page,)


def test_a_picture_that_is_used_as_it_is_stays_the_same_page(tmp_path):
    page = Page("a.jpg", FileSource(tmp_path / "a.jpg"), size=(30, 20))
    assert side_pages(page, 0, ()) == (page,)


def test_a_picture_that_is_set_upright_has_its_size_turned(tmp_path):
    page = Page("a.jpg", FileSource(tmp_path / "a.jpg"), size=(30, 20))
    (found,) = side_pages(page, 3, REGIONS[:1])
    assert (found.id, found.turn, found.size) == ("a.jpg", 3, (20, 30))
    assert found.regions == REGIONS[:1]


def test_both_sides_of_an_opening_are_pages_on_one_scan(page):
    sides = side_pages(page, 0, REGIONS)
    assert [side.id for side in sides] == ["ms 1/a.jpg#side=0", "ms 1/a.jpg#side=1"]
    assert {side.scan for side in sides} == {"ms 1/a.jpg"}
    assert {side.writer for side in sides} == {"Otto"}


@pytest.mark.parametrize("part", ["", "#side=1", "#band=3", "#side=0#band=12"])
def test_every_part_leads_to_its_picture(part):
    assert page_of_side(f"a.tif#frame=2{part}") == "a.tif#frame=2"


def test_every_band_becomes_a_page_at_the_scale_of_the_whole(page):
    parts = band_pages(page, 41.5, REGIONS)
    assert [part.id for part in parts] == ["ms 1/a.jpg#band=0", "ms 1/a.jpg#band=1"]
    assert {part.line_distance for part in parts} == {41.5}
    assert len({part.content_hash for part in parts}) == 2


def test_parts_have_the_labels_of_their_page_and_lie_on_one_scan(page):
    for part in (*region_pages(page), *band_pages(page, 41.5, REGIONS)):
        assert (part.writer, part.scan) == ("Otto", "ms 1/a.jpg")


def test_a_scan_that_is_known_is_kept(tmp_path):
    page = Page("a.jpg", FileSource(tmp_path / "a.jpg"), scan="opening 3")
    assert band_pages(page, 41.5, REGIONS)[0].scan == "opening 3"


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        ("a.jpg", ("a.jpg", None)),
        ("b.tif#frame=2#band=13", ("b.tif#frame=2", 13)),
        ("a.jpg#region=1", ("a.jpg", 1)),
        ("b.tif#frame=2", ("b.tif#frame=2", None)),
    ],
)
def test_an_id_says_of_which_page_a_part_is(id, expected):
    assert whole_and_part(id) == expected

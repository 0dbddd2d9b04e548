"""Small pictures of pages, warm where the weights are large."""

import numpy as np

from dgmp.demo.plan import AVERAGE, GMP
from dgmp.demo.thumbnails import FIRST, WIDTH, heated, show_ranking, show_scan


def test_heat_leaves_ink_dark_and_warms_paper():
    pixels = np.array([[0, 255], [255, 255]], np.uint8)
    found = heated(pixels, np.array([[0.0, 0.0], [3.0, np.nan]])).astype(int)
    assert found[0, 0].max() < 60
    assert (found[0, 1] == 255).all()
    assert found[1, 0, 0] > found[1, 0, 2]
    assert (found[1, 1] == 255).all()


def test_a_ranking_is_shown_from_its_query_to_its_first_pages(demo):
    told = demo.told
    ranking, query = told.rankings[GMP], told.pages[0]
    shown = show_ranking(ranking, query.id, told.unseen, None)
    assert (shown[0].page_id, shown[0].role) == (query.id, "query")
    first = [ranking.gallery_ids[place] for place in ranking.order[0, :FIRST]]
    assert [page.page_id for page in shown[1:]] == first
    assert {page.role for page in shown if page.writer != query.writer} == {"wrong"}
    assert [page.role for page in shown if page.writer == query.writer] == ["query", "right"]


def test_a_describer_colours_the_patches(demo):
    told = demo.told
    ranking, query = told.rankings[AVERAGE], told.pages[0].id
    plain = show_ranking(ranking, query, told.unseen, None)
    warm = show_ranking(ranking, query, told.unseen, told.describer)
    assert [page.page_id for page in plain] == [page.page_id for page in warm]
    assert plain[0].picture.address != warm[0].picture.address


def test_a_scan_is_shown_whole(demo):
    shown = show_scan(demo.told.pages[0])
    assert shown.picture.width == WIDTH
    assert shown.picture.height == round(WIDTH * 840 / 1100)

"""The same page at another size comes out at the same scale."""

import cv2
import numpy as np
import pytest

from dgmp.corpora import (
    Preparation,
    open_corpus,
    prepare_page,
    read_image,
    text_scale,
    to_canonical,
)
from dgmp.errors import ImageError

from .conftest import written


@pytest.mark.parametrize("distance", [24, 40, 76, 130])
def test_the_line_distance_of_drawn_lines_is_found(distance):
    page = written(15 * distance, 10 * distance, distance=distance, letter=distance // 3)
    assert text_scale(page) == pytest.approx(distance, rel=0.05)


def test_fine_lines_of_a_large_page_are_found():
    page = written(6000, 4800, distance=50, letter=18)
    assert text_scale(page) == pytest.approx(50, rel=0.05)


def test_lines_may_slope():
    page = written(1100, 840, distance=76, letter=28)
    turned = cv2.warpAffine(
        page, cv2.getRotationMatrix2D((550, 420), 3, 1), (1100, 840), borderValue=230
    )
    assert text_scale(turned) == pytest.approx(76, rel=0.05)


def test_a_single_line_goes_by_its_ink():
    assert 0.4 < text_scale(written(900, 120, distance=76, letter=26)) / 76 < 2.5


def test_pages_of_the_hands_set_keep_their_scale_at_other_sizes(shared_data):
    good = []
    for page in open_corpus(shared_data / "hands").pages[::45]:
        pixels = read_image(page.path)
        here = text_scale(pixels)
        for factor in (0.5, 2, 3):
            way = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
            other = cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=way)
            _, zoom = to_canonical(other, text_scale(other))
            good.append(abs(zoom * factor * here / 76 - 1) < 0.1)
    assert np.mean(good) >= 0.9


def test_resampling_brings_lines_to_the_canonical_distance():
    page, zoom = to_canonical(written(600, 400, distance=38, letter=14), 38)
    assert zoom == 2
    assert text_scale(page) == pytest.approx(76, rel=0.05)


def test_a_page_that_is_nearly_right_is_left_alone():
    page = written()
    same, zoom = to_canonical(page, 77)
    assert same is page
    assert zoom == 1


def test_paper_has_no_scale():
    with pytest.raises(ImageError, match="no ink"):
        text_scale(np.full((300, 400), 240, np.uint8))


@pytest.fixture
def page(page_file, corpus_folder):
    page_file("a.png", written(900, 700, distance=50, letter=18))
    (corpus_folder / "a.xml").write_text(
        '<PcGts><Page imageWidth="1800" imageHeight="1400"><TextRegion>'
        '<Coords points="200,200 1200,200 1200,900 200,900"/>'
        + "".join(
            f'<TextLine><Baseline points="200,{y} 1200,{y}"/></TextLine>' for y in (300, 380, 460)
        )
        + "</TextRegion></Page></PcGts>"
    )
    return open_corpus(corpus_folder).pages[0]


def test_the_layout_file_gives_the_line_distance(page):
    assert page.line_distance == 40
    assert prepare_page(page).zoom == pytest.approx(76 / 40)


def test_the_line_distance_can_be_set_and_the_scale_switched_off(page):
    assert prepare_page(page, Preparation(line_distance=38)).zoom == 2
    assert prepare_page(page, Preparation(canonical=None)).zoom == 1


def test_only_text_regions_are_used(page):
    prepared = prepare_page(page, Preparation(canonical=None, binarization="none"))
    whole = read_image(page.path)
    assert prepared.offset == (100, 100)
    assert prepared.pixels.shape == (351, 501)
    np.testing.assert_array_equal(prepared.pixels[:350, :500], whole[100:450, 100:600])


def test_what_lies_between_regions_becomes_paper(page_file, corpus_folder):
    page_file("b.png", written(900, 700, distance=50, letter=18))
    block = '<TextBlock HPOS="{}" VPOS="50" WIDTH="200" HEIGHT="600"/>'
    (corpus_folder / "b.xml").write_text(
        f'<alto><Page WIDTH="900" HEIGHT="700">{block.format(50)}{block.format(600)}</Page></alto>'
    )
    prepared = prepare_page(open_corpus(corpus_folder).pages[0], Preparation(canonical=None))
    assert np.all(prepared.pixels[:, 210:540] == 255)
    assert np.any(prepared.pixels[:, :200] == 0)


def test_a_huge_jpeg_is_decoded_no_larger_than_its_writing_asks_for(
    page_file, corpus_folder, monkeypatch
):
    monkeypatch.setattr("dgmp.corpora.pages._HUGE", 1_000_000)
    page_file("big.jpg", written(3200, 2400, distance=310, letter=110), quality=90)
    (page,) = open_corpus(corpus_folder)
    prepared = prepare_page(page)
    assert prepared.zoom == pytest.approx(76 / 310, rel=0.05)
    assert prepared.pixels.shape == pytest.approx((2400 * 76 / 310, 3200 * 76 / 310), rel=0.05)

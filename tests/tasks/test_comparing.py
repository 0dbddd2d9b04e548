"""Why two pages are alike, and the letterforms of a hand: sums, places, what is refused."""

from dataclasses import replace
from itertools import combinations

import cv2
import numpy as np
import pytest
from photographs import on_table, page_of
from PIL import Image
from scribbles import draw_page

from dgmp.catalogue import Catalogue, Entry
from dgmp.describers import contributions_of, load_describer, page_and_halves, reader
from dgmp.engines import Here
from dgmp.errors import CatalogueError, DgmpError, ImageError
from dgmp.models import save_model
from dgmp.records import Page, Region
from dgmp.sources import FileSource
from dgmp.tasks import compare, describe, letterforms, search
from dgmp.tasks.comparing import piece_rows

IDS = [f"{writer}-{page}.png" for writer in range(3) for page in range(2)]


@pytest.fixture(scope="module")
def catalogue(described):
    return described


@pytest.fixture(scope="module")
def default():
    return load_describer("default")


@pytest.fixture(scope="module")
def alike(catalogue):
    """The first two pages, which are by one writer, compared."""
    return compare(catalogue, *IDS[:2])


@pytest.fixture(scope="module")
def unlike(catalogue):
    """Two pages by two writers, compared."""
    return compare(catalogue, *IDS[1:3])


def shown(found):
    return sum(pair.share for pair in (*found.same, *found.against))


def test_shares_and_rest_add_up_to_the_cosine(alike, unlike):
    for found in (alike, unlike):
        assert len(found.same) > 0
        assert shown(found) + found.rest == pytest.approx(found.cosine, abs=1e-9)
        assert abs(found.rounding) < 1e-3


def test_what_pieces_come_from_is_the_product_of_the_pages_as_they_are_described(
    catalogue, default, unlike
):
    images = [reader(default)(page) for page in catalogue.pages(IDS[1:3])]
    parts = [contributions_of(default, image) for image in images]
    ones = (np.ones((1, len(part.positions))) for part in parts)
    both = np.all(
        [part.sums(one, default.dim)[0] for part, one in zip(parts, ones, strict=True)], axis=0
    )
    one, other = (default.describe_page(image)[both] for image in images)
    found = unlike
    assert abs(found.cosine - found.whole - found.rounding - float(one @ other)) < 1e-5


def test_the_cosine_and_the_probability_are_those_of_a_search(catalogue):
    hits = {hit.page_id: hit for hit in search(catalogue, IDS[0])}
    for other in IDS[1:]:
        found = compare(catalogue, IDS[0], other, pieces=0)
        hit = hits[other]
        assert found.cosine == pytest.approx(hit.cosine, abs=1e-6)
        assert found.enough_writing == hit.enough_writing
        assert found.probability == pytest.approx(hit.probability, abs=1e-4)
        assert found.likeness == pytest.approx(hit.likeness, abs=1e-4)
        assert found.likelihood_ratio == pytest.approx(hit.likelihood_ratio, rel=1e-3)


@pytest.fixture(scope="module")
def elsewhere(catalogue):
    """A page that is in no catalogue, and the part of a page that is in this one."""
    draw_page(1, 7, catalogue.folder.parent / "more" / "new.png")
    (known,) = catalogue.pages(IDS[2:3])
    return (
        Page("new", FileSource(catalogue.folder.parent / "more" / "new.png")),
        replace(known, regions=(Region.rectangle(0, 0, 320, 130),)),
    )


@pytest.fixture(scope="module")
def from_elsewhere(catalogue, elsewhere):
    """Both compared with a page of the catalogue."""
    return [compare(catalogue, page, IDS[3]) for page in elsewhere]


def test_shares_and_rest_of_a_page_from_elsewhere_add_up_to_the_cosine(from_elsewhere):
    for found in from_elsewhere:
        assert len(found.same) > 0
        assert shown(found) + found.rest == pytest.approx(found.cosine, abs=1e-9)
        assert abs(found.rounding) < 1e-3


def test_a_page_from_elsewhere_is_judged_as_in_a_search(catalogue, elsewhere):
    for page in elsewhere:
        hit = search(catalogue, page)[0]
        found = compare(catalogue, page, hit.page_id, pieces=0)
        assert found.cosine == pytest.approx(hit.cosine, abs=1e-3)  # a search rounds its query
        assert found.enough_writing == hit.enough_writing
        assert found.probability == pytest.approx(hit.probability, abs=1e-4)


def test_pieces_of_a_part_of_a_page_lie_in_that_part(elsewhere, from_elsewhere):
    found = from_elsewhere[1]
    assert found.first.regions == elsewhere[1].regions
    assert max(pair.first.bounds[3] for pair in (*found.same, *found.against)) < 132


def test_a_picture_that_lies_on_its_side_is_compared_as_it_was_found(catalogue, tmp_path):
    pixels = np.rot90(on_table(page_of(3)))
    Image.fromarray(pixels).save(tmp_path / "side.png")
    size = (pixels.shape[1], pixels.shape[0])
    found = compare(catalogue, Page("side", FileSource(tmp_path / "side.png"), size=size), IDS[0])
    assert (found.first.turn, found.first.size) == (1, size[::-1])
    assert found.first.regions is not None
    assert shown(found) + found.rest == pytest.approx(found.cosine, abs=1e-9)


def test_pages_by_one_writer_have_more_in_common_than_pages_by_two(alike, unlike):
    total = [sum(pair.share for pair in found.same) for found in (alike, unlike)]
    assert total[0] > total[1]


def test_pieces_lie_on_their_scans_and_have_ink(alike):
    found = alike
    for page, side in ((found.first, "first"), (found.second, "second")):
        pixels = cv2.imread(page.source.address, cv2.IMREAD_GRAYSCALE)
        for pair in (*found.same, *found.against):
            left, top, right, bottom = map(round, getattr(pair, side).bounds)
            assert 0 <= left < right <= 320
            assert 0 <= top < bottom <= 260
            assert pixels[top:bottom, left:right].min() < 128


@pytest.fixture(scope="module")
def on_a_sheet(catalogue, tmp_path_factory):
    """Three pieces of two pages for one hand and three against it, and their sheet."""
    sheet = tmp_path_factory.mktemp("sheet") / "sheet.png"
    return compare(catalogue, IDS[0], IDS[1], pieces=3, sheet=sheet), sheet


def test_no_more_pieces_are_given_than_asked_for(on_a_sheet):
    found, _ = on_a_sheet
    assert (len(found.same), len(found.against)) == (3, 3)


def test_without_pieces_no_page_is_read(catalogue):
    found = compare(catalogue, IDS[0], IDS[1], pieces=0)
    assert (found.same, found.against, found.rest) == ((), (), found.cosine)


def test_the_file_of_a_page_is_that_page(catalogue):
    path = catalogue.paths()[IDS[0]]
    assert compare(catalogue, path, IDS[1], pieces=0).first.id == IDS[0]


def test_a_page_of_another_catalogue_is_refused(catalogue):
    with pytest.raises(CatalogueError, match=r"holds no page 'nowhere.png'"):
        compare(catalogue, IDS[0], "nowhere.png")


def test_a_turned_page_with_regions_is_compared_as_it_was_described(catalogue, default, tmp_path):
    turned = tmp_path / "scans" / "turned.png"
    draw_page(0, 0, turned)
    picture = Image.open(turned)
    picture.rotate(90, expand=True).save(turned)
    region = Region.rectangle(60, 0, 320, 260)
    page = Page("t.png", FileSource(turned), turn=1, size=(320, 260), regions=(region,))
    made = Catalogue.create(tmp_path / "catalogue", catalogue.head)
    for each in (page, *catalogue.pages(IDS[:1])):
        image = reader(default)(replace(each, line_distance=45.0))
        vector, halves = page_and_halves(default, image)
        made.add([Entry(each, vector, "", b"", halves=halves, line_distance=45.0)])
    found = compare(made, "t.png", IDS[0])
    left = min(pair.first.bounds[0] for pair in found.same)
    assert left >= 60
    shifted = [np.subtract(pair.first.bounds, pair.second.bounds) for pair in found.same[:3]]
    assert np.abs(shifted).max() <= 1.5  # the same page: the same places


@pytest.fixture(scope="module")
def not_as_they_were(tmp_path_factory):
    """A catalogue of three pages: the first has changed since, the file of the second is gone."""
    folder = tmp_path_factory.mktemp("not as they were")
    for page in range(3):
        draw_page(0, page, folder / "scans" / f"{page}.png")
    made = describe(folder / "scans", folder / "catalogue", engine=Here()).catalogue
    draw_page(9, 9, folder / "scans" / "0.png")
    (folder / "scans" / "1.png").unlink()
    return made


def test_a_page_that_has_changed_since_is_refused(not_as_they_were):
    with pytest.raises(CatalogueError, match=r"page '0.png' is not as it was described"):
        compare(not_as_they_were, "0.png", "2.png")


def test_a_page_whose_file_is_gone_is_named(not_as_they_were):
    with pytest.raises(ImageError, match=r"1\.png: missing"):
        compare(not_as_they_were, "2.png", "1.png")
    assert compare(not_as_they_were, "2.png", "1.png", pieces=0).cosine


def test_a_sheet_of_the_pieces_is_drawn(on_a_sheet):
    found, path = on_a_sheet
    with Image.open(path) as sheet:
        assert sheet.width >= 4 * 240
        assert sheet.height >= 180 * max(len(found.same), len(found.against))


def test_every_piece_of_a_sheet_says_what_it_speaks_for(alike):
    found = replace(alike, same=alike.same[:3], against=alike.against[:3])
    for number, (_, cells) in enumerate(piece_rows(found)):
        words = [
            f"{word} {pairs[number].share:+.4f}  {id}" if number < len(pairs) else ""
            for word, pairs in (("for", found.same), ("against", found.against))
            for id in IDS[:2]
        ]
        assert [text for text, _ in cells] == words


def test_a_describer_of_whole_pages_has_no_pieces(catalogue, tmp_path):
    folder = catalogue.folder.parent / "scans"
    made = describe(folder, tmp_path / "obif", describer="obif", engine=Here()).catalogue
    found = compare(made, IDS[0], IDS[1])
    assert (found.same, found.against, found.heat_maps) == ((), (), None)
    assert found.rest == found.whole == found.cosine
    assert letterforms(made, IDS[:2]).typical == ()
    with pytest.raises(DgmpError, match="has no pieces to show"):
        compare(made, IDS[0], IDS[1], sheet=tmp_path / "sheet.png")


def test_a_network_has_heat_maps_of_both_pages(hands, runs, tmp_path):
    made = describe(hands, tmp_path / "catalogue", describer=runs / "writers", engine=Here())
    found = compare(made.catalogue, "w0_p0.png", "w1_p0.png")
    assert found.same == ()
    assert [heat[:4] for heat in found.heat_maps] == [b"\x89PNG"] * 2


def test_a_network_whose_pooling_has_no_weights_has_no_heat_maps(hands, tiny, tmp_path):
    save_model(tiny("gem"), tmp_path / "gem")
    made = describe(hands, tmp_path / "catalogue", describer=tmp_path / "gem", engine=Here())
    assert compare(made.catalogue, "w0_p0.png", "w1_p0.png").heat_maps is None


@pytest.fixture(scope="module")
def forms(catalogue):
    return letterforms(catalogue, IDS[:2], n=6)


def test_letterforms_are_the_strongest_first_and_come_from_several_pages(forms):
    for pieces in (forms.typical, forms.distinctive):
        assert 1 < len(pieces) <= 6
        assert {piece.page_id for piece in pieces} == set(IDS[:2])
        values = [piece.value for piece in pieces]
        assert values == sorted(values, reverse=True)
        assert min(values) > 0


def test_letterforms_of_a_page_do_not_overlap(forms):
    for first, second in combinations(forms.typical, 2):
        if first.page_id == second.page_id:
            a, b = first.region.bounds, second.region.bounds
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_letterforms_are_the_same_every_time(catalogue, forms):
    assert letterforms(Catalogue.open(catalogue.folder), IDS[:2], n=6) == forms


def test_a_single_page_has_letterforms_too(catalogue):
    assert letterforms(catalogue, IDS[:1], n=3).typical


def test_where_all_pages_are_by_the_hand_nothing_is_distinctive(catalogue):
    found = letterforms(catalogue, IDS, n=3)
    assert found.typical
    assert found.distinctive == ()

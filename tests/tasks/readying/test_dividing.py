"""Pages described by their regions and bands: found once, kept, and never mixed with others."""

import json
import shutil

import cv2
import numpy as np
import pytest
from scribbles import as_kept, draw_books, draw_shared_page, knowing_strokes

from dgmp.catalogue import Catalogue, read_bands
from dgmp.corpora import open_corpus
from dgmp.describers import load_descriptors
from dgmp.engines import Here, Processes
from dgmp.errors import CatalogueError, UnknownName
from dgmp.tasks import describe, describe_to_file
from dgmp.tasks.readying import divide

pytestmark = pytest.mark.usefixtures("stroke_describers")
PAGES = [f"ms {book}/f{page}.png" for book in (1, 2) for page in (1, 10, 2)]
IDS = [f"{page}#band={band}" for page in PAGES for band in range(3)]


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """Two books and a catalogue of their bands, described once."""
    folder = tmp_path_factory.mktemp("once")
    books, stages = draw_books(folder / "now" / "books"), []

    def stage(name, pages):
        stages.append((name, pages))
        return lambda number: None

    options = {"describer": "raw", "by": "band", "engine": Here(), "stage": stage}
    with knowing_strokes():
        done = describe(books, folder / "now" / "catalogue", **options)
    shutil.copytree(folder / "now", folder / "kept")
    return folder, done, stages


@pytest.fixture
def place(once):
    """A folder that a test may change: the books and their catalogue as at first."""
    return as_kept(once[0])


@pytest.fixture
def books(place):
    return place / "books"


@pytest.fixture
def described(place):
    """How to bring a catalogue of the bands up to date; it has been, once."""

    def update(**options):
        folders = (place / "books", place / "catalogue")
        return describe(*folders, describer="raw", engine=Here(), **options)

    return update


def ids(done):
    return list(done.catalogue.descriptors().page_ids)


def no_reading(monkeypatch):
    def fail(page):
        raise AssertionError(f"{page.id} is read again")

    monkeypatch.setattr("dgmp.tasks.readying.dividing.find_bands", fail)


def test_every_band_is_in_the_catalogue_under_its_scan(once, place):
    done = once[1]
    assert ids(done) == IDS
    ending = "catalogue: 18 bands, 18 described now (0 of them changed), 0 vanished"
    assert str(done).endswith(ending)
    assert Catalogue.open(place / "catalogue").head.by == "band"


def test_parts_lie_on_the_scan_and_have_the_scale_of_their_page(books):
    corpus = open_corpus(books)
    parts = divide(corpus, corpus.pages, "band").pages
    assert [part.scan for part in parts] == [id.partition("#")[0] for id in IDS]
    assert len({part.line_distance for part in parts[:3]}) == 1
    assert all(len(part.regions) == 1 for part in parts)


def test_other_processes_find_the_same_bands(books):
    corpus = open_corpus(books)
    here, there = (
        divide(corpus, corpus.pages, "band", engine=engine) for engine in (Here(), Processes(2))
    )
    assert here == there


def test_finding_bands_is_a_stage_of_its_own(once):
    assert once[2][1:] == [("finding bands", 6), ("describing bands", 18)]


def test_pages_that_have_not_changed_are_not_read_again(described, monkeypatch):
    no_reading(monkeypatch)
    done = described()
    assert done.described == 0
    assert len(done.catalogue) == 18


def test_a_catalogue_goes_on_as_it_was_begun(described):
    assert described().catalogue.head.by == "band"


@pytest.mark.parametrize("by", ["page", "region"])
def test_another_part_is_refused(described, by):
    with pytest.raises(CatalogueError, match=f"was described by band, not by {by}; go on with"):
        described(by=by)


def test_a_part_that_is_not_known_is_refused_and_leaves_no_catalogue(books, tmp_path):
    with pytest.raises(UnknownName, match="no part of a page called 'bands'; did you mean 'band'"):
        describe(books, tmp_path / "new", describer="raw", by="bands")
    assert not (tmp_path / "new").exists()
    with pytest.raises(UnknownName, match="part of a page"):
        describe_to_file(books, tmp_path / "new.npz", describer="raw", by="line")


def test_a_changed_page_is_cut_and_described_again(described, books):
    draw_shared_page([5, 5], 1, books / "ms 1" / "f1.png")
    done = described()
    assert done.described == 2
    assert ids(done) == [id for id in IDS if id != "ms 1/f1.png#band=2"]


def test_a_page_that_became_blank_is_left_out_with_its_bands(described, books):
    cv2.imwrite(str(books / "ms 1" / "f1.png"), np.full((600, 320), 255, np.uint8))
    told = []
    done = described(on_failure=told.append)
    assert [remark.file for remark in done.left_out] == ["ms 1/f1.png"]
    assert [error.file for error in told] == ["ms 1/f1.png"]
    assert ids(done) == IDS[3:]


def test_bands_of_a_file_that_is_gone_stay_until_they_are_forgotten(described, books):
    (books / "ms 1" / "f1.png").unlink()
    assert described().changes.vanished == tuple(IDS[:3])
    assert ids(described(forget=True)) == IDS[3:]


def test_bands_of_another_split_are_left_alone(books, tmp_path):
    rows = [f"{page},{'train' if '1/' in page else 'test'}" for page in PAGES]
    (books / "labels.csv").write_text("\n".join(["file,split", *rows]))
    arguments = {"describer": "raw", "by": "band", "engine": Here()}
    for split in ("train", "test", "train"):
        done = describe(books, tmp_path / "new", split=split, **arguments)
        assert done.changes.vanished == ()
    assert ids(done) == IDS


def test_where_bands_lie_is_kept_in_pixels_of_the_scan(place):
    bands = read_bands(place / "catalogue")
    assert sorted(bands) == PAGES
    tops = [bounds[1] for bounds in bands[PAGES[0]].bounds]
    assert tops == pytest.approx([0, 225, 450], abs=25)


def test_regions_of_layout_files_are_described_one_by_one(books, tmp_path):
    region = '<TextRegion><Coords points="0,{0} 320,{0} 320,{1} 0,{1}"/></TextRegion>'
    layout = region.format(0, 225) + region.format(225, 675)
    (books / "ms 1" / "f1.xml").write_text(
        f'<PcGts><Page imageWidth="320" imageHeight="675">{layout}</Page></PcGts>'
    )
    done = describe(books, tmp_path / "new", describer="raw", by="region", engine=Here())
    assert ids(done)[:2] == ["ms 1/f1.png#region=0", "ms 1/f1.png#region=1"]
    assert ids(done)[2:] == PAGES[1:]


def test_bands_go_into_a_file_of_descriptors_too(books, tmp_path):
    done = describe_to_file(books, tmp_path / "bands.npz", describer="raw", by="band")
    assert done.pages == 18
    assert list(load_descriptors(done.path).page_ids) == IDS


def test_a_broken_list_of_bands_is_told(described, place):
    (place / "catalogue" / "bands.json").write_text(json.dumps({"format": "else"}))
    with pytest.raises(CatalogueError, match=r"bands\.json"):
        described()

"""Pages are measured once, and share the scale of their collection."""

from dataclasses import dataclass, replace

import cv2
import numpy as np
import pytest
from drawing import written

from dgmp.catalogue import Catalogue, read_bands
from dgmp.corpora import open_corpus
from dgmp.describers import Describer
from dgmp.errors import CorpusError
from dgmp.pixels import Preparation
from dgmp.tasks import describe, describe_to_file, search
from dgmp.tasks.opening import head_for
from dgmp.tasks.readying.scaling import (
    KnownScale,
    collection_scale,
    distance_beside,
    scale_for_catalogue,
    scale_pages,
)

DISTANCES = (38, 40, 42, 44)
ROUNDED = 0.5  # pixels: what a byte per number leaves of the angle


@dataclass(frozen=True)
class ZoomDescriber:
    """The line distance that a page was brought to scale by, as an angle."""

    preparation = Preparation()
    calibration = None
    dim = 2

    @property
    def spec(self):
        return {"kind": "zoom"}

    def describe_page(self, image):
        angle = image.line_distance / 100
        return np.array([np.cos(angle), np.sin(angle)], np.float32)


@pytest.fixture
def zooms(monkeypatch) -> Describer:
    for task in ("describing", "opening"):
        monkeypatch.setattr(f"dgmp.tasks.{task}.load_describer", lambda name: ZoomDescriber())
    return ZoomDescriber()


@pytest.fixture
def scans(tmp_path):
    folder = tmp_path / "scans"
    folder.mkdir()
    for distance in DISTANCES:
        draw(folder / f"{distance}.png", distance)
    return folder


def draw(path, distance):
    cv2.imwrite(str(path), written(700, 600, distance=distance, letter=distance // 3))


def used(catalogue):
    vectors = catalogue.descriptors().vectors
    return 100 * np.arctan2(vectors[:, 1], vectors[:, 0])


def test_pages_of_a_catalogue_share_a_distance_and_it_is_stored(zooms, scans, tmp_path):
    found = describe(scans, tmp_path / "catalogue").catalogue
    assert np.ptp(used(found)) < 1e-3
    (mode,) = collection_scale(Catalogue.open(found.folder)).plain.modes
    assert used(found)[0] == pytest.approx(mode.distance, abs=ROUNDED)


def test_pages_that_come_later_are_treated_by_what_is_stored(zooms, scans, tmp_path):
    before = describe(scans, tmp_path / "catalogue").catalogue
    stored, first = collection_scale(before), used(before)[0]
    draw(scans / "later.png", 45)
    after = describe(scans, tmp_path / "catalogue").catalogue
    assert collection_scale(after) == stored
    assert used(after) == pytest.approx(first, rel=1e-4)


def test_a_query_from_outside_is_treated_alike(zooms, scans, tmp_path):
    describe(scans, tmp_path / "catalogue")
    draw(tmp_path / "query.png", 45)
    hit, *_ = search(tmp_path / "catalogue", tmp_path / "query.png")
    assert hit.cosine == pytest.approx(1, abs=1e-6)


def test_what_was_learned_is_stored_before_pages_are_described(zooms, scans, tmp_path):
    into = Catalogue.create(tmp_path / "new", head_for("zoom", zooms))
    pages = open_corpus(scans).pages
    scaled = scale_for_catalogue(into, pages, zooms, KnownScale())
    again = Catalogue.open(into.folder)
    assert len(again) == 0
    some = scale_for_catalogue(again, pages[2:], zooms, KnownScale())
    assert some.distances == {page.id: scaled.distances[page.id] for page in pages[2:]}


def test_a_catalogue_from_before_keeps_a_scale_for_each_page(zooms, scans, tmp_path):
    found = describe(scans, tmp_path / "catalogue").catalogue
    found.keep_collection({})
    draw(scans / "later.png", 60)
    after = describe(scans, tmp_path / "catalogue").catalogue
    assert collection_scale(after) is None
    assert used(after)[-1] == pytest.approx(60, rel=0.05)
    assert distance_beside(after, open_corpus(scans).pages[0], zooms.preparation) is None


def test_a_known_line_distance_is_used_and_stored(zooms, scans, tmp_path):
    found = describe(scans, tmp_path / "catalogue", line_distance=50).catalogue
    draw(scans / "later.png", 45)
    assert used(found) == pytest.approx(50, abs=ROUNDED)
    after = describe(scans, tmp_path / "catalogue").catalogue
    assert used(after) == pytest.approx(50, abs=ROUNDED)
    assert distance_beside(after, open_corpus(scans).pages[0], zooms.preparation) == 50


def test_bands_have_the_distance_of_their_page_and_are_not_measured_again(zooms, scans, tmp_path):
    stages = []

    def stage(name, pages):
        stages.append(name)
        return lambda number: None

    found = describe(scans, tmp_path / "catalogue", by="band", stage=stage).catalogue
    expected = [
        read_bands(found.folder)[id.partition("#")[0]].line_distance
        for id in found.descriptors().page_ids
    ]
    assert stages == ["looking for the writing", "finding bands", "describing bands"]
    assert len(expected) > len(DISTANCES)
    assert used(found) == pytest.approx(expected, abs=ROUNDED)
    assert describe(scans, found.folder).described == 0


def test_a_known_line_distance_is_that_of_bands_too_and_stays(zooms, scans, tmp_path):
    found = describe(scans, tmp_path / "catalogue", by="band", line_distance=50).catalogue
    assert used(found) == pytest.approx(50, abs=ROUNDED)
    draw(scans / "later.png", 45)
    done = describe(scans, tmp_path / "catalogue")
    assert {page.id.partition("#")[0] for page in done.changes.to_describe} == {"later.png"}
    assert used(done.catalogue) == pytest.approx(50, abs=ROUNDED)


def test_a_resolution_says_nothing_of_bands(zooms, scans, tmp_path):
    with pytest.raises(CorpusError, match="not by dpi: give line_distance"):
        describe(scans, tmp_path / "catalogue", by="band", dpi=300)
    assert not (tmp_path / "catalogue").exists()
    with pytest.raises(CorpusError, match="not by dpi"):
        describe_to_file(scans, tmp_path / "made.npz", by="band", dpi=300)


def test_scans_of_a_known_resolution_share_one_distance_however_large_the_writing(
    zooms, scans, tmp_path
):
    draw(scans / "large.png", 110)
    found = describe(scans, tmp_path / "catalogue", dpi=300).catalogue
    assert np.ptp(used(found)) < 1e-3


def test_a_distance_of_a_layout_file_wins(scans):
    pages = open_corpus(scans).pages
    known = [replace(pages[0], line_distance=30.0), *pages[1:]]
    scaled = scale_pages(known, Preparation(), KnownScale())
    assert pages[0].id not in scaled.distances
    assert len(scaled.distances) == 3


def test_nothing_is_measured_where_the_scale_is_given(scans):
    stages = []
    pages = open_corpus(scans).pages
    for preparation in (Preparation(canonical=None), Preparation(line_distance=40)):
        scaled = scale_pages(pages, preparation, KnownScale(), stage=stages.append)
        assert (scaled.pages, scaled.distances, stages) == (pages, {}, [])


def test_a_page_that_cannot_be_measured_is_left_out_once(zooms, scans, tmp_path):
    cv2.imwrite(str(scans / "blank.png"), np.full((300, 300), 255, np.uint8))
    told = []
    done = describe(scans, tmp_path / "catalogue", on_failure=told.append)
    reasons = [("blank.png", "no ink: the page is blank or all black")]
    assert [(error.file, error.reason) for error in told] == list(done.left_out) == reasons
    made = describe_to_file(scans, tmp_path / "made.npz")
    assert (made.pages, list(made.left_out)) == (4, reasons)


def test_a_corpus_of_blank_pages_is_refused(tmp_path):
    cv2.imwrite(str(tmp_path / "blank.png"), np.full((300, 300), 255, np.uint8))
    with pytest.raises(CorpusError, match=r"none of 1 pages.*blank.png, because: no ink"):
        scale_pages(open_corpus(tmp_path).pages, Preparation(), KnownScale())


@pytest.mark.parametrize("wrong", [{"dpi": 0}, {"line_distance": -1}])
def test_what_is_known_must_be_positive(wrong):
    with pytest.raises(ValueError, match="must be positive"):
        KnownScale(**wrong)


def test_only_one_thing_is_known():
    with pytest.raises(ValueError, match="give dpi or line_distance"):
        KnownScale(300, 50)

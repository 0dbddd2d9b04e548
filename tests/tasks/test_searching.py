"""The pages most like a page, called from Python: ids, files, probabilities."""

import numpy as np
import pytest
from scribbles import draw_page

from dgmp.catalogue import Catalogue, Entry
from dgmp.engines import Here
from dgmp.errors import CatalogueError, DgmpError
from dgmp.hands import Background, with_probabilities
from dgmp.records import Descriptors, Page
from dgmp.sources import FileSource
from dgmp.tasks import describe, search
from dgmp.tasks.opening import calibration_of

pytestmark = pytest.mark.usefixtures("stroke_describers")


@pytest.fixture
def scans(shelf):
    return shelf / "scans"


@pytest.fixture
def catalogue(shelf):
    return Catalogue.open(shelf / "catalogue")


@pytest.fixture
def uncalibrated(scans, tmp_path):
    return describe(scans, tmp_path / "raw", describer="raw", engine=Here()).catalogue


def test_the_other_pages_by_a_writer_come_first(catalogue):
    assert {hit.page_id for hit in search(catalogue, "2-1.png", 2)} == {"2-0.png", "2-2.png"}


def test_an_empty_catalogue_has_no_page_like_any(shelf, scans, tmp_path):
    empty = Catalogue.create(tmp_path / "empty", Catalogue.open(shelf / "catalogue").head)
    assert search(empty, scans / "2-1.png") == ()


def test_a_catalogue_is_taken_by_its_folder_too(catalogue):
    assert search(catalogue.folder, "2-1.png") == search(catalogue, "2-1.png")
    assert search(str(catalogue.folder), "2-1.png") == search(catalogue, "2-1.png")


def test_the_file_of_a_page_of_the_catalogue_is_that_page(catalogue, scans):
    assert search(catalogue, scans / "2-1.png") == search(catalogue, "2-1.png")


def test_any_picture_is_taken(catalogue, tmp_path):
    draw_page(3, 9, tmp_path / "new.png")
    hits = search(catalogue, tmp_path / "new.png", 3)
    assert {hit.page_id for hit in hits} == {"3-0.png", "3-1.png", "3-2.png"}


def test_a_copy_of_a_page_has_cosine_1_with_it(catalogue, scans, tmp_path):
    (tmp_path / "copy.png").write_bytes((scans / "2-1.png").read_bytes())
    (hit,) = search(catalogue, tmp_path / "copy.png", 1)
    assert hit.page_id == "2-1.png"
    assert hit.cosine == pytest.approx(1, abs=1e-6)


def test_probabilities_are_those_of_the_calibration(catalogue):
    hits = search(catalogue, "2-1.png", 5)
    query = catalogue.page("2-1.png")
    found = catalogue.search(query.vectors[0], 11, leave_out="2-1.png")
    ids = tuple(hit.page_id for hit in found.hits)
    pages = Descriptors(ids, found.vectors, {}, halves=found.halves)
    background = Background.of(catalogue.sample(), 12, calibration_of(catalogue))
    judged = with_probabilities(found.hits, pages, query, "2-1.png", background)
    stated = {hit.page_id: (hit.probability, hit.likelihood_ratio) for hit in judged}
    for hit in hits:
        assert (hit.probability, hit.likelihood_ratio) == pytest.approx(stated[hit.page_id])
    assert all(0 < hit.probability < 1 for hit in hits)


def test_hits_are_the_most_alike_in_the_collection_not_those_with_the_highest_cosines(catalogue):
    everything = search(catalogue, "2-1.png", 11)
    alike, cosines = ([getattr(hit, of) for hit in everything] for of in ("likeness", "cosine"))
    assert alike == sorted(alike, reverse=True)
    assert cosines != sorted(cosines, reverse=True)
    assert search(catalogue, "2-1.png", 5) == everything[:5]


def test_probability_and_likelihood_ratio_rise_together(catalogue):
    hits = sorted(search(catalogue, "2-1.png", 11), key=lambda hit: hit.likelihood_ratio)
    probabilities = [hit.probability for hit in hits]
    assert len(hits) == 11
    assert probabilities == sorted(probabilities)


def test_of_a_page_with_an_empty_half_nothing_is_said(catalogue, tmp_path):
    draw_page(2, 9, tmp_path / "half.png")
    page = Page("half.png", FileSource(tmp_path / "half.png"))
    vector = catalogue.page("2-1.png").vectors[0]
    catalogue.add([Entry(page, vector, "", b"", halves=float("nan"))])
    hits = search(catalogue, "half.png", 5)
    assert {(hit.enough_writing, hit.probability, hit.likelihood_ratio) for hit in hits} == {
        (False, None, None)
    }


def test_of_pages_of_several_kinds_those_most_alike_are_found(
    shelf, tmp_path, calibrated_describer
):
    generator = np.random.default_rng(4)
    writers, kinds = np.repeat(np.arange(200), 3), np.arange(600) // 3 % 4
    vectors = generator.standard_normal((200, 48))[writers] + generator.standard_normal((600, 48))
    vectors += 2 * generator.standard_normal((4, 48))[kinds]
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    catalogue = Catalogue.create(tmp_path / "c", Catalogue.open(shelf / "catalogue").head)
    pages = [Page(f"{n:03}", FileSource(tmp_path / f"{n:03}.png")) for n in range(600)]
    catalogue.add(
        [Entry(p, v, "", b"", "", halves=0.5) for p, v in zip(pages, vectors, strict=True)]
    )
    found = [hit.page_id for hit in search(catalogue, "123", 10)]
    everything = [hit.page_id for hit in search(catalogue, "123", 599)]
    assert found == everything[:10]


def test_without_a_calibration_there_are_cosines_only(uncalibrated):
    hits = search(uncalibrated, "2-1.png", 5)
    cosines = [hit.cosine for hit in hits]
    assert cosines == sorted(cosines, reverse=True)
    judged = [(hit.likeness, hit.probability, hit.likelihood_ratio) for hit in hits]
    assert judged == [(None, None, None)] * 5
    assert all(hit.enough_writing for hit in hits)


def test_the_calibration_of_a_catalogue_is_that_of_its_describer(
    catalogue, uncalibrated, calibrated_describer
):
    assert calibration_of(Catalogue.open(catalogue.folder)) == calibrated_describer.calibration
    assert calibration_of(uncalibrated) is None


def test_a_page_that_is_nowhere_is_refused(catalogue):
    with pytest.raises(CatalogueError, match=r"nowhere.png: is no page of .*no such file$"):
        search(catalogue, "nowhere.png")


def test_a_broken_picture_is_refused(catalogue, tmp_path):
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nbroken")
    with pytest.raises(DgmpError, match=r"broken\.png"):
        search(catalogue, tmp_path / "broken.png")


def test_a_describer_that_has_changed_since_is_refused(
    catalogue, stroke_describers, monkeypatch, tmp_path
):
    draw_page(3, 9, tmp_path / "new.png")
    monkeypatch.setitem(stroke_describers, "default", stroke_describers["finer"])
    with pytest.raises(CatalogueError, match="bins: 24 there, 32 now"):
        search(catalogue, tmp_path / "new.png")


def test_a_folder_that_is_no_catalogue_is_refused(tmp_path):
    with pytest.raises(CatalogueError, match="is no catalogue"):
        search(tmp_path, "page")


def test_a_hit_has_the_path_of_its_scan(catalogue, scans):
    assert all(hit.path == str(scans / hit.page_id) for hit in search(catalogue, "0-0.png"))


def test_a_misspelt_page_offers_the_nearest(catalogue):
    with pytest.raises(CatalogueError, match=r"no such file; did you mean '2-1\.png'\?"):
        search(catalogue, "21.png")

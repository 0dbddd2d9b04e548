"""Pages into a catalogue, called from Python: only what is new or changed."""

import os
import shutil
from dataclasses import replace
from functools import partial
from itertools import count

import cv2
import numpy as np
import pytest
from scribbles import (
    StrokeDescriber,
    as_kept,
    draw_page,
    draw_scans,
    knowing_strokes,
    label_writers,
)

from dgmp.catalogue import Catalogue, rounded, unrounded
from dgmp.corpora import open_corpus
from dgmp.describers import describe_pages, full_spec, load_descriptors
from dgmp.engines import Here, Processes
from dgmp.errors import CatalogueError, CorpusError, UnknownName
from dgmp.files import to_plain
from dgmp.tasks import describe, describe_to_file, search
from dgmp.tasks.describing import LOST
from dgmp.tasks.opening import head_for

pytestmark = pytest.mark.usefixtures("stroke_describers")
IDS = tuple(f"{i}-{j}.png" for i in range(4) for j in range(3))


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """Scans and a catalogue of them, described once."""
    folder = tmp_path_factory.mktemp("once")
    scans = draw_scans(folder / "now" / "scans")
    with knowing_strokes():
        done = describe(scans, folder / "now" / "catalogue", describer="raw", engine=Here())
    shutil.copytree(folder / "now", folder / "kept")
    return folder, done


@pytest.fixture
def scans(once):
    """A folder that a test may change; the catalogue is beside it."""
    return as_kept(once[0]) / "scans"


@pytest.fixture
def described(scans):
    """How to bring a catalogue of the scans up to date; it has been, once."""
    into = scans.with_name("catalogue")

    def update(folder=scans, **options):
        return describe(folder, into, describer="raw", engine=Here(), **options)

    return update


def test_the_pages_of_a_folder_are_in_the_catalogue(once, scans):
    done = once[1]
    assert done.described == 12
    assert Catalogue.open(scans.with_name("catalogue")).descriptors().page_ids == IDS
    ending = "catalogue: 12 pages, 12 described now (0 of them changed), 0 vanished"
    assert str(done).endswith(ending)


def test_the_default_describer_is_taken_and_its_calibration_stored(scans, tmp_path):
    done = describe(scans, tmp_path / "new", engine=Here())
    assert done.catalogue.head.describer == "default"
    assert done.catalogue.head.calibration["format"] == "dgmp-calibration"


def test_the_second_time_there_is_nothing_to_do(described):
    done = described()
    assert len(done.catalogue) == 12
    assert done.described == 0
    assert not any((done.changes.new, done.changes.changed, done.changes.relabelled))


def test_the_catalogue_holds_what_describing_gives(described, scans):
    stored = described().catalogue.descriptors()
    found = describe_pages(open_corpus(scans).pages, StrokeDescriber())
    assert np.array_equal(stored.vectors, unrounded(rounded(found.descriptors.vectors)[0]))
    assert stored.spec == to_plain(found.descriptors.spec)


def test_an_opened_corpus_is_taken_as_it_is(scans, tmp_path):
    corpus = open_corpus(scans)
    some = replace(corpus, pages=corpus.pages[:2])
    assert len(describe(some, tmp_path / "new", describer="raw", engine=Here()).catalogue) == 2


def test_only_the_pages_of_a_split_are_described(hands, tmp_path):
    done = describe(hands, tmp_path / "new", describer="raw", split="test", engine=Here())
    assert done.described == 6
    with pytest.raises(CorpusError, match="no page in split 'dev'; there is test, train"):
        describe(hands, tmp_path / "new", describer="raw", split="dev")


def test_a_changed_file_is_described_again(described, scans):
    before = described().catalogue.page("1-0.png").vectors[0]
    draw_page(77, 0, scans / "1-0.png")
    done = described()
    assert [page.id for page in done.changes.changed] == ["1-0.png"]
    assert done.described == 1
    assert len(done.catalogue) == 12
    assert not np.allclose(done.catalogue.page("1-0.png").vectors[0], before)


def test_a_file_that_was_only_touched_is_not_described_again(described, scans):
    (scans / "1-0.png").touch()
    done = described()
    assert done.described == 0
    assert [page.id for page in done.changes.relabelled] == ["1-0.png"]
    assert not described().changes.relabelled


def test_a_removed_file_is_reported_and_can_be_forgotten(described, scans):
    (scans / "1-0.png").unlink()
    done = described()
    assert done.changes.vanished == ("1-0.png",)
    assert len(done.catalogue) == 12
    assert len(described(forget=True).catalogue) == 11
    assert described().changes.vanished == ()


def test_a_page_that_can_no_longer_be_described_is_taken_out(described, scans):
    cv2.imwrite(str(scans / "1-0.png"), np.full((260, 320), 255, np.uint8))
    done = described()
    assert [remark.file for remark in done.left_out] == ["1-0.png"]
    assert done.catalogue.find("1-0.png") is None


def test_a_page_that_cannot_be_described_is_told_at_once(scans, tmp_path):
    cv2.imwrite(str(scans / "blank.png"), np.full((260, 320), 255, np.uint8))
    told = []
    done = describe(scans, tmp_path / "new", describer="raw", engine=Here(), on_failure=told.append)
    assert [(error.file, error.reason) for error in told] == list(done.left_out)
    assert done.described == 12


def test_files_that_are_no_pictures_are_left_out_with_their_reasons(scans, tmp_path):
    (scans / "empty.png").write_bytes(b"")
    done = describe(scans, tmp_path / "new", describer="raw", engine=Here())
    assert done.left_out == (("empty.png", "empty: the file has no bytes"),)


def test_labels_that_come_later_are_stored_without_describing(described, scans):
    label_writers(scans)
    done = described()
    assert done.described == 0
    writers = tuple(f"writer {i}" for i in range(4) for _ in "abc")
    assert done.catalogue.descriptors().labels == writers


def test_a_folder_that_was_moved_is_not_described_again(described, scans):
    moved = scans.rename(scans.with_name("moved"))
    done = described(moved)
    assert done.described == 0
    assert all(path.startswith(str(moved)) for path in done.catalogue.paths().values())


def test_two_folders_with_pages_of_one_name_are_not_mixed_up(described, tmp_path):
    draw_page(5, 0, tmp_path / "second" / "0-0.png")
    with pytest.raises(CatalogueError, match=r"holds a page '0-0.png' already.*scans"):
        described(tmp_path / "second")


def test_another_describer_is_refused(scans):
    with pytest.raises(CatalogueError, match=r"'raw'.*another than 'finer' \(bins: 24 there"):
        describe(scans, scans.with_name("catalogue"), describer="finer", engine=Here())


def test_a_describer_that_is_not_there_leaves_no_catalogue(scans, tmp_path):
    with pytest.raises(UnknownName):
        describe(scans, tmp_path / "new", describer="row")
    assert not (tmp_path / "new").exists()


def test_a_folder_without_a_single_page_is_refused(tmp_path):
    cv2.imwrite(str(tmp_path / "blank.png"), np.full((260, 320), 255, np.uint8))
    with pytest.raises(CorpusError, match="none of 1 pages could be described"):
        describe(tmp_path, tmp_path / "new", describer="raw")


def test_several_processes_give_the_same_catalogue(described, scans, tmp_path):
    several = describe(scans, tmp_path / "several", describer="raw", engine=Processes(2)).catalogue
    one = described().catalogue
    assert np.array_equal(one.descriptors().vectors, several.descriptors().vectors)
    assert one.thumbnails(IDS) == several.thumbnails(IDS)


def test_progress_counts_the_pages_that_are_described(described, scans):
    draw_page(77, 0, scans / "new.png")
    stages, steps = [], []

    def stage(name, pages):
        stages.append((name, pages))
        return steps.append

    described(stage=stage)
    assert stages == [("describing pages", 1)]
    assert steps == [1]


def test_thumbnails_are_small_jpegs_of_the_writing(described):
    (content,) = described().catalogue.thumbnails(["0-0.png"]).values()
    picture = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_GRAYSCALE)
    assert content.startswith(b"\xff\xd8")
    assert picture.shape[0] <= 180 and picture.shape[1] <= 240  # noqa: PT018
    assert picture.min() < 100 < picture.max()


def test_a_file_of_descriptors_has_the_vectors_of_the_pages(scans, tmp_path):
    made = describe_to_file(scans, tmp_path / "pages.npz", describer="raw", engine=Here())
    found = describe_pages(open_corpus(scans).pages, StrokeDescriber()).descriptors
    stored = load_descriptors(made.path)
    assert stored.page_ids == found.page_ids
    assert np.array_equal(stored.vectors, found.vectors)
    assert str(made) == f"{tmp_path / 'pages.npz'}: 12 pages, 48 entries each"


def test_a_run_is_remembered_by_its_whole_path(scans, runs, tmp_path, monkeypatch):
    monkeypatch.undo()  # the real describers
    monkeypatch.chdir(runs)
    done = describe(scans, tmp_path / "new", describer="writers")
    assert done.catalogue.head.describer == str(runs / "writers")


def test_a_kind_is_remembered_by_its_name_even_beside_a_folder_of_that_name(
    scans, tmp_path, monkeypatch
):
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "obif").mkdir()
    done = describe(scans, tmp_path / "new", describer="obif")
    assert done.catalogue.head.describer == "obif"
    assert search(tmp_path / "new", scans / "0-0.png", 1)


def test_a_new_layout_file_describes_its_page_again(described, scans):
    height, width = cv2.imread(str(scans / "0-0.png"), cv2.IMREAD_GRAYSCALE).shape
    region = f"0,0 {width - 1},0 {width - 1},{height // 2} 0,{height // 2}"
    (scans / "0-0.xml").write_text(
        f'<PcGts><Page imageWidth="{width}" imageHeight="{height}">'
        f'<TextRegion><Coords points="{region}"/></TextRegion></Page></PcGts>'
    )
    assert [page.id for page in described().changes.changed] == ["0-0.png"]
    assert described().described == 0


def test_pages_of_another_split_are_not_forgotten(scans, tmp_path):
    rows = [f"{id},{'train' if id < '2' else 'test'}" for id in IDS]
    (scans / "pages.csv").write_text("\n".join(["file,split", *rows]) + "\n")
    run = partial(describe, scans, tmp_path / "new", describer="raw")
    run()
    (scans / "3-0.png").touch()
    assert len(run(split="train", forget=True).catalogue) == 12


def test_a_file_that_became_unusable_is_taken_out(described, scans):
    (scans / "0-0.png").write_bytes(b"")
    done = described()
    assert len(done.catalogue) == 11
    assert [remark.file for remark in done.left_out] == ["0-0.png"]


def test_a_page_that_a_label_file_no_longer_lists_stays(described, scans):
    (scans / "pages.csv").write_text("file,writer\n0-0.png,anna\n")
    done = described()
    assert len(done.catalogue) == 12
    assert len(done.left_out) == 11  # not listed


def test_a_page_that_changes_all_the_time_is_left_out(scans, tmp_path, monkeypatch):
    drawn = count(50)
    original = StrokeDescriber.describe_page

    def slow(self, image):
        if image.page.id == "0-0.png":
            draw_page(next(drawn), 0, scans / "0-0.png")
        return original(self, image)

    monkeypatch.setattr(StrokeDescriber, "describe_page", slow)
    done = describe(scans, tmp_path / "new", describer="raw")
    assert dict(done.left_out) == {"0-0.png": "changed while it was read; describe it again"}
    assert len(done.catalogue) == 11


def test_a_folder_and_the_folder_above_it_do_not_share_a_catalogue(described, scans):
    above = open_corpus(scans.parent, kind="plain")
    with pytest.raises(CatalogueError, match=r"holds the file .* already, as page '0-0.png'"):
        described(above)


def test_an_interrupt_costs_no_page_that_is_done(scans, tmp_path):
    def interrupt(pages):
        done.append(pages)
        if len(done) == 5:
            raise KeyboardInterrupt

    done = []
    with pytest.raises(KeyboardInterrupt):
        describe(scans, tmp_path / "new", describer="raw", stage=lambda *_: interrupt)
    assert len(Catalogue.open(tmp_path / "new")) == 5


def test_a_head_holds_all_that_made_the_vectors(calibrated_describer):
    head = head_for("strokes", calibrated_describer)
    assert (head.spec, head.dim) == (full_spec(calibrated_describer), 48)
    assert head.calibration == calibrated_describer.calibration.to_json()


def replaced_once(scans, monkeypatch):
    """Page 0-0 is replaced while it is described, by another of the same size and time."""
    page, original = scans / "0-0.png", StrokeDescriber.describe_page
    draw_page(50, 0, scans.parent / "other.png")
    time = page.stat().st_mtime_ns
    size = max(page.stat().st_size, (scans.parent / "other.png").stat().st_size)
    for file in (page, scans.parent / "other.png"):
        file.write_bytes(file.read_bytes().ljust(size, b"\0"))
        os.utime(file, ns=(time, time))

    def slow(self, image):
        if image.page.id == "0-0.png" and (scans.parent / "other.png").exists():
            (scans.parent / "other.png").replace(page)
        return original(self, image)

    monkeypatch.setattr(StrokeDescriber, "describe_page", slow)


def test_a_page_that_is_replaced_while_it_is_read_is_described_again(scans, tmp_path, monkeypatch):
    replaced_once(scans, monkeypatch)
    done = describe(scans, tmp_path / "new", describer="raw")
    assert done.left_out == ()
    now = describe_pages(open_corpus(scans).pages[:1], StrokeDescriber()).descriptors.vectors
    stored = done.catalogue.page("0-0.png").vectors
    assert np.array_equal(stored, unrounded(rounded(now)[0]))


def test_a_link_that_is_turned_elsewhere_while_it_is_described_is_described_again(scans, tmp_path):
    link, other = scans / "0-0.png", tmp_path / "other.png"
    link.rename(tmp_path / "first.png")
    link.symlink_to(tmp_path / "first.png")
    draw_page(50, 0, other)

    def turn(title, pages):
        if title == "describing pages" and link.resolve() != other:
            link.unlink()
            link.symlink_to(other)
        return lambda number: None

    done = describe(scans, tmp_path / "new", describer="raw", stage=turn)
    assert (done.described, done.left_out) == (12, ())
    assert done.catalogue.paths()["0-0.png"] == str(other)


def one_by_one(monkeypatch):
    """Pages go through the stages in rounds of one page."""
    rounds = lambda pages: [frozenset([page.id]) for page in pages]  # noqa: E731
    monkeypatch.setattr("dgmp.tasks.describing._rounds", rounds)


def test_a_round_without_a_page_that_can_be_described_does_not_end_the_others(
    scans, tmp_path, monkeypatch
):
    cv2.imwrite(str(scans / "0-0.png"), np.full((400, 300), 235, np.uint8))
    one_by_one(monkeypatch)
    done = describe(scans, tmp_path / "new", describer="raw")
    assert (done.described, [remark.file for remark in done.left_out]) == (11, ["0-0.png"])


def test_rounds_without_a_single_page_are_refused(tmp_path, monkeypatch):
    for name in ("a.png", "b.png"):
        cv2.imwrite(str(tmp_path / name), np.full((400, 300), 235, np.uint8))
    one_by_one(monkeypatch)
    with pytest.raises(CorpusError, match=r"none of 2 pages could be described: a.png: no ink"):
        describe(tmp_path, tmp_path / "new", describer="raw")


def test_a_damaged_row_whose_scan_is_gone_is_named_and_taken_out(described, scans):
    into = described().catalogue
    into._table.update(where="page_id = '0-0.png'", values={"halves": 0.125})
    (scans / "0-0.png").unlink()
    told = []
    done = described(on_failure=told.append)
    assert [(remark.file, remark.reason) for remark in done.left_out] == [("0-0.png", LOST)]
    assert [error.file for error in told] == ["0-0.png"]
    assert not done.changes.vanished
    assert done.catalogue.descriptors().page_ids == IDS[1:]

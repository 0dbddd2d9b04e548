"""A catalogue on disk: what is missing, batches, describers that do not mix, search."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scribbles import StrokeDescriber, draw_page

from dgmp.catalogue import Catalogue, Entry, Head
from dgmp.catalogue import search as searching
from dgmp.corpora import open_corpus
from dgmp.describe import catalogue_pages, describe_pages, open_or_create
from dgmp.errors import CatalogueError
from dgmp.records import Page

HEAD = Head({"kind": "drawn", "sizes": (1, 2)}, 8, "drawn")


def unit(*shape, seed=0):
    vectors = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def entries(folder, ids, vectors):
    folder.mkdir(exist_ok=True)
    for id in ids:
        (folder / id).write_bytes(id.encode())
    pages = [Page(id, folder / id, writer=id[0]) for id in ids]
    return [
        Entry(page, vector, page.content_hash, b"jpeg of " + page.id.encode())
        for page, vector in zip(pages, vectors, strict=True)
    ]


@pytest.fixture
def filled(tmp_path):
    catalogue = Catalogue.create(tmp_path / "catalogue", HEAD)
    catalogue.add(entries(tmp_path / "files", [f"{i:02}" for i in range(40)], unit(40, 8)))
    return catalogue


def test_what_was_added_comes_back_after_opening_again(filled):
    found = Catalogue.open(filled.folder)
    assert len(found) == 40
    assert found.descriptors().page_ids == tuple(f"{i:02}" for i in range(40))
    assert np.array_equal(found.descriptors().vectors, unit(40, 8))
    assert found.descriptors().labels == tuple(f"{i:02}"[0] for i in range(40))
    assert found.thumbnails(["07", "31"]) == {"07": b"jpeg of 07", "31": b"jpeg of 31"}
    assert found.head.spec == {"kind": "drawn", "sizes": [1, 2]}


def test_a_page_that_is_added_again_takes_the_place_of_its_row(filled, tmp_path):
    other = unit(1, 8, seed=9)
    filled.add(entries(tmp_path / "files", ["07"], other))
    assert len(filled) == 40
    assert np.array_equal(filled.vector("07"), other[0])


def test_ids_with_quotes_and_umlauts_are_found_and_dropped(filled, tmp_path):
    name = "Jürg's ′page′.png"
    filled.add(entries(tmp_path / "files", [name], unit(1, 8, seed=3)))
    assert filled.find(name) == name
    assert filled.find(str(tmp_path / "files" / name)) == name
    filled.drop([name])
    assert filled.find(name) is None


def test_labels_are_left_out_unless_all_pages_have_a_writer(filled, tmp_path):
    (entry,) = entries(tmp_path / "files", ["x"], unit(1, 8, seed=3))
    filled.add([replace(entry, page=replace(entry.page, writer=None))])
    assert filled.descriptors().labels is None


@pytest.mark.parametrize("leave_out", [None, "11"])
def test_search_is_that_of_the_full_sort(filled, leave_out):
    query = filled.vector("11")
    hits = filled.search(query, 5, leave_out=leave_out)
    cosines = filled.descriptors().vectors.astype(float) @ query
    slow = sorted((-c, f"{i:02}") for i, c in enumerate(cosines) if f"{i:02}" != leave_out)[:5]
    assert [hit.page_id for hit in hits] == [id for _, id in slow]
    assert np.allclose([hit.cosine for hit in hits], [-c for c, _ in slow], atol=1e-6)
    assert hits[0].path.endswith(hits[0].page_id)


def test_equal_vectors_are_ranked_by_page_id(filled, tmp_path):
    filled.add(entries(tmp_path / "files", ["c", "a", "b"], np.repeat(unit(1, 8, seed=4), 3, 0)))
    hits = filled.search(filled.vector("b"), 2, leave_out="b")
    assert [hit.page_id for hit in hits] == ["a", "c"]


def test_search_lists_all_pages_where_more_are_asked_for(filled):
    assert len(filled.search(filled.vector("11"), 100, leave_out="11")) == 39


def test_an_empty_catalogue_has_nothing_to_find(tmp_path):
    assert Catalogue.create(tmp_path / "new", HEAD).search(unit(8), 3) == ()


def test_a_search_sees_what_another_process_added(filled, tmp_path):
    reader = Catalogue.open(filled.folder)
    reader.search(unit(8), 1)
    filled.add(entries(tmp_path / "files", ["new"], unit(1, 8, seed=6)))
    assert reader.search(unit(1, 8, seed=6)[0], 1)[0].page_id == "new"


def test_a_large_catalogue_is_searched_by_its_index(tmp_path, monkeypatch):
    monkeypatch.setattr(searching, "EXACT_PAGES", 500)
    catalogue = Catalogue.create(tmp_path / "large", replace(HEAD, dim=32))
    vectors = unit(200, 32)[np.repeat(np.arange(200), 3)] + 0.05 * unit(600, 32, seed=1)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ids = [f"{i:03}" for i in range(600)]
    catalogue.add(entries(tmp_path / "files", ids, vectors.astype(np.float32)))
    exact = [catalogue.search(vectors[i], 10, leave_out=ids[i]) for i in range(0, 600, 50)]
    catalogue.settle()
    assert "vector" in catalogue._searcher._indexed()
    assert [catalogue.search(vectors[i], 10, leave_out=ids[i]) for i in range(0, 600, 50)] == exact


@pytest.mark.parametrize(
    ("vector", "n", "words"),
    [(unit(9), 1, r"shape \(8,\)"), (unit(8), 0, "n must be at least 1")],
)
def test_search_says_what_it_needs(filled, vector, n, words):
    with pytest.raises(ValueError, match=words):
        filled.search(vector, n)


def test_another_describer_is_refused_and_the_difference_named(filled):
    other = replace(HEAD, spec={"kind": "drawn", "sizes": (1, 3)}, describer="other")
    with pytest.raises(CatalogueError, match=r"'drawn'.*'other'.*sizes: \[1, 2\].*\[1, 3\]"):
        filled.take_describer(other)
    with pytest.raises(CatalogueError, match="8 and 9 dimensions"):
        filled.take_describer(replace(HEAD, dim=9))


def test_vectors_of_another_width_or_length_are_refused(filled, tmp_path):
    with pytest.raises(ValueError, match="8 entries, got 5"):
        filled.add(entries(tmp_path / "files", ["x"], unit(1, 5)))
    with pytest.raises(ValueError, match="unit length"):
        filled.add(entries(tmp_path / "files", ["x"], 2 * unit(1, 8)))
    with pytest.raises(ValueError, match="differ"):
        filled.add(2 * entries(tmp_path / "files", ["x"], unit(1, 8)))


def test_only_one_process_writes_at_a_time(filled):
    with (
        filled.writing(),
        pytest.raises(CatalogueError, match="another process"),
        Catalogue.open(filled.folder).writing(),
    ):
        pass
    with filled.writing():
        pass


def test_what_is_no_catalogue_is_said_to_be_none(tmp_path):
    with pytest.raises(CatalogueError, match="is no catalogue; dgmp describe"):
        Catalogue.open(tmp_path)
    (tmp_path / "catalogue.json").write_text("{")
    with pytest.raises(CatalogueError, match="cannot be read"):
        Catalogue.open(tmp_path)
    (tmp_path / "catalogue.json").write_text("{}")
    with pytest.raises(CatalogueError, match="is not of a catalogue"):
        Catalogue.open(tmp_path)


def test_another_format_version_is_refused(filled):
    path = filled.folder / "catalogue.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": 99}))
    with pytest.raises(CatalogueError, match="format version 99, this dgmp reads 1"):
        Catalogue.open(filled.folder)


def test_a_folder_with_other_things_is_not_written_into(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(CatalogueError, match="holds something else"):
        Catalogue.create(tmp_path, HEAD)


def test_a_catalogue_whose_making_was_cut_off_is_made_anew(filled):
    (filled.folder / "catalogue.json").unlink()
    assert len(Catalogue.create(filled.folder, HEAD)) == 0


def test_a_lost_table_names_the_catalogue(filled):
    (filled.folder / "pages.lance").rename(filled.folder / "elsewhere")
    with pytest.raises(CatalogueError, match="its table cannot be used"):
        Catalogue.open(filled.folder)


@pytest.fixture
def described(scans, tmp_path):
    """A catalogue of the scans, and how to bring it up to date."""

    def update(folder=scans, **options):
        catalogue = open_or_create(tmp_path / "catalogue", "strokes", StrokeDescriber())
        done = catalogue_pages(open_corpus(folder).pages, StrokeDescriber(), catalogue, **options)
        return catalogue, done

    update()
    return update


def test_the_second_time_there_is_nothing_to_do(described):
    catalogue, done = described()
    assert len(catalogue) == 12
    assert done.described == 0
    assert not any((done.changes.new, done.changes.changed, done.changes.relabelled))


def test_the_catalogue_holds_what_describing_gives(described, scans):
    catalogue, _ = described()
    found = describe_pages(open_corpus(scans).pages, StrokeDescriber())
    assert np.array_equal(catalogue.descriptors().vectors, found.descriptors.vectors)
    assert catalogue.descriptors().spec == json.loads(json.dumps(found.descriptors.spec))


def test_a_changed_file_is_described_again(described, scans):
    before = described()[0].vector("1-0.png")
    draw_page(77, 0, scans / "1-0.png")
    catalogue, done = described()
    assert [page.id for page in done.changes.changed] == ["1-0.png"]
    assert done.described == 1
    assert len(catalogue) == 12
    assert not np.allclose(catalogue.vector("1-0.png"), before)


def test_a_file_that_was_only_touched_is_not_described_again(described, scans):
    (scans / "1-0.png").touch()
    _, done = described()
    assert done.described == 0
    assert [page.id for page in done.changes.relabelled] == ["1-0.png"]
    assert not described()[1].changes.relabelled


def test_a_removed_file_is_reported_and_can_be_forgotten(described, scans):
    (scans / "1-0.png").unlink()
    catalogue, done = described()
    assert done.changes.vanished == ("1-0.png",)
    assert len(catalogue) == 12
    catalogue, _ = described(forget=True)
    assert len(catalogue) == 11
    assert described()[1].changes.vanished == ()


def test_a_page_that_can_no_longer_be_described_is_taken_out(described, scans):
    import cv2

    cv2.imwrite(str(scans / "1-0.png"), np.full((260, 320), 255, np.uint8))
    catalogue, done = described()
    assert [id for id, _ in done.failures] == ["1-0.png"]
    assert catalogue.find("1-0.png") is None


def test_labels_that_come_later_are_stored_without_describing(described, scans):
    rows = [f"{i}-{j}.png,writer {i}" for i in range(4) for j in range(3)]
    (scans / "labels.csv").write_text("\n".join(["file,writer", *rows]))
    catalogue, done = described()
    assert done.described == 0
    assert catalogue.descriptors().labels == tuple(f"writer {i}" for i in range(4) for _ in "abc")


def test_a_folder_that_was_moved_is_not_described_again(described, scans):
    moved = scans.rename(scans.with_name("moved"))
    catalogue, done = described(moved)
    assert done.described == 0
    assert catalogue.search(catalogue.vector("0-0.png"), 1)[0].path.startswith(str(moved))


def test_two_folders_with_pages_of_one_name_are_not_mixed_up(described, scans, tmp_path):
    draw_page(5, 0, tmp_path / "second" / "0-0.png")
    with pytest.raises(CatalogueError, match=r"holds a page '0-0.png' already.*scans"):
        described(tmp_path / "second")


def test_several_processes_give_the_same_catalogue(described, scans, tmp_path):
    catalogue = open_or_create(tmp_path / "several", "strokes", StrokeDescriber())
    catalogue_pages(open_corpus(scans).pages, StrokeDescriber(), catalogue, workers=2)
    one, several = described()[0], catalogue
    assert np.array_equal(one.descriptors().vectors, several.descriptors().vectors)
    ids = one.descriptors().page_ids
    assert one.thumbnails(ids) == several.thumbnails(ids)

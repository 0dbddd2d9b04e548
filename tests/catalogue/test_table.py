"""A catalogue on disk: batches, what is missing, describers that do not mix."""

import os
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from dgmp.catalogue import Catalogue, Changes, Entry, Head
from dgmp.catalogue.rows import TABLE, connect
from dgmp.errors import CatalogueError
from dgmp.records import Page, Region
from dgmp.sources import FileSource

from .entries import HEAD, entries, unit


def test_what_was_added_comes_back_after_opening_again(filled):
    found = Catalogue.open(filled.folder)
    assert len(found) == 40
    assert found.descriptors().page_ids == tuple(f"{i:02}" for i in range(40))
    assert np.array_equal(found.descriptors().vectors, unit(40, 8))
    assert found.descriptors().labels == tuple(f"{i:02}"[0] for i in range(40))
    assert found.thumbnails(["07", "31"]) == {"07": b"jpeg of 07", "31": b"jpeg of 31"}
    assert found.head.spec == {"kind": "drawn", "sizes": [1, 2]}


def test_every_page_has_its_path(filled, tmp_path):
    assert filled.paths() == {f"{i:02}": str(tmp_path / "files" / f"{i:02}") for i in range(40)}


def test_a_page_that_is_added_again_takes_the_place_of_its_row(filled, tmp_path):
    other = unit(1, 8, seed=9)
    filled.add(entries(tmp_path / "files", ["07"], other))
    assert len(filled) == 40
    assert np.array_equal(filled.page("07").vectors[0], other[0])


def test_the_vector_of_a_page_that_is_not_there_is_refused(filled):
    with pytest.raises(CatalogueError, match="holds no page 'nowhere'"):
        filled.page("nowhere")


def test_ids_with_quotes_and_umlauts_are_found_and_dropped(filled, tmp_path):
    name = "Jürg's ′page′.png"
    filled.add(entries(tmp_path / "files", [name], unit(1, 8, seed=3)))
    assert filled.find(name) == name
    assert filled.find(str(tmp_path / "files" / name)) == name
    filled.drop([name])
    assert filled.find(name) is None


def test_a_page_whose_name_is_no_utf8_is_found_by_its_id_and_by_its_file(filled, tmp_path):
    id, raw = r"caf\xe9.png", os.fsdecode(b"caf\xe9.png")
    (entry,) = entries(tmp_path / "files", [id], unit(1, 8, seed=3))
    filled.add([entry])
    assert {filled.find(name) for name in (id, raw, entry.page.source.address)} == {id}


def test_labels_are_left_out_unless_all_pages_have_a_writer(filled, tmp_path):
    (entry,) = entries(tmp_path / "files", ["x"], unit(1, 8, seed=3))
    filled.add([replace(entry, page=replace(entry.page, writer=None))])
    assert filled.descriptors().labels is None


def test_relabelling_keeps_the_vector(filled, tmp_path):
    page = Page("07", FileSource(tmp_path / "files" / "07"), writer="another")
    filled.relabel([page])
    assert filled.descriptors().labels[7] == "another"
    assert np.array_equal(filled.page("07").vectors[0], unit(40, 8)[7])


def test_pages_as_they_were_described_are_not_missing(filled, tmp_path):
    pages = [entry.page for entry in entries(tmp_path / "files", ["07", "08"], unit(2, 8))]
    assert filled.compare(pages).to_describe == ()


def test_new_and_changed_pages_are_missing_in_the_order_of_their_ids(filled, tmp_path):
    pages = [entry.page for entry in entries(tmp_path / "files", ["x", "07", "00a"], unit(3, 8))]
    (tmp_path / "files" / "07").write_bytes(b"another picture")
    changes = filled.compare(pages)
    assert [page.id for page in changes.changed] == ["07"]
    assert [page.id for page in changes.to_describe] == ["00a", "07", "x"]


def test_a_page_whose_file_is_gone_has_vanished(filled, tmp_path):
    (tmp_path / "files" / "07").unlink()
    assert filled.compare([]) == Changes(vanished=("07",))


def test_an_entry_is_stamped_as_its_source_was_when_it_was_read(filled, tmp_path):
    (entry,) = entries(tmp_path / "files", ["x"], unit(1, 8))
    filled.add([replace(entry, stamp="of an earlier picture")])
    (tmp_path / "files" / "x").write_bytes(b"the picture of now")
    assert filled.compare([entry.page]).changed == (entry.page,)


def test_another_describer_is_refused_and_the_difference_named(filled):
    other = replace(HEAD, spec={"kind": "drawn", "sizes": (1, 3)}, describer="other")
    with pytest.raises(CatalogueError, match=r"'drawn'.*'other'.*sizes\.1: 2 there, 3 now"):
        filled.take_describer(other)
    with pytest.raises(CatalogueError, match="8 and 9 dimensions"):
        filled.take_describer(replace(HEAD, dim=9))


def test_a_describer_that_changed_under_its_name_is_told_to_take_a_new_catalogue(filled):
    later = replace(HEAD, spec={"kind": "drawn", "sizes": (1, 3)})
    with pytest.raises(CatalogueError, match=r"as it was before \(sizes\.1.*a new catalogue"):
        filled.check_describer(later)


def test_the_same_describer_under_another_name_is_taken(filled):
    filled.take_describer(replace(HEAD, describer="moved"))
    assert Catalogue.open(filled.folder).head.describer == "moved"


def test_what_was_learned_from_the_collection_is_kept_with_another_name_of_the_describer(filled):
    filled.keep_collection({"scale": 2.5})
    filled.take_describer(replace(HEAD, describer="moved"))
    head = Catalogue.open(filled.folder).head
    assert (head.collection, head.describer) == ({"scale": 2.5}, "moved")


def test_halves_and_line_distances_come_back_where_they_are_known(filled, tmp_path):
    assert np.isnan(filled.descriptors().halves).all()
    (entry,) = entries(tmp_path / "files", ["x"], unit(1, 8, seed=3))
    filled.add([replace(entry, halves=0.5, line_distance=76.5)])
    for halves in (filled.descriptors().halves, filled.sample().halves):
        assert (np.isnan(halves[:40]).all(), halves[40]) == (True, 0.5)
    assert filled.search(entry.vector, 1).halves.tolist() == [0.5]
    assert np.isnan(filled.search(filled.page("07").vectors[0], 1).halves).all()
    row = filled._columns("line_distance", where="page_id = 'x'")
    assert row["line_distance"].to_pylist() == [76.5]


def test_halves_that_are_empty_were_described_all_the_same(filled, tmp_path):
    assert not filled.has_halves()
    described = entries(tmp_path / "files", [f"{i:02}" for i in range(40)], unit(40, 8))
    filled.add([replace(entry, halves=np.nan) for entry in described])
    assert filled.has_halves()


def test_many_small_files_are_joined_at_the_end(filled, tmp_path, monkeypatch):
    monkeypatch.setattr("dgmp.catalogue.table._FILES", 3)
    before = filled.descriptors()
    for name in ("x", "y", "z"):
        filled.add(entries(tmp_path / "files", [name], unit(1, 8, seed=3)))
    filled.settle()
    assert filled._table.stats()["fragment_stats"]["num_fragments"] == 1
    filled.drop(["x", "y", "z"])
    assert np.array_equal(filled.descriptors().vectors, before.vectors)


def test_vectors_of_another_width_or_length_are_refused(filled, tmp_path):
    with pytest.raises(ValueError, match="8 entries, got 5"):
        filled.add(entries(tmp_path / "files", ["x"], unit(1, 5)))
    with pytest.raises(ValueError, match="unit length"):
        filled.add(entries(tmp_path / "files", ["x"], 2 * unit(1, 8)))
    with pytest.raises(ValueError, match="differ"):
        filled.add(2 * entries(tmp_path / "files", ["x"], unit(1, 8)))


def test_a_catalogue_is_not_created_twice(filled):
    with pytest.raises(CatalogueError, match="is a catalogue already"):
        Catalogue.create(filled.folder, HEAD)


def test_a_folder_with_other_things_is_not_written_into(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(CatalogueError, match="holds something else"):
        Catalogue.create(tmp_path, HEAD)


def test_a_catalogue_whose_making_was_cut_off_is_made_anew(tmp_path):
    Catalogue.create(tmp_path / "cut off", HEAD)
    (tmp_path / "cut off" / "catalogue.json").unlink()
    assert len(Catalogue.create(tmp_path / "cut off", HEAD)) == 0


def test_a_lost_table_names_the_catalogue(filled):
    (filled.folder / "pages.lance").rename(filled.folder / "elsewhere")
    with pytest.raises(CatalogueError, match="its table cannot be used"):
        Catalogue.open(filled.folder)


ADDING = """
import sys
from pathlib import Path

import numpy as np
from dgmp.catalogue import Catalogue, Entry
from dgmp.records import Page, Region
from dgmp.sources import FileSource

catalogue = Catalogue.open(sys.argv[1])
source = FileSource(Path(sys.executable))
print("open", flush=True)
for start in range(0, 100_000, 4):
    vectors = np.eye(8, dtype=np.float32)[:4]
    pages = [Page(f"{i % 40}", source) for i in range(start, start + 4)]
    catalogue.add([Entry(p, v, "hash", b"") for p, v in zip(pages, vectors, strict=True)])
"""


def test_a_kill_while_a_batch_is_written_leaves_whole_batches(tmp_path):
    """Again and again at a chance moment of nothing but writing."""
    Catalogue.create(tmp_path / "catalogue", Head({}, 8, "none"))
    for turn in range(2):
        process = subprocess.Popen(
            [sys.executable, "-c", ADDING, str(tmp_path / "catalogue")], stdout=subprocess.PIPE
        )
        assert process.stdout.readline() == b"open\n"
        time.sleep(0.05 + 0.11 * turn)
        process.kill()
        process.communicate()
        ids = Catalogue.open(tmp_path / "catalogue").descriptors().page_ids
        assert len(ids) % 4 == 0
        assert len(set(ids)) == len(ids) <= 40


def test_what_was_learned_of_the_collection_stays_when_the_describer_is_taken_again(filled):
    with filled.writing():
        filled.keep_collection({"scale": {"dpi": 300}})
        filled.take_describer(replace(HEAD, describer="renamed"))
    head = Catalogue.open(filled.folder).head
    assert (head.describer, head.collection) == ("renamed", {"scale": {"dpi": 300}})


def test_pages_come_back_as_they_were_added(tmp_path):
    regions = (Region.rectangle(1, 2, 30, 40), Region(((0.5, 0), (9, 1), (4, 8)), "margin"))
    (tmp_path / "a.tif").write_bytes(b"a")
    page = Page(
        "a.tif#frame=2",
        FileSource(tmp_path / "a.tif"),
        writer="w",
        manuscript="m",
        frame=2,
        turn=3,
        size=(40, 60),
        regions=regions,
    )
    catalogue = Catalogue.create(tmp_path / "catalogue", HEAD)
    catalogue.add([Entry(page, unit(1, 8)[0], "hash", b"jpeg", line_distance=31.5)])
    assert Catalogue.open(tmp_path / "catalogue").pages([page.id]) == (
        replace(page, line_distance=31.5),
    )


def test_a_page_that_is_not_there_is_named(tmp_path):
    catalogue = Catalogue.create(tmp_path / "catalogue", HEAD)
    with pytest.raises(CatalogueError, match="holds no page 'b'"):
        catalogue.pages(["b"])


def test_a_catalogue_that_lost_its_head_is_not_written_over(filled):
    (filled.folder / "catalogue.json").unlink()
    with pytest.raises(CatalogueError, match=r"a table of 40 rows and no catalogue.json"):
        Catalogue.create(filled.folder, HEAD)
    assert connect(filled.folder).open_table(TABLE).count_rows() == 40


def test_the_table_of_another_program_is_not_written_over(tmp_path):
    connect(tmp_path).create_table(TABLE, schema=pa.schema([pa.field("price", pa.float32())]))
    with pytest.raises(CatalogueError, match=r"no catalogue\.json"):
        Catalogue.create(tmp_path, HEAD)

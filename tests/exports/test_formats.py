"""By what name hands are written as what, and what is never written over."""

from dataclasses import replace

import pytest

from dgmp.errors import CatalogueError, DgmpError
from dgmp.exports import EXPORTS, check_export, write_hands

from .conftest import NAMES, only

FILES = ["hands.csv", "hands.JSON", "hands.xlsx", "my.hands.tei.xml"]
FOLDERS = ["iiif", "St. Gallen.IIIF"]


@pytest.mark.parametrize("name", FILES + FOLDERS)
def test_the_name_decides_the_format(going, tmp_path, name):
    assert write_hands(going, tmp_path / "new" / name).exists()


@pytest.mark.parametrize("name", ["hands.xml", "hands.pdf", "hands", "iiif.txt"])
def test_another_name_is_refused_with_those_that_are_known(tmp_path, name):
    with pytest.raises(CatalogueError) as error:
        check_export(tmp_path / name)
    assert all(ending in str(error.value) for ending in EXPORTS)


@pytest.mark.parametrize("name", ["hands.csv", "iiif"])
def test_a_place_that_cannot_be_written_is_refused_before_the_work(tmp_path, name):
    (tmp_path / "file").touch()
    with pytest.raises(DgmpError, match="cannot be written"):
        check_export(tmp_path / "file" / name)


def test_a_folder_of_something_else_is_never_written_over(going, tmp_path):
    (tmp_path / "alto").mkdir()
    (tmp_path / "alto" / "f1.xml").write_text("<alto/>")
    with pytest.raises(CatalogueError, match="holds something else than hands"):
        write_hands(going, tmp_path / "alto")
    assert (tmp_path / "alto" / "f1.xml").read_text() == "<alto/>"


def test_a_folder_of_hands_is_replaced_as_a_whole(going, tmp_path):
    write_hands(going, tmp_path / "iiif")
    write_hands(only(going, going.pages[NAMES[0]]), tmp_path / "iiif")
    assert sorted(file.name for file in (tmp_path / "iiif" / "hands").iterdir()) == [
        "1-pages.json", "1.json"
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["hands.xlsx", "iiif"])
def test_what_goes_wrong_leaves_what_was_there(going, tmp_path, name):
    write_hands(going, tmp_path / name)
    before = sorted(tmp_path.rglob("*"))
    broken = replace(going, pages={}, thumbnails=None)
    with pytest.raises((KeyError, TypeError)):
        write_hands(broken, tmp_path / name)
    assert sorted(tmp_path.rglob("*")) == before

"""Files that are whole or not there."""

import os
from pathlib import Path

import pytest

from dgmp.errors import DgmpError
from dgmp.files import check_place, replacing


def test_the_file_appears_whole(tmp_path):
    with replacing(tmp_path / "new" / "file.txt") as path:
        path.write_text("all of it")
        assert not (tmp_path / "new" / "file.txt").exists()
    assert (tmp_path / "new" / "file.txt").read_text() == "all of it"
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["file.txt"]


def test_a_failure_leaves_the_old_file(tmp_path):
    target = tmp_path / "file.txt"
    target.write_text("old")
    with pytest.raises(UnicodeEncodeError), replacing(target) as path:
        path.write_text("half \udc80")
    assert target.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["file.txt"]


def test_what_the_system_refuses_names_the_file(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with (
        pytest.raises(DgmpError, match=r"file/below: cannot be written"),
        replacing(tmp_path / "file" / "below") as path,
    ):
        path.write_text("")


def test_a_full_disk_leaves_the_old_file(tmp_path):
    target = tmp_path / "file.txt"
    target.write_text("old")
    with pytest.raises(DgmpError, match="No space left"), replacing(target):
        Path("/dev/full").write_text("x")
    assert target.read_text() == "old"


def test_only_ordinary_files_are_replaced(tmp_path):
    # A device would be moved out of its folder, and a file would stand in its place.
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DgmpError, match="no ordinary file"), replacing(tmp_path / "pipe"):
        raise AssertionError("nothing may be written")
    assert (tmp_path / "pipe").is_fifo()
    with pytest.raises(DgmpError, match="it is a folder"):
        check_place(tmp_path)


def test_a_place_is_checked_before_anything_is_made(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(DgmpError, match="file is no folder"):
        check_place(tmp_path / "file" / "below" / "scores.json")
    check_place(tmp_path / "new" / "folder" / "scores.json")
    assert not (tmp_path / "new").exists()

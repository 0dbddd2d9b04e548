"""Files that are whole or not there, each with its format and version; records as plain values."""

import errno
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dgmp.errors import DgmpError
from dgmp.files import (
    Format,
    as_named,
    check_place,
    first_difference,
    from_plain,
    read_json,
    readable,
    replacing,
    replacing_folder,
    to_plain,
    write_json,
    write_text,
)


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


def test_two_writers_of_one_file_do_not_disturb_each_other(tmp_path):
    target = tmp_path / "file.txt"
    with replacing(target) as first:
        first.write_text("first")
        with replacing(target) as second:
            second.write_text("second")
        assert target.read_text() == "second"
    assert target.read_text() == "first"


def test_only_ordinary_files_are_replaced(tmp_path):
    # A device would be moved out of its folder, and a file would stand in its place.
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DgmpError, match="no ordinary file"), replacing(tmp_path / "pipe"):
        raise AssertionError("nothing may be written")
    assert (tmp_path / "pipe").is_fifo()


def test_a_folder_is_not_replaced(tmp_path):
    with pytest.raises(DgmpError, match="it is a folder"):
        check_place(tmp_path)


@pytest.mark.parametrize("path", ["", ".", "/"])
def test_a_path_without_a_name_is_a_folder(path):
    with pytest.raises(DgmpError, match="it is a folder"):
        check_place(Path(path))


def test_a_place_below_a_file_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(DgmpError, match="file is no folder"):
        check_place(tmp_path / "file" / "below" / "scores.json")


def test_a_place_is_checked_before_anything_is_made(tmp_path):
    check_place(tmp_path / "new" / "folder" / "scores.json")
    assert not (tmp_path / "new").exists()


def test_a_text_is_written_in_utf_8(tmp_path):
    write_text(tmp_path / "file.txt", "Ännchen\n")
    assert (tmp_path / "file.txt").read_bytes() == "Ännchen\n".encode()


LETTERS = Format("test-letters", 3, "book of letters", older=(2,))


def test_a_json_file_is_read_as_it_was_written(tmp_path):
    write_json(tmp_path / "letters.json", LETTERS, {"letters": ["ä", "b"]})
    assert read_json(tmp_path / "letters.json", LETTERS) == {
        "format": "test-letters",
        "version": 3,
        "letters": ["ä", "b"],
    }


def test_a_json_file_begins_with_its_format_and_version(tmp_path):
    write_json(tmp_path / "letters.json", LETTERS, {"a": 1})
    assert list(json.loads((tmp_path / "letters.json").read_text())) == ["format", "version", "a"]


def test_a_value_that_json_does_not_have_leaves_the_old_file(tmp_path):
    write_json(tmp_path / "letters.json", LETTERS, {"a": 1})
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(tmp_path / "letters.json", LETTERS, {"a": float("nan")})
    assert read_json(tmp_path / "letters.json", LETTERS)["a"] == 1


def test_an_older_version_is_read_where_the_format_says_so():
    assert LETTERS.check({"format": "test-letters", "version": 2}, "here")["version"] == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON, or cannot be read"),
        ("[]", 'has no "format": "test-letters", it is no book of letters'),
        ('{"format": "other", "version": 3}', ".* it is no book of letters"),
        ('{"format": "test-letters", "version": 4}', "has format version 4, this dgmp reads 3"),
        ('{"format": "test-letters"}', "has format version None, this dgmp reads 3"),
    ],
)
def test_a_file_of_another_format_is_refused_by_its_name(tmp_path, text, message):
    (tmp_path / "letters.json").write_text(text)
    with pytest.raises(DgmpError, match=rf"letters\.json: {message}"):
        read_json(tmp_path / "letters.json", LETTERS)


def test_a_folder_without_the_file_is_no_such_thing(tmp_path):
    with pytest.raises(DgmpError, match=r"is no book of letters \(it has no letters\.json\)"):
        read_json(tmp_path / "letters.json", LETTERS)


@dataclass(frozen=True)
class Nib:
    width: float
    angle: float = 45.0


@dataclass(frozen=True)
class Pen:
    nib: Nib
    colours: tuple[str, ...] = ()
    ink: str | None = None
    options: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self):
        if self.ink == "none":
            raise ValueError("a pen needs ink")


PEN = Pen(Nib(2.0, 30.0), ("black", "réd"), "iron gall", {"barrel": 3})


def test_a_record_comes_back_from_json():
    assert from_plain(json.loads(json.dumps(to_plain(PEN))), Pen, "here") == PEN


def test_plain_values_are_those_that_json_has():
    assert to_plain(PEN) == {
        "nib": {"width": 2.0, "angle": 30.0},
        "colours": ["black", "réd"],
        "ink": "iron gall",
        "options": {"barrel": 3},
    }


def test_what_is_missing_takes_its_default():
    assert from_plain({"nib": {"width": 1.0}}, Pen, "here") == Pen(Nib(1.0))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "missing required field `nib`"),
        ({"nib": {"width": "broad"}}, r"Expected `float`, got `str` - at `\$.nib.width`"),
        ({"nib": {"width": 1.0}, "ink": "none"}, "a pen needs ink"),
        ({"nib": {"width": 1.0}, "paper": 1}, "unknown entry 'paper'"),
        ({"nib": {"width": 1.0, "length": 2}}, "unknown entry 'nib.length'"),
        ([], "Expected `object`, got `array`"),
    ],
)
def test_what_is_no_such_record_is_refused_with_its_fault(values, message):
    with pytest.raises(DgmpError, match=rf"^here: is no Pen of this dgmp: .*{message}"):
        from_plain(values, Pen, "here")


@pytest.mark.parametrize(
    ("ours", "theirs", "difference"),
    [
        ({"a": 1, "b": {"c": 2}}, {"b": {"c": 2}, "a": 1}, None),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, "a.c: 2 there, 3 now"),
        ({"a": 1}, {"a": 1, "b": "x"}, 'b: null there, "x" now'),
        ({"a": {"b": 1}}, {"a": [1]}, 'a: {"b": 1} there, [1] now'),
    ],
)
def test_the_first_difference_of_plain_values_is_named(ours, theirs, difference):
    assert first_difference(ours, theirs) == difference


def test_a_folder_takes_its_place_as_a_whole(tmp_path):
    place = tmp_path / "new" / "folder"
    for text in ("one", "two"):
        with replacing_folder(place) as beside:
            (beside / f"{text}.txt").write_text(text)
    assert [file.name for file in place.iterdir()] == ["two.txt"]
    assert [folder.name for folder in place.parent.iterdir()] == ["folder"]


def test_a_folder_that_fails_leaves_what_was_there(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "old.txt").touch()

    def fill():
        with replacing_folder(tmp_path / "folder") as beside:
            (beside / "new.txt").touch()
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(DgmpError, match="folder: cannot be written: No space"):
        fill()
    assert [file.name for file in tmp_path.rglob("*")] == ["folder", "old.txt"]


def test_a_folder_that_cannot_be_moved_into_place_leaves_what_was_there(tmp_path):
    place = tmp_path / "folder"
    place.mkdir()
    (place / "old.txt").touch()

    def lose():
        with replacing_folder(place) as beside:
            beside.rmdir()  # so that the old folder is moved away and nothing can follow

    with pytest.raises(DgmpError, match="folder: cannot be written"):
        lose()
    assert [file.name for file in tmp_path.rglob("*")] == ["folder", "old.txt"]


NAMES = (b"plain.png", "müller ρ.png".encode(), b"m\xfcller.png", b"a\nb\x1b[31m.png", b"\\xff.png",
         b"\\x5c\xff", b"a\\b.png", "\u202egnp.exe".encode(), b"\xc3\x28")  # fmt: skip


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_every_name_of_a_file_survives_as_text_that_can_be_stored_and_printed(name):
    text = readable(os.fsdecode(name))
    assert os.fsencode(as_named(text)) == name
    assert text.isprintable()
    assert json.loads(json.dumps(text).encode()) == text


def test_names_that_are_text_stay_as_they_are():
    for name in ("plain.png", "müller ρ.png", "a\\b.png"):
        assert readable(name) == as_named(name) == name


def test_new_files_have_the_mode_that_the_user_wants(tmp_path):
    (tmp_path / "other").touch()
    with replacing(tmp_path / "file") as beside:
        beside.unlink()
        os.close(os.open(beside, os.O_CREAT | os.O_WRONLY, 0o600))
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.fixture
def left_by_a_kill(tmp_path):
    """A function that makes a file or folder as a process that was killed an hour ago left it."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()

    def leave(name, folder=False, process=ended.pid):
        path = tmp_path / f".{name}.{process}.0123abcd"
        path.mkdir() if folder else path.write_text("half of it")
        os.utime(path, (time.time() - 3600,) * 2)
        return path

    return leave


def test_what_killed_processes_left_is_removed(left_by_a_kill, tmp_path):
    left_by_a_kill("pages.bin")
    left_by_a_kill("table", folder=True)
    alive = left_by_a_kill("mine.txt", process=os.getpid())
    write_text(tmp_path / "file", "all of it")
    assert {file.name for file in tmp_path.iterdir()} == {"file", alive.name}


def test_a_folder_that_a_kill_left_aside_is_put_back(left_by_a_kill, tmp_path):
    aside = left_by_a_kill("table", folder=True)
    aside.rename(tmp_path / f"{aside.name}.old")
    write_text(tmp_path / "file", "")
    assert {file.name for file in tmp_path.iterdir()} == {"file", "table"}


def test_a_name_that_is_too_long_is_refused_before_the_work(tmp_path):
    with pytest.raises(DgmpError, match="cannot be written: File name too long"):
        check_place(tmp_path / ("a" * 250))


def test_json_that_is_too_deep_and_pipes_are_refused(tmp_path):
    (tmp_path / "deep").write_text("[" * 100_000)
    os.mkfifo(tmp_path / "pipe")
    for name, reason in (("deep", "is not JSON"), ("pipe", "is no ordinary file")):
        with pytest.raises(DgmpError, match=reason):
            read_json(tmp_path / name, Format("f", 1, "thing"))

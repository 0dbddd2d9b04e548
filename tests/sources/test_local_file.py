"""A picture file: its bytes, and whether it changed."""

import hashlib
import os
import pickle
from pathlib import Path

import pytest

from dgmp.sources import FileSource
from dgmp.sources import local_file as local_file_module


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(b"picture")
    return FileSource(path)


def test_the_address_is_the_absolute_path(source, monkeypatch):
    monkeypatch.chdir(source.path.parent)
    assert FileSource(Path("a.png")).address == str(source.path)


def test_the_source_is_found_again_by_its_address(source):
    assert FileSource.at(source.address) == source


def test_a_file_holds_one_picture_and_no_parts(source):
    assert FileSource.found_in(str(source.path)) == (source,)
    assert source.part == ""


def test_it_opens_at_the_beginning_of_the_file(source):
    with source.open() as file:
        assert file.read() == b"picture"


def test_the_stamp_is_size_and_time(source):
    os.utime(source.path, ns=(5, 7))
    assert source.stamp() == "7 7"


@pytest.mark.parametrize("change", ["size", "time"])
def test_the_stamp_follows_a_change(source, change):
    os.utime(source.path, ns=(1, 1))
    before = source.stamp()
    if change == "size":
        source.path.write_bytes(b"another picture")
        os.utime(source.path, ns=(1, 1))
    else:
        os.utime(source.path, ns=(2, 2))
    assert source.stamp() != before


def test_the_stamp_of_a_file_that_is_gone_is_empty(source):
    source.path.unlink()
    assert source.stamp() == ""


def test_the_content_hash_is_that_of_the_bytes(source):
    assert source.content_hash == hashlib.sha256(b"picture").hexdigest()


def test_the_content_hash_follows_a_change(source):
    before = source.content_hash
    source.path.write_bytes(b"another")  # of the same size
    os.utime(source.path, ns=(1, 1))
    assert source.content_hash == hashlib.sha256(b"another").hexdigest() != before


def test_a_file_that_did_not_change_is_read_once(source, monkeypatch):
    before = source.content_hash
    monkeypatch.setattr(local_file_module.hashlib, "file_digest", None)
    assert source.content_hash == before


def test_a_file_that_is_gone_has_no_content(source):
    assert source.content_hash
    source.path.unlink()
    with pytest.raises(FileNotFoundError):
        _ = source.content_hash


def test_a_source_travels_to_other_processes(source):
    assert pickle.loads(pickle.dumps(source)) == source

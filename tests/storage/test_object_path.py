"""Objects behave as paths do, and as little as possible of them is fetched."""

import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import PurePosixPath
from types import SimpleNamespace
from urllib.request import Request, urlopen

import pytest
from hypothesis import given
from hypothesis import strategies as st
from obstore.exceptions import NotFoundError

from dgmp.errors import ImageError
from dgmp.storage import ObjectPath
from dgmp.storage.object_path import HEAD

NAMES = st.lists(
    st.text("abc.-_ #%é", min_size=1, max_size=6).filter(lambda name: name.strip(". ")),
    min_size=1,
    max_size=4,
)


@given(NAMES)
def test_names_are_taken_apart_as_those_of_paths(parts):
    there = ObjectPath.of("s3://bucket") / "/".join(parts)
    path = PurePosixPath("/bucket", *parts)
    assert (there.name, there.stem, there.suffix) == (path.name, path.stem, path.suffix)
    assert there.parent / there.name == there
    assert there.relative_to(ObjectPath.of("s3://bucket")) == PurePosixPath(*parts)


def test_an_address_is_read_and_written_alike():
    for address in ("s3://bucket", "s3://bucket/a/b.jpg", "gs://x/y#z.png"):
        assert str(ObjectPath.of(address)) == address


def test_dots_are_resolved_within_the_bucket():
    assert ObjectPath.of("s3://b/a/../../c/./d").resolve() == ObjectPath.of("s3://b/c/d")


@pytest.mark.parametrize("name", ["a b.jpg", "é#1.jpg", "50%.jpg", "a+b&c=d.jpg", "~x'y\".jpg"])
def test_what_was_written_is_read_whatever_its_name(s3, name):
    there = ObjectPath.of("s3://scans/names") / name
    there.write_bytes(name.encode())
    assert there.read_bytes() == name.encode()
    assert there in list(there.parent.walk())
    assert there in list(there.parent.iterdir())


def test_a_folder_is_there_as_long_as_it_holds_something(memory):
    folder = memory / "folder"
    assert not folder.exists()
    (folder / "in" / "file").write_bytes(b"x")
    assert folder.is_dir()
    assert not folder.is_file()
    assert [path.name for path in folder.iterdir()] == ["in"]
    assert not (memory / "fold").exists()


def test_what_is_not_there_is_not_found(memory):
    with pytest.raises(FileNotFoundError, match="no such object"):
        (memory / "none").read_bytes()
    assert (memory / "none").stamp() == ""


def test_an_object_is_read_as_a_file_is(memory):
    data = bytes(range(256)) * 1000
    there = memory / "file"
    there.write_bytes(data)
    with there.open() as file:
        assert file.read(10) == data[:10]
        file.seek(-5, 2)
        assert file.read() == data[-5:]
        file.seek(HEAD - 3)
        assert file.read(6) == data[HEAD - 3 : HEAD + 3]
        assert file.seek(0) == 0
        assert file.read() == data


def test_only_the_head_is_fetched_as_long_as_no_more_is_needed(memory, monkeypatch):
    there = memory / "file"
    there.write_bytes(bytes(10 * HEAD))
    fetched = []
    get = ObjectPath._get

    def counting(self, end=None):
        found = get(self, end)
        fetched.append(len(found[0]))
        return found

    monkeypatch.setattr(ObjectPath, "_get", counting)
    with there.open() as file:
        file.read(1000)
    assert fetched == [HEAD]


def test_a_listed_object_is_read_as_it_was_listed(memory):
    (memory / "scan").write_bytes(b"first")
    listed = next(memory.walk())
    assert pickle.loads(pickle.dumps(listed)).stamp() == listed.stamp()
    assert listed.read_bytes() == b"first"
    (memory / "scan").write_bytes(b"second")
    assert (memory / "scan").stamp() != listed.stamp()
    with pytest.raises(ImageError, match="changed while it was read"):
        listed.read_bytes()


def test_only_who_knows_the_newest_tag_writes(s3):
    there = ObjectPath.of("s3://scans/tagged")
    assert there.read_tagged() == (b"", None)
    first = there.write_if(b"1", None)
    assert first is not None
    assert there.write_if(b"other", None) is None
    second = there.write_if(b"2", first)
    assert second is not None
    assert there.write_if(b"other", first) is None
    assert there.read_tagged()[0] == b"2"


def test_of_many_who_write_at_once_one_is_first(s3):
    there = [ObjectPath.of(f"s3://scans/raced/{n}") for n in range(10)]
    with ThreadPoolExecutor(8) as pool:
        tags = list(pool.map(lambda n: there[n // 8].write_if(b"%d" % n, None), range(80)))
    assert [sum(tag is not None for tag in tags[n : n + 8]) for n in range(0, 80, 8)] == [1] * 10


def test_an_object_that_was_deleted_is_no_longer_as_tagged(memory, monkeypatch):
    def put(*_, **__):
        raise NotFoundError("404 Not Found: NoSuchKey")  # as S3 answers

    there = memory / "tagged"
    tag = there.write_if(b"1", None)
    monkeypatch.setattr(ObjectPath, "_store", SimpleNamespace(put=put))
    assert there.write_if(b"2", tag) is None


@pytest.mark.parametrize("root", ["s3://scans/empty", "memory://empty"])
def test_an_empty_object_is_read_listed_or_not(s3, root):
    (ObjectPath.of(root) / "scan.jpg").write_bytes(b"")
    listed = next(ObjectPath.of(root).walk())
    for there in (listed, ObjectPath.of(root) / "scan.jpg"):
        with there.open() as file:
            assert file.read() == b""


def test_the_object_that_stands_for_a_folder_is_not_in_it(s3):
    folder = ObjectPath.of("s3://scans/made")
    for name in ("made/", "made/in/"):
        urlopen(Request(f"{os.environ['AWS_ENDPOINT_URL']}/scans/{name}", b"", method="PUT"))
    assert list(folder.iterdir()) == [folder / "in"]
    assert folder not in list(folder.walk())

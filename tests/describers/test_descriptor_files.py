"""Descriptors on disk: whole or not there, and never taken for something else."""

import json

import numpy as np
import pytest

from dgmp.describers import load_descriptors, save_descriptors
from dgmp.errors import DgmpError
from dgmp.records import Descriptors


def some(labels=("a", "b", "c"), halves=None):
    vectors = np.eye(3, 5, dtype=np.float32)
    spec = {"describer": "x", "crop": 256}
    return Descriptors(("ä/1.png", "2", "3"), vectors, spec, labels, halves)


@pytest.mark.parametrize("labels", [None, ("a", "b", "ζ")])
def test_what_was_saved_is_read(tmp_path, labels):
    before = some(labels)
    after = load_descriptors(save_descriptors(before, tmp_path / "new" / "pages.npz"))
    np.testing.assert_array_equal(after.vectors, before.vectors)
    assert (after.page_ids, after.labels, after.spec) == (before.page_ids, labels, before.spec)


def test_the_cosines_of_halves_are_kept_with_those_that_are_not_known(tmp_path):
    halves = np.array([0.8, np.nan, -0.1], np.float32)
    after = load_descriptors(save_descriptors(some(halves=halves), tmp_path / "pages.npz"))
    np.testing.assert_array_equal(after.halves, halves)
    assert after.halves.dtype == np.float32


def test_a_file_without_halves_is_read_without_them(tmp_path):
    path = save_descriptors(some(), tmp_path / "pages.npz")
    with np.load(path) as stored:
        assert set(stored.files) == {"head", "vectors"}  # as earlier versions wrote it
    assert load_descriptors(path).halves is None


def rewritten(path, **changes):
    with np.load(path) as stored:
        head, arrays = json.loads(stored["head"].tobytes()), {"vectors": stored["vectors"]}
    arrays |= {name: changes.pop(name) for name in ("vectors", "halves") if name in changes}
    head = {key: value for key, value in (head | changes).items() if value != "gone"}
    np.savez(path, head=np.frombuffer(json.dumps(head).encode(), np.uint8), **arrays)


def cut(path):
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def flip(path):
    content = bytearray(path.read_bytes())
    content[content.index(b"describer")] ^= 255
    path.write_bytes(content)


DAMAGES = {
    "cut off": (cut, "cut off"),
    "a changed byte": (flip, "cut off"),
    "empty": (lambda path: path.write_bytes(b""), "no file of descriptors"),
    "text": (lambda path: path.write_text("file,writer"), "no file of descriptors"),
    "one array": (lambda path: np.save(path.open("wb"), np.eye(2)), "no file of descriptors"),
    "other arrays": (lambda path: np.savez(path, a=np.eye(2)), "no file of descriptors"),
    "another format": (lambda path: rewritten(path, format="x"), "no file of descriptors"),
    "another version": (lambda path: rewritten(path, version=7), "version 7, this dgmp reads 1"),
    "no version": (lambda path: rewritten(path, version="gone"), "version None"),
    "no ids": (lambda path: rewritten(path, page_ids="gone"), "damaged"),
    "long rows": (lambda path: rewritten(path, vectors=2 * np.eye(3, dtype=np.float32)), "unit"),
    "two halves": (lambda path: rewritten(path, halves=np.ones(2, np.float32)), "halves of shape"),
    "a folder": (lambda path: (path.unlink(), path.mkdir()), "no file of descriptors"),
    "nothing": (lambda path: path.unlink(), "no such file"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_that_cannot_be_read_says_why(tmp_path, damage):
    path = save_descriptors(some(), tmp_path / "pages.npz")
    do, reason = DAMAGES[damage]
    do(path)
    with pytest.raises(DgmpError, match=reason):
        load_descriptors(path)

"""Descriptors on disk: whole or not there, and never taken for something else."""

import json

import numpy as np
import pytest

from dgmp.describers import load_descriptors, save_descriptors
from dgmp.errors import DgmpError
from dgmp.records import Descriptors


def some(labels=("a", "b", "c")):
    vectors = np.eye(3, 5, dtype=np.float32)
    return Descriptors(("ä/1.png", "2", "3"), vectors, {"describer": "x", "crop": 256}, labels)


@pytest.mark.parametrize("labels", [None, ("a", "b", "ζ")])
def test_what_was_saved_is_read(tmp_path, labels):
    before = some(labels)
    after = load_descriptors(save_descriptors(before, tmp_path / "new" / "pages.npz"))
    np.testing.assert_array_equal(after.vectors, before.vectors)
    assert (after.page_ids, after.labels, after.spec) == (before.page_ids, labels, before.spec)


def rewritten(path, **changes):
    with np.load(path) as stored:
        head, vectors = json.loads(stored["head"].tobytes()), stored["vectors"]
    vectors = changes.pop("vectors", vectors)
    head = {key: value for key, value in (head | changes).items() if value != "gone"}
    np.savez(path, head=np.frombuffer(json.dumps(head).encode(), np.uint8), vectors=vectors)


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

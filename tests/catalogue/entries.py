"""Made-up pages with made-up vectors, and the head of a catalogue for them."""

import numpy as np

from dgmp.catalogue import Entry, Head, rounded, unrounded
from dgmp.records import Page
from dgmp.sources import FileSource

HEAD = Head({"kind": "drawn", "sizes": (1, 2)}, 8, "drawn")


def unit(*shape, seed=0):
    """Random vectors of unit length, such that rounding does not change them."""
    vectors = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    numbers, _ = rounded(vectors.reshape(-1, shape[-1]))
    return unrounded(numbers).reshape(shape)


def entries(folder, ids, vectors):
    """Described pages whose files are there; the first letter of an id is the writer."""
    folder.mkdir(exist_ok=True)
    for id in ids:
        (folder / id).write_bytes(id.encode())
    pages = [Page(id, FileSource(folder / id), writer=id[0]) for id in ids]
    return [
        Entry(page, vector, page.content_hash, b"jpeg of " + page.id.encode())
        for page, vector in zip(pages, vectors, strict=True)
    ]

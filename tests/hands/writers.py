"""Pages of made-up writers as vectors, with the agreement of their halves.

A half of a page is what all pages share, the centre of its writer, what is of this page alone, and
what is of this half alone; the page is the sum of its halves. So two pages of a writer have
1 / (1 + PAGE²) of what they could have in common, their likeness.
"""

import numpy as np

from dgmp.records import Descriptors

DIM = 96
PAGE = 0.65  # of the centres' length
HALF = 0.7


def drawn(seed, writers=40, most=6):
    """Pages ``0000``, ``0001``, …: 1 to ``most`` by each writer, and the writer of each page."""
    generator = np.random.default_rng(seed)
    labels = np.repeat(np.arange(writers), generator.integers(1, most + 1, writers))
    return pages_by(labels, seed), labels


def pages_by(labels, seed, *, common=1.0, half=HALF, prefix=""):
    """A page by each of these writers; ``common`` is what all share, a number or a vector."""
    generator = np.random.default_rng([seed, 1])
    centres = generator.standard_normal((max(labels) + 1, DIM))[labels]
    pages = centres + PAGE * generator.standard_normal(centres.shape) + common
    halves = unit(pages + half * generator.standard_normal((2, *pages.shape)))
    return described(unit(halves.sum(axis=0)), (halves[0] * halves[1]).sum(axis=-1), prefix)


def unit(vectors):
    """The vectors at unit length."""
    return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)


def described(vectors, halves=None, prefix=""):
    """Pages ``0000``, ``0001``, … with these vectors; halves that agree by 0.8 unless given."""
    halves = np.full(len(vectors), 0.8) if halves is None else halves
    ids = tuple(f"{prefix}{i:04}" for i in range(len(vectors)))
    return Descriptors(ids, vectors, {}, halves=np.asarray(halves, np.float32))


def joined(*collections):
    """The pages of several collections as one."""
    return Descriptors(
        tuple(id for each in collections for id in each.page_ids),
        np.concatenate([each.vectors for each in collections]),
        {},
        halves=np.concatenate([each.halves for each in collections]),
    )

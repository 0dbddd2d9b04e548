"""Pages of made-up writers as vectors."""

import numpy as np

from dgmp.records import Descriptors


def drawn(seed, writers=40, most=6):
    """Unit vectors of 1 to ``most`` pages by each writer, and the writer of each page."""
    generator = np.random.default_rng(seed)
    labels = np.repeat(np.arange(writers), generator.integers(1, most + 1, writers))
    vectors = generator.standard_normal((writers, 48))[labels]
    vectors = vectors + 0.6 * generator.standard_normal(vectors.shape)
    vectors += 1.0  # what all pages share
    return unit(vectors), labels


def unit(vectors):
    """The vectors at unit length."""
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def described(vectors):
    """Pages ``0000``, ``0001``, … with these vectors."""
    return Descriptors(tuple(f"{i:04}" for i in range(len(vectors))), vectors, {})

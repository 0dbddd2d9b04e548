"""Pages of a few writers as vectors, labels and ids whose order is not that of the pages."""

import numpy as np


def clustered_pages(seed, writers=8, pages=5, dim=24, noise=1.2):
    generator = np.random.default_rng(seed)
    hands = generator.standard_normal((writers, dim)).repeat(pages, axis=0)
    vectors = hands + noise * generator.standard_normal(hands.shape)
    ids = [f"p{number:03d}" for number in generator.permutation(len(vectors))]
    return vectors, [str(n // pages) for n in range(len(vectors))], ids


def tied_pages(seed):
    """Unit rows of multiples of a half, every row twice: ties everywhere."""
    generator = np.random.default_rng(seed)
    vectors = np.zeros((20, 6))
    for row in vectors:
        row[generator.choice(6, 4, replace=False)] = generator.choice([-1.0, 1.0], 4)
    vectors[10:] = vectors[:10]
    ids = [f"p{number:03d}" for number in generator.permutation(20)]
    return vectors, [str(n % 7) for n in range(20)], ids

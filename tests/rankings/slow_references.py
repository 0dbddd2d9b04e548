"""Slow versions, written from the formulas and nothing else."""

import math

import numpy as np


def cosines(vectors, others=None):
    vectors = np.asarray(vectors, dtype=np.float64)
    others = vectors if others is None else np.asarray(others, dtype=np.float64)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    unit_others = others / np.linalg.norm(others, axis=1, keepdims=True)
    return unit @ unit_others.T


def ranked(row, names, own):
    """Places of the gallery, nearest first, ties by name, the query left out by name."""
    places = [place for place in range(len(names)) if names[place] != own]
    return sorted(places, key=lambda place: (-row[place], names[place]))


def average_precision(relevant):
    """1/R Σ_r Pr(r)·rel(r), from the list of rel(r)."""
    total = sum(relevant)
    return (
        sum(
            sum(relevant[: rank + 1]) / (rank + 1)
            for rank in range(len(relevant))
            if relevant[rank]
        )
        / total
    )


def mean_average_precision(
    similarities, query_labels, query_ids, labels, ids, query_scans=None, scans=None
):
    """The mean, the number of queries that count and of those skipped."""
    found, skipped = [], 0
    for query, row in enumerate(similarities):
        relevant = []
        for place in ranked(row, ids, query_ids[query]):
            same = labels[place] == query_labels[query]
            if same and scans is not None and scans[place] == query_scans[query]:
                continue
            relevant.append(same)
        if any(relevant):
            found.append(average_precision(relevant))
        else:
            skipped += 1
    return math.fsum(found) / len(found), len(found), skipped


def neighbours(row, names, own, k):
    return ranked(row, names, own)[:k]


def reciprocal_expansion(vectors, names, k):
    """Cosines of the expanded vectors."""
    table = cosines(vectors)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    near = [neighbours(table[i], names, names[i], k) for i in range(len(unit))]
    rows = []
    for i in range(len(unit)):
        group = [i] + [j for j in near[i] if i in near[j]]
        rows.append(sum(unit[j] for j in group) / len(group))
    return cosines(rows)


def alpha_expansion(vectors, names, alpha, k):
    """Cosines of the expanded vectors."""
    table = cosines(vectors)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = []
    for i in range(len(unit)):
        new = unit[i].copy()
        for j in neighbours(table[i], names, names[i], k):
            new += max(table[i, j], 0) ** alpha * unit[j]
        rows.append(new)
    return cosines(rows)


def similarity_graph(similarities, names, k, layers, gamma):
    """Cosines of the rows of the last layer."""
    count = len(similarities)
    a = np.exp(-((1 - similarities) ** 2) / gamma)
    for _ in range(layers):
        a = (a + a.T) / 2
        new = np.zeros_like(a)
        for i in range(count):
            h = a[i].copy()
            for j in neighbours(a[i], names, names[i], k):
                h += similarities[i, j] * a[:, j]
            new[i] = h / np.linalg.norm(h)
        a = new
    return cosines(a)


def k_reciprocal(similarities, names, k1, k2, weight):
    """Distances after the description of Zhong et al., with full tables."""
    count = len(similarities)
    d = 2 - 2 * similarities
    np.fill_diagonal(d, 0)
    d = d / d.max(axis=1, keepdims=True)
    near = [[i, *ranked(similarities[i], names, names[i])] for i in range(count)]

    def reciprocal(i, k):
        return {j for j in near[i][: k + 1] if i in near[j][: k + 1]}

    v = np.zeros((count, count))
    for i in range(count):
        core = reciprocal(i, k1)
        wide = set(core)
        for j in core:
            candidate = reciprocal(j, int(np.around(k1 / 2)))
            if len(candidate & core) > 2 / 3 * len(candidate):
                wide |= candidate
        for j in wide:
            v[i, j] = math.exp(-d[i, j])
        v[i] /= v[i].sum()
    v = np.array([np.mean([v[j] for j in near[i][:k2]], axis=0) for i in range(count)])
    final = np.zeros((count, count))
    for i in range(count):
        for j in range(count):
            jaccard = 1 - np.minimum(v[i], v[j]).sum() / np.maximum(v[i], v[j]).sum()
            final[i, j] = (1 - weight) * jaccard + weight * d[i, j]
    return final

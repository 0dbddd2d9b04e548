"""How word spotting is measured on pages without boxes.

The places that a search gives are compared with the words that are known: a place is a hit if it
overlaps a word of the text that was asked for by more than half (intersection over union), and if
no better place has found that word already. Words that no place finds count as missed:

    AP = 1/R Σ precision at each hit       R: words of that text on the pages

over the first 300 places, far more than any text has words on a few pages. Queries are those of
:mod:`.protocol`; an example is left out together with the places on it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from ..errors import DgmpError
from ..records import Matrix
from .word_index import WordHit, WordIndex, overlaps
from .word_lists import Word

FOUND = 0.5  # more overlap than this is a hit
PLACES = 300  # that are looked at for a query


def map_by_string(index: WordIndex, words: Sequence[Word]) -> float:
    """Mean average precision over all different texts of the words."""
    scores = [
        average_precision(index.search(text, PLACES), _of(words, text))
        for text in sorted({word.text for word in words})
    ]
    return float(np.mean(scores))


def map_by_example(
    index: WordIndex,
    words: Sequence[Word],
    vectors: Matrix,  # (words, entries), of the words as they are boxed
) -> float:
    """Mean average precision over all words that occur again."""
    counts = Counter(word.text for word in words)
    scores = []
    for word, vector in zip(words, vectors, strict=True):
        if counts[word.text] > 1:
            others = [other for other in _of(words, word.text) if other != word]
            hits = [hit for hit in index.search(vector, PLACES) if not _on(hit, word)]
            scores.append(average_precision(hits, others))
    if not scores:
        raise DgmpError("no word occurs twice: there is no query by example")
    return float(np.mean(scores))


def average_precision(hits: Sequence[WordHit], relevant: Sequence[Word]) -> float:
    """AP of places in their order, against the words that should be found."""
    left: dict[str, list[Word]] = defaultdict(list)
    for word in relevant:
        left[word.page].append(word)
    total, found = 0.0, 0
    for rank, hit in enumerate(hits, start=1):
        match = next((word for word in left[hit.page_id] if _on(hit, word)), None)
        if match is not None:
            left[hit.page_id].remove(match)
            found += 1
            total += found / rank
    return total / len(relevant)


def _of(words: Sequence[Word], text: str) -> list[Word]:
    return [word for word in words if word.text == text]


def _on(hit: WordHit, word: Word) -> bool:
    if hit.page_id != word.page:
        return False
    return float(overlaps(np.array([hit.box]), np.array([word.box]))[0, 0]) > FOUND

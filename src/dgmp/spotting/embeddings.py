"""Words as vectors of their spelling, in which pictures and strings can be compared.

PHOC, the pyramidal histogram of characters, asks of every part of a word which letters stand
there. The word is cut into L equal parts for L = 1 … 5, and letter k of n, which covers
[k/n, (k+1)/n], stands in the parts that hold at least half of it:

    entry (L, part, letter) = 1 where at least half of such a letter lies in that part

36 letters and digits and 15 parts make 540 entries; with ``bigrams`` the 50 most frequent pairs of
English letters add 100 of level 2. DCToW writes each letter of the alphabet as a row of zeros and
ones along the word, and keeps the first coefficients of the cosine transform of each row: real
numbers, the same size for words of any length.

How well a string fits a word that a network has seen is, for PHOC, how likely its zeros and ones t
are under the probabilities p that the network gives, Σ t log p + (1 − t) log(1 − p), and for DCToW
the cosine. Two words that were seen are compared by the cosine of their vectors, which for PHOC are
the square roots of the probabilities.

Almazán, Gordo, Fornés, Valveny: Word spotting and recognition with embedded attributes, TPAMI 2014.
Sudholt, Fink: PHOCNet, ICFHR 2016. Wilkinson, Brun: Semantic and verbatim word spotting using deep
neural networks, ICFHR 2016. Rusakov, Rothacker, Mo, Fink: A probabilistic retrieval model for word
spotting based on direct attribute prediction, ICFHR 2018.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..classical import unit_rows
from ..errors import DgmpError
from ..names import check_name
from ..records import Matrix
from .spelling import LATIN, check_alphabet, spell

LEVELS = (1, 2, 3, 4, 5)
BIGRAM_LEVEL = 2
BIGRAMS = (
    "th", "he", "in", "er", "an", "re", "es", "on", "st", "nt", "en", "at", "ed", "nd", "to", "or",
    "ea", "ti", "ar", "te", "ng", "al", "it", "as", "is", "ha", "et", "se", "ou", "of", "le", "sa",
    "ve", "ro", "ra", "ri", "hi", "ne", "me", "de", "co", "ta", "ec", "si", "ll", "so", "na", "li",
    "la", "el",
)  # fmt: skip
EMBEDDINGS = ("phoc", "dctow")
_SURE = 1e-3  # no probability is nearer to 0 or 1


@dataclass(frozen=True)
class Embedding:
    """How words become vectors: one row each, of ``size`` entries."""

    kind: str = "phoc"
    alphabet: str = LATIN
    levels: tuple[int, ...] = LEVELS  # of PHOC: numbers of parts
    bigrams: bool = False  # of PHOC: the 50 most frequent ones at level 2
    coefficients: int = 3  # of DCToW, for each letter

    def __post_init__(self) -> None:
        check_name(self.kind, EMBEDDINGS, "embedding")
        check_alphabet(self.alphabet)
        if not self.levels or min(self.levels) < 1 or self.coefficients < 1:
            raise DgmpError(
                f"levels and coefficients must be 1 or more, got {self.levels}, {self.coefficients}"
            )

    @property
    def size(self) -> int:
        """The number of entries."""
        if self.kind == "dctow":
            return len(self.alphabet) * self.coefficients
        pairs = BIGRAM_LEVEL * len(BIGRAMS) if self.bigrams else 0
        return sum(self.levels) * len(self.alphabet) + pairs

    @property
    def binary(self) -> bool:
        """Whether entries are zeros and ones, which a network can give as probabilities."""
        return self.kind == "phoc"

    def spell(self, word: str) -> str:
        """The letters of a word that count; see :func:`spell`."""
        return spell(word, self.alphabet)

    def of(self, words: Sequence[str]) -> Matrix:  # (words, size)
        """The vectors of words."""
        one = self._dctow if self.kind == "dctow" else self._phoc
        found = np.zeros((len(words), self.size), np.float32)
        for row, word in zip(found, words, strict=True):
            one(self.spell(word), row)
        return found

    def likeness(
        self,
        words: Sequence[str],
        vectors: Matrix,  # (seen, size): of words that were seen
    ) -> Matrix:  # (words, seen)
        """How well each string fits each word that was seen, at most 1.

        For PHOC the likelihood is shared out over the ones of the string: a geometric mean.
        """
        targets = self.of(words)
        if not self.binary:
            return unit_rows(targets) @ unit_rows(vectors).T
        chances = np.clip(np.square(vectors), _SURE, 1 - _SURE)
        yes, no = np.log(chances), np.log1p(-chances)
        likely = targets @ (yes - no).T + no.sum(axis=1)
        ones = np.maximum(targets.sum(axis=1, keepdims=True), 1)
        return np.exp(likely / ones).astype(np.float32)

    def _phoc(self, word: str, row: Matrix) -> None:
        place = {letter: number for number, letter in enumerate(self.alphabet)}
        start = 0
        for level in self.levels:
            table = row[start : start + level * len(place)].reshape(level, len(place))
            for part, at in _parts_of(len(word), 1, level):
                table[part, place[word[at]]] = 1
            start += table.size
        if self.bigrams:
            table = row[start:].reshape(BIGRAM_LEVEL, len(BIGRAMS))
            for part, at in _parts_of(len(word), 2, BIGRAM_LEVEL):
                if word[at : at + 2] in BIGRAMS:
                    table[part, BIGRAMS.index(word[at : at + 2])] = 1

    def _dctow(self, word: str, row: Matrix) -> None:
        length = len(word)
        angles = np.pi / length * (np.arange(length) + 0.5)
        waves = np.cos(np.outer(np.arange(self.coefficients), angles))  # (coefficients, letters)
        waves *= np.sqrt(2 / length)
        waves[0] /= np.sqrt(2)
        waves[length:] = 0  # a short word has no finer waves
        table = row.reshape(len(self.alphabet), self.coefficients)
        for at, letter in enumerate(word):
            table[self.alphabet.index(letter)] += waves[:, at]


def _parts_of(length: int, letters: int, level: int) -> list[tuple[int, int]]:
    """Pairs (part, at): the run of letters from ``at`` has half of itself or more in the part.

    In whole numbers, or the same word would have other parts on other machines.
    """
    found = []
    for at in range(length - letters + 1):
        for part in range(level):
            shared = min((at + letters) * level, (part + 1) * length) - max(
                at * level, part * length
            )
            if 2 * shared >= letters * level:
                found.append((part, at))
    return found

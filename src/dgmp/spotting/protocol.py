"""How word spotting is measured, as published for segmented words.

Query by example: every word of the test pages whose text occurs there at least twice is a query,
and left out of its own ranking. Query by string: every different text of the test pages is a query
once. The gallery is all words of the test pages, a word is relevant if its text is the same, and
the score is the mean of average precision over queries. Intervals are bootstrapped over texts.

Folds: with four folds of 20 pages each word is tested once, by a network that saw none of the pages
it is on: folds are runs of whole pages. Those of Almazán et al., which most publications use, are a
list of word numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from ..errors import DgmpError
from ..evaluation import ranking_scores, retrieval_scores
from ..rankings import rank_similarities
from ..records import Matrix, Scores
from .embeddings import Embedding
from .word_lists import Word, WordList

# Common English words that some publications do not take as queries.
_STOPS = """
a about after all also am an and any are as at be been but by can could did do for from had has
have he her him his how i if in into is it its me more my no not of on one or other our out
shall she should so some such than that the their them then there these they this those to up
upon us was we were what when where which who whom will with would you your
"""
STOP_WORDS = frozenset(_STOPS.split())


def page_folds(words: WordList, folds: int = 4) -> tuple[tuple[str, ...], ...]:
    """The pages in the order of their names, cut into runs of about one length."""
    pages = sorted(words.pages)
    if not 2 <= folds <= len(pages):
        raise DgmpError(f"{words.place}: {len(pages)} pages cannot be cut into {folds} folds")
    cuts = [round(number * len(pages) / folds) for number in range(folds + 1)]
    return tuple(tuple(pages[a:b]) for a, b in pairwise(cuts))


def score_by_example(
    words: Sequence[Word],
    vectors: Matrix,  # (words, entries)
    *,
    stop_words: bool = True,  # whether they are queries
    resamples: int = 2000,
) -> Scores:
    """Every word that occurs again is a query."""
    texts = [word.text for word in words]
    counts = Counter(texts)
    ids = [f"{number:06d}" for number in range(len(words))]
    asked = [
        place
        for place, text in enumerate(texts)
        if counts[text] > 1 and (stop_words or text not in STOP_WORDS)
    ]
    if not asked:
        raise DgmpError("no word occurs twice: there is no query by example")
    return retrieval_scores(
        vectors[asked],
        [texts[place] for place in asked],
        ids=[ids[place] for place in asked],
        gallery=(vectors, texts, ids),
        ks=(1,),
        resamples=resamples,
    )


def score_by_string(
    words: Sequence[Word],
    vectors: Matrix,  # (words, entries)
    embedding: Embedding,
    *,
    stop_words: bool = True,
    resamples: int = 2000,
) -> Scores:
    """Every different text is a query."""
    texts = [word.text for word in words]
    asked = sorted({text for text in texts if stop_words or text not in STOP_WORDS})
    ranking = rank_similarities(
        embedding.likeness(asked, vectors),
        [f"string {text}" for text in asked],
        gallery_ids=[f"{number:06d}" for number in range(len(words))],
    )
    return ranking_scores(ranking, asked, gallery_labels=texts, ks=(1,), resamples=resamples)

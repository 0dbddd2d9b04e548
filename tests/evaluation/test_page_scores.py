"""Scores take labels, scans and manuscripts from pages; else they raise CorpusError."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rankings.clustered_pages import clustered_pages

from dgmp.errors import CorpusError, UnknownName
from dgmp.evaluation import (
    check_labels,
    check_scripts,
    check_writers,
    classification_scores,
    ranking_scores,
    retrieval_scores,
    scans_of,
    score_scripts,
    score_writers,
)
from dgmp.rankings import RERANKINGS, rank_pages, rerank
from dgmp.records import Page
from dgmp.sources import FileSource

VECTORS, WRITERS, IDS = clustered_pages(0, noise=2.0)
PAGES = [Page(name, FileSource(Path(name)), writer=w) for name, w in zip(IDS, WRITERS, strict=True)]

CLASSES = ("Caroline", "Cursiva")
SCRIPTS = ["Caroline", "Caroline", "Cursiva", "Cursiva", "Cursiva"]
WRITTEN = [Page(f"p{n}", FileSource(Path("p")), script=script) for n, script in enumerate(SCRIPTS)]
SHARES = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8], [0.7, 0.3], [0.4, 0.6]])


def with_manuscripts(*names):
    return [replace(page, manuscript=name) for page, name in zip(WRITTEN, names, strict=True)]


def test_pages_are_scored_by_their_writers_and_ids():
    assert score_writers(PAGES, VECTORS) == retrieval_scores(VECTORS, WRITERS, ids=IDS)


def test_pages_by_one_writer_on_one_scan_are_neither_hit_nor_miss():
    scans = [f"s{n // 2}" for n in range(len(PAGES))]
    pages = [replace(page, scan=scan) for page, scan in zip(PAGES, scans, strict=True)]
    found = score_writers(pages, VECTORS)
    assert found == retrieval_scores(VECTORS, WRITERS, ids=IDS, same_scan=scans)
    assert found.map != score_writers(PAGES, VECTORS).map


@pytest.mark.parametrize("name", RERANKINGS)
def test_re_ranked_pages_are_scored_as_their_ranking_is(name):
    scans = [f"s{n // 2}" for n in range(len(PAGES))]
    pages = [replace(page, scan=scan) for page, scan in zip(PAGES, scans, strict=True)]
    ranking = rerank(rank_pages(VECTORS, ids=IDS), name)
    expected = ranking_scores(ranking, WRITERS, same_scan=scans, resamples=50, seed=3)
    assert score_writers(pages, VECTORS, rerank=name, resamples=50, seed=3) == expected


def test_a_page_that_names_no_scan_is_its_own():
    assert scans_of(PAGES) is None
    assert scans_of([replace(PAGES[0], scan="s"), PAGES[1]]) == ["s", PAGES[1].id]


def test_scripts_are_scored_per_page_where_no_manuscript_is_known():
    expected = classification_scores(SHARES, SCRIPTS, classes=CLASSES, ids=[p.id for p in WRITTEN])
    assert score_scripts(WRITTEN, SHARES, CLASSES) == expected
    assert "group_accuracy" not in expected.values


def test_scripts_are_scored_per_manuscript_where_any_is_known():
    pages = with_manuscripts("m", "m", "n", "n", None)
    scores = score_scripts(pages, SHARES, CLASSES, resamples=0)
    groups = ("m in Caroline", "m in Caroline", "n in Cursiva", "n in Cursiva", "p4 in Cursiva")
    assert scores.item_clusters == groups
    assert scores["group_accuracy"] == 1  # m: 0.65 Caroline, n: 0.55 Cursiva, the last: 0.6
    assert scores.accuracy == 3 / 5


def test_a_manuscript_in_two_scripts_counts_as_two():
    pages = with_manuscripts("m", "m", "m", "m", "m")
    scores = score_scripts(pages, SHARES, CLASSES, resamples=0)
    assert set(scores.item_clusters) == {"m in Caroline", "m in Cursiva"}
    assert scores.notes == ("2 groups",)


def alone(pages):
    return [replace(page, writer=page.id) for page in pages]


BAD = {
    "there are no pages to score": lambda: score_writers([], np.zeros((0, 2))),
    "1 of 40 pages have no writer, the first is 'x'": lambda: score_writers(
        [Page("x", FileSource(Path("x"))), *PAGES[1:]], VECTORS
    ),
    "all 5 pages are by the one writer '0'": lambda: score_writers(PAGES[:5], VECTORS[:5]),
    "40 pages cannot be scored: no query has a relevant page": lambda: score_writers(
        alone(PAGES), VECTORS
    ),
    "4 pages cannot be scored: neighbours must be from 1 to 3": lambda: score_writers(
        PAGES[3:7], VECTORS[3:7], rerank="aqe"
    ),
    "cannot be scored: vectors: the row of .* is all zero": lambda: score_writers(
        PAGES, 0 * VECTORS
    ),
    "'p0' comes twice": lambda: score_scripts([WRITTEN[0]] * 2, SHARES[:2], CLASSES),
    "2 of 2 pages have no script": lambda: score_scripts(PAGES[:2], SHARES[:2], CLASSES),
    "3 pages are of scripts this model does not know, as 'p2' of 'Cursiva'": lambda: score_scripts(
        WRITTEN, SHARES, ("Caroline", "Uncial")
    ),
    "5 pages cannot be scored: probabilities: row 0": lambda: score_scripts(
        WRITTEN, 2 * SHARES, CLASSES
    ),
}


@pytest.mark.parametrize("message", BAD)
def test_pages_that_cannot_be_scored_are_a_corpus_error(message):
    with pytest.raises(CorpusError, match=message):
        BAD[message]()


def test_pages_are_checked_before_they_are_described():
    check_labels(PAGES, "writer")
    check_writers(PAGES)
    check_scripts(WRITTEN, CLASSES)
    with pytest.raises(CorpusError, match="have no script"):
        check_labels(PAGES, "script")
    with pytest.raises(CorpusError, match="the one writer"):
        check_writers(PAGES[:5])
    with pytest.raises(CorpusError, match="it knows Uncial"):
        check_scripts(WRITTEN, ["Uncial"])


def test_an_unknown_re_ranking_is_answered_with_the_choices():
    with pytest.raises(UnknownName, match="no re-ranking called 'srg'; did you mean 'sgr'"):
        score_writers(PAGES, VECTORS, rerank="srg")


def test_rows_that_do_not_belong_to_the_pages_are_refused():
    with pytest.raises(ValueError, match=r"40 pages need vectors of that many rows, got \(3, 24\)"):
        score_writers(PAGES, VECTORS[:3])
    with pytest.raises(ValueError, match="5 pages need probabilities"):
        score_scripts(WRITTEN, SHARES[:3], CLASSES)


def test_centuries_are_also_scored_by_how_far_off_they_are():
    dated = [
        replace(page, script=c)
        for page, c in zip(WRITTEN, ["9", "9", "12", "12", "12"], strict=True)
    ]
    scores = score_scripts(dated, SHARES, ("9", "12"))
    assert scores.accuracy == 0.6
    assert "mean absolute error: 1.20" in scores.notes

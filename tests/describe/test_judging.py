"""Scores of describers and classifiers on pages; sheets, crops, broken pages, missing labels."""

from dataclasses import replace

import numpy as np
import pytest

from dgmp.corpora import Preparation, open_corpus
from dgmp.describe import RERANKINGS, judge_describer
from dgmp.describe.classifying import classify_pages, judge_classifier
from dgmp.errors import CorpusError, DgmpError, ImageError, UnknownName
from dgmp.evaluation import retrieval_scores

PAGES = 8


class Oracle:
    """Knows the vector of every page by its id, and one page that is broken."""

    preparation = Preparation(canonical=None, binarization="none")
    dim = 4
    spec = {"describer": "oracle"}  # noqa: RUF012

    def __init__(self, vectors, broken=()):
        self.vectors = vectors
        self.broken = broken

    def describe_page(self, image):
        if image.page.id in self.broken:
            raise ImageError(image.page.id, "torn")
        return self.vectors[image.page.id]


@pytest.fixture
def pages(hands):
    """Two writers with four pages each, all of them the same file."""
    (first, *_) = open_corpus(hands).pages
    return [
        replace(first, id=f"p{n}", writer=f"w{n // 4}", sheet=None, split=None)
        for n in range(PAGES)
    ]


@pytest.fixture
def vectors():
    found = np.random.default_rng(0).standard_normal((PAGES, 4)).astype(np.float32)
    found[:, 0] += np.repeat([1.5, -1.5], 4)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return {f"p{n}": vector for n, vector in enumerate(found)}


def test_scores_are_those_of_the_vectors(pages, vectors):
    judged = judge_describer(pages, Oracle(vectors))
    plain = retrieval_scores(
        np.stack(list(vectors.values())), [p.writer for p in pages], ids=list(vectors)
    )
    assert judged.scores == plain
    assert judged.failures == ()


def test_pairs_of_one_writer_and_sheet_are_neither_hit_nor_miss(pages, vectors):
    sheets = [replace(page, sheet=f"s{n // 2}") for n, page in enumerate(pages)]
    judged = judge_describer(sheets, Oracle(vectors))
    plain = retrieval_scores(
        np.stack(list(vectors.values())),
        [p.writer for p in pages],
        ids=list(vectors),
        same_scan=[p.sheet for p in sheets],
    )
    assert judged.scores == plain
    assert judged.scores.map != judge_describer(pages, Oracle(vectors)).scores.map


@pytest.mark.parametrize("rerank", RERANKINGS)
def test_every_re_ranking_is_named_in_the_scores(pages, vectors, rerank):
    if rerank == "k-reciprocal":
        more = [replace(page, id=page.id + "b") for page in pages]
        pages, vectors = pages + more, vectors | {k + "b": v for k, v in vectors.items()}
    scores = judge_describer(pages, Oracle(vectors), rerank=rerank).scores
    assert scores.reranking.lower().replace("α", "a").startswith(rerank[:3])


def test_broken_pages_are_told_and_the_rest_is_judged(pages, vectors):
    judged = judge_describer(pages, Oracle(vectors, broken=("p3",)))
    assert judged.failures == (("p3", "torn"),)
    assert judged.scores.queries == PAGES - 1


def test_pages_that_cannot_be_judged_are_refused_before_they_are_described(pages, vectors):
    oracle = Oracle({})
    with pytest.raises(CorpusError, match="1 of 8 pages have no writer, the first is 'p0'"):
        judge_describer([replace(pages[0], writer=None), *pages[1:]], oracle)
    with pytest.raises(CorpusError, match="all 4 pages are by the one writer 'w0'"):
        judge_describer(pages[:4], oracle)
    with pytest.raises(UnknownName, match="no re-ranking called 'srg'; choose from sgr"):
        judge_describer(pages, oracle, rerank="srg")


def test_writers_with_a_single_page_each_cannot_be_judged(pages, vectors):
    with pytest.raises(CorpusError, match="2 pages cannot be scored: no query has a relevant"):
        judge_describer([pages[0], pages[4]], Oracle(vectors))


def test_a_classifier_is_judged_per_page_and_per_manuscript(hands, tiny):
    model = tiny(classes=("Caroline", "Cursiva", "Uncial"))
    pages = open_corpus(hands).pages
    judged = judge_classifier(pages, model)
    found, _ = classify_pages(pages, model)
    right = [model.classes[shares.argmax()] == page.script for page, shares in found]
    assert judged.scores.accuracy == pytest.approx(np.mean(right))
    assert judged.scores.notes == ("4 groups",)
    assert "group_accuracy" in judged.scores.values


def test_scripts_a_classifier_does_not_know_are_named(hands, tiny):
    pages = open_corpus(hands).pages
    with pytest.raises(CorpusError, match=r"scripts this model does not know, as .* of 'Uncial'"):
        judge_classifier(pages, tiny(classes=("Caroline", "Cursiva")))
    with pytest.raises(CorpusError, match="have no script"):
        judge_classifier([replace(pages[0], script=None)], tiny(classes=("Caroline", "Cursiva")))
    with pytest.raises(DgmpError, match="no script classes"):
        judge_classifier(pages, tiny())


def test_broken_pages_are_left_out_of_a_classification(hands, tiny, tmp_path):
    model = tiny(classes=("Caroline", "Cursiva", "Uncial"))
    pages = open_corpus(hands).pages
    broken = replace(pages[0], id="broken", path=tmp_path / "missing.png")
    found, failures = classify_pages([broken, pages[1]], model)
    assert [page.id for page, _ in found] == [pages[1].id]
    assert failures == (("broken", "missing: there is no such file"),)
    with pytest.raises(CorpusError, match="none of 1 pages could be used: broken missing"):
        judge_classifier([broken], model)


def test_a_crop_is_all_that_is_looked_at(hands, tiny):
    model = tiny(classes=("Caroline", "Cursiva", "Uncial"))
    page = open_corpus(hands).pages[:1]
    ((_, whole),), _ = classify_pages(page, model)
    ((_, middle),), _ = classify_pages(page, model, crop=64)
    assert not np.allclose(whole, middle, atol=1e-9)

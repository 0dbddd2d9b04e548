"""Scores of describers and classifiers on a corpus: scans, crops, broken pages, missing labels."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dgmp.catalogue import Catalogue
from dgmp.corpora import Corpus, open_corpus
from dgmp.describers import LearnedClassifier, classify_pages, fit_describer, load_describer
from dgmp.errors import CorpusError, DgmpError, ImageError, UnknownName
from dgmp.evaluation import retrieval_scores, score_scripts, score_writers
from dgmp.hands.densities import START
from dgmp.pixels import Preparation, read_pages
from dgmp.rankings import RERANKINGS
from dgmp.records import Descriptors, Page
from dgmp.sources import FileSource
from dgmp.tasks import evaluate, score_search, search
from dgmp.tasks.evaluating import judged_pages

PAGES = 16
CLASSES = ("Caroline", "Cursiva", "Uncial")


class Oracle:
    """Knows the vector of every page by its id, and one page that is broken."""

    preparation = Preparation(canonical=None, binarization="none")
    dim = 4
    spec = {"kind": "oracle"}  # noqa: RUF012
    calibration = None

    def __init__(self, vectors, broken=()):
        self.vectors = vectors
        self.broken = broken

    def describe_page(self, image):
        if image.page.id in self.broken:
            raise ImageError(image.page.id, "torn")
        return self.vectors[image.page.id]


@pytest.fixture
def pages(hands):
    """Two writers with eight pages each, all of them the same file."""
    (first, *_) = open_corpus(hands).pages
    return [
        replace(first, id=f"p{n:02}", writer=f"w{n // 8}", scan=None, split=None)
        for n in range(PAGES)
    ]


@pytest.fixture
def vectors():
    found = np.random.default_rng(0).standard_normal((PAGES, 4)).astype(np.float32)
    found[:, 0] += np.repeat([1.5, -1.5], 8)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return {f"p{n:02}": vector for n, vector in enumerate(found)}


def of(pages):
    return Corpus(Path("nowhere"), "csv", tuple(pages))


def plain_scores(pages, vectors, **options):
    rows, writers = np.stack(list(vectors.values())), [page.writer for page in pages]
    return retrieval_scores(rows, writers, ids=list(vectors), **options)


def test_scores_are_those_of_the_vectors(pages, vectors):
    judged = evaluate(of(pages), Oracle(vectors))
    assert judged.scores == plain_scores(pages, vectors)
    assert (judged.failures, judged.warnings) == ((), ())


def test_pairs_of_one_writer_and_scan_are_neither_hit_nor_miss(pages, vectors):
    on_scans = [replace(page, scan=f"s{n // 2}") for n, page in enumerate(pages)]
    found = evaluate(of(on_scans), Oracle(vectors)).scores
    assert found == plain_scores(pages, vectors, same_scan=[page.scan for page in on_scans])
    assert found.map != evaluate(of(pages), Oracle(vectors)).scores.map


def test_a_calibrated_describer_is_judged_in_the_order_that_searches_have(
    shelf, calibrated_describer
):
    corpus = open_corpus(shelf / "scans")
    known = [replace(page, writer=page.id[0]) for page in corpus]
    scores = evaluate(of(known), calibrated_describer).scores
    catalogue = Catalogue.open(shelf / "catalogue")
    hits = [search(catalogue, page.id, 1)[0].page_id for page in known]
    assert scores.top(1) == np.mean(
        [hit[0] == page.id[0] for hit, page in zip(hits, known, strict=True)]
    )
    rows = [catalogue.page(page.id).vectors[0] for page in known]
    plain = score_writers(known, np.stack(rows))
    assert scores["map_by_cosine"] == pytest.approx(plain.map)
    assert scores.intervals["map_by_cosine"] == pytest.approx(plain.intervals["map"])
    assert "in the order of likeness" in scores.notes[-1]
    assert scores.reranking == "likeness"


def test_the_order_of_likeness_puts_right_what_a_collection_shares():
    generator = np.random.default_rng(2)
    writers = np.repeat(np.arange(20), 3)
    hands = generator.standard_normal((20, 400))
    shared = generator.standard_normal((2, 400))[np.arange(60) % 2]  # two kinds of writing
    vectors = hands[writers] + generator.standard_normal((60, 400)) + shared
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    ids = [f"p{n:02}" for n in range(60)]
    pages = [
        Page(id, FileSource(Path(id)), writer=f"w{w}") for id, w in zip(ids, writers, strict=True)
    ]
    halves = np.full(60, 0.5, np.float32)
    scores = score_search(pages, Descriptors(tuple(ids), vectors, {}, halves=halves), START)
    assert scores.map > scores["map_by_cosine"] + 0.05


def test_queries_by_one_writer_alone_are_judged_without_intervals():
    generator = np.random.default_rng(0)
    pages = [Page(n, FileSource(Path(n)), writer=w) for n, w in zip("pqr", "aab", strict=True)]
    vectors = generator.standard_normal((3, 50)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    halves = np.full(3, 0.5, np.float32)
    described = Descriptors(("p", "q", "r"), vectors, {}, halves=halves)
    scores = score_search(pages, described, START)
    assert scores.queries == 2
    assert "map_by_cosine" not in scores.intervals


def test_scores_do_not_depend_on_the_order_of_a_large_collection():
    generator = np.random.default_rng(1)
    writers = np.repeat(np.arange(300), 2)
    vectors = generator.standard_normal((300, 64))[writers]
    vectors = vectors + generator.standard_normal((600, 64)) + generator.standard_normal(64)
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    ids = [f"{n:03}" for n in range(600)]
    pages = [
        Page(id, FileSource(Path(id)), writer=f"{w}") for id, w in zip(ids, writers, strict=True)
    ]
    halves = np.full(600, 0.5, np.float32)
    order = generator.permutation(600)
    one = score_search(pages, Descriptors(tuple(ids), vectors, {}, halves=halves), START)
    turned = Descriptors(tuple(ids[i] for i in order), vectors[order], {}, halves=halves)
    assert score_search([pages[i] for i in order], turned, START) == one


def test_re_ranking_begins_with_cosines(shelf, calibrated_describer):
    corpus = open_corpus(shelf / "scans")
    known = [replace(page, writer=page.id[0]) for page in corpus]
    scores = evaluate(of(known), calibrated_describer, rerank="aqe").scores
    rows = [Catalogue.open(shelf / "catalogue").page(page.id).vectors[0] for page in known]
    assert scores.map == pytest.approx(score_writers(known, np.stack(rows), rerank="aqe").map)
    assert "map_by_cosine" not in scores.values


@pytest.mark.parametrize("rerank", RERANKINGS)
def test_every_re_ranking_is_named_in_the_scores(pages, vectors, rerank):
    scores = evaluate(of(pages), Oracle(vectors), rerank=rerank).scores
    assert scores.reranking.lower().replace("α", "a").startswith(rerank[:3])


def test_broken_pages_are_told_and_the_rest_is_judged(pages, vectors):
    judged = evaluate(of(pages), Oracle(vectors, broken=("p03",)))
    assert judged.failures == (("p03", "torn"),)
    assert judged.scores.queries == PAGES - 1


def test_pages_that_cannot_be_judged_are_refused_before_they_are_described(pages):
    oracle = Oracle({})
    with pytest.raises(CorpusError, match="1 of 16 pages have no writer, the first is 'p00'"):
        evaluate(of([replace(pages[0], writer=None), *pages[1:]]), oracle)
    with pytest.raises(CorpusError, match="all 8 pages are by the one writer 'w0'"):
        evaluate(of(pages[:8]), oracle)
    with pytest.raises(UnknownName, match="no re-ranking called 'srg'; did you mean 'sgr'"):
        evaluate(of(pages), oracle, rerank="srg")


def test_writers_with_a_single_page_each_cannot_be_judged(pages, vectors):
    with pytest.raises(CorpusError, match="2 pages cannot be scored: no query has a relevant"):
        evaluate(of([pages[0], pages[8]]), Oracle(vectors))


def test_a_run_is_judged_on_the_test_pages_of_a_folder(hands, runs):
    judged = evaluate(hands, runs / "writers")
    describer = load_describer(runs / "writers")
    assert judged.scores == evaluate(of(open_corpus(hands).in_split("test")), describer).scores
    assert str(judged).startswith("retrieval: 6 queries")


def test_a_split_that_is_named_is_judged(hands, runs):
    scores = evaluate(hands, runs / "writers", split="train").scores
    assert {id[:2] for id in scores.item_ids} == {"w0", "w1"}


def test_the_pages_to_judge_are_those_of_the_split_else_test_else_all(hands):
    corpus = open_corpus(hands)
    without = replace(corpus, pages=tuple(replace(page, split=None) for page in corpus))
    assert judged_pages(corpus, "train") == corpus.in_split("train")
    assert judged_pages(corpus, None) == corpus.in_split("test")
    assert judged_pages(without, None) == without.pages


def test_a_classical_kind_is_fitted_on_the_training_pages_alone(hands):
    corpus, preparation = open_corpus(hands), Preparation(binarization="otsu")
    images = read_pages(corpus.in_split("train"), preparation)
    fitted = fit_describer("srs-lbp", images, seed=3, preparation=preparation)
    named = evaluate(corpus, "srs-lbp", seed=3, binarization="otsu")
    assert named.scores == evaluate(corpus, fitted).scores


def test_the_stages_of_a_fitted_kind_are_told_with_their_pages(hands):
    stages = []

    def stage(name, pages):
        stages.append((name, pages))
        return lambda number: None

    evaluate(hands, "srs-lbp", stage=stage)
    assert stages == [
        ("measuring the writing", 6),
        ("fitting srs-lbp", 6),
        ("measuring the writing", 6),
        ("describing pages", 6),
    ]


def test_a_kind_is_not_fitted_on_the_pages_it_is_judged_by(hands):
    with pytest.raises(CorpusError, match="fitted on pages of split train other than those"):
        evaluate(hands, "srs-lbp", split="train")


@pytest.mark.parametrize("kind", ["srs-lbp", "obif"], ids=["fitted", "not fitted"])
def test_aggregates_are_for_networks(hands, kind):
    with pytest.raises(DgmpError, match="--aggregate is for networks trained on writers"):
        evaluate(hands, kind, aggregate="gmp")


def test_pages_that_a_run_was_trained_on_are_noted(hands, runs, tmp_path):
    folder = shutil.copytree(runs / "writers", tmp_path / "run")
    (folder / "run.json").write_text(json.dumps({"data": {"path": str(hands)}}))
    rows = "w0_p0.png,val\nw2_p0.png,train\nw2_p1.png,train\n"
    (folder / "split.csv").write_text(f"# dgmp split 1\nid,split\n{rows}")
    judged = evaluate(hands, folder)
    note = "2 of 6 pages are among those this run was trained on"
    assert note in judged.scores.notes
    assert judged.warnings == (
        f"{note}; its split.csv as --split-file, with --split val, leaves them out",
    )


def test_a_classifier_is_judged_per_page_and_per_manuscript(hands, tiny):
    classifier = LearnedClassifier(tiny(classes=CLASSES))
    pages = open_corpus(hands).pages
    judged = evaluate(of(replace(page, split=None) for page in pages), classifier)
    named = classify_pages(pages, classifier)
    right = [
        CLASSES[shares.argmax()] == page.script
        for page, shares in zip(pages, named.probabilities, strict=True)
    ]
    assert judged.scores.accuracy == pytest.approx(np.mean(right))
    assert judged.scores.notes == ("4 groups",)
    assert "group_accuracy" in judged.scores.values


def test_a_saved_classical_classifier_is_judged_by_its_scripts(hands, classical_scripts):
    judged = evaluate(hands, classical_scripts, split="train")
    assert judged.scores.task == "classification"
    assert judged.scores.accuracy == 1  # on pages it was fitted to


def test_scripts_a_classifier_does_not_know_are_named(hands, tiny):
    corpus, classifier = open_corpus(hands), LearnedClassifier(tiny(classes=CLASSES[:2]))
    with pytest.raises(CorpusError, match=r"scripts this model does not know, as .* of 'Uncial'"):
        evaluate(corpus, classifier)
    with pytest.raises(CorpusError, match="have no script"):
        evaluate(of([replace(corpus.pages[0], script=None, split=None)]), classifier)


def test_scripts_are_not_re_ranked(hands, runs):
    with pytest.raises(DgmpError, match="--rerank is for writers"):
        evaluate(hands, runs / "scripts", rerank="sgr")


def test_broken_pages_are_left_out_of_a_classification(hands, tiny, tmp_path):
    classifier = LearnedClassifier(tiny(classes=CLASSES))
    pages = [replace(page, split=None) for page in open_corpus(hands)]
    broken = replace(pages[0], id="broken", source=FileSource(tmp_path / "missing.png"))
    judged = evaluate(of([broken, *pages[1:]]), classifier)
    assert judged.failures == (("broken", "missing: there is no such file"),)
    assert judged.scores.queries == len(pages) - 1
    with pytest.raises(CorpusError, match=r"none of 1 pages could be classified.*broken.*missing"):
        evaluate(of([broken]), classifier)


def test_a_crop_is_all_that_a_classifier_looks_at(hands, tiny):
    classifier = LearnedClassifier(tiny(classes=CLASSES))
    pages = open_corpus(hands).in_split("test")
    whole, middle = (classify_pages(pages, classifier, crop=crop) for crop in (None, 64))
    assert not np.allclose(whole.probabilities, middle.probabilities, atol=1e-9)
    expected = score_scripts(pages, middle.probabilities, CLASSES)
    assert evaluate(hands, classifier, crop=64).scores == expected


def test_a_crop_is_all_that_a_describer_looks_at(pages, vectors):
    seen = []

    class Watching(Oracle):
        def describe_page(self, image):
            seen.append(image.pixels.shape)
            return super().describe_page(image)

    evaluate(of(pages), Watching(vectors), crop=64)
    assert set(seen) == {(64, 64)}


def test_a_corpus_without_a_page_that_can_be_used_is_refused(tmp_path, runs):
    (tmp_path / "a.png").write_bytes(b"")
    with pytest.raises(CorpusError, match="none of its files can be used"):
        evaluate(tmp_path, runs / "writers")

"""Mean average precision and top-k against the formula, and the laws they keep."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from rankings import slow_references as slow

from dgmp.evaluation import ranking_scores, retrieval_scores
from dgmp.evaluation import retrieval as retrieval_file
from dgmp.rankings import cosines as cosines_file
from dgmp.rankings import rank_pages, rank_similarities
from dgmp.records import Ranking

EXACT = 1e-12


def names_of(generator, count):
    """Ids whose alphabetical order is not the order of the pages."""
    return [f"page-{number:03d}" for number in generator.permutation(count)]


def tied_vectors(generator, count, dim=6):
    """Four entries ±1: unit rows are multiples of a half, and cosines exact quarters."""
    vectors = np.zeros((count, dim))
    for row in vectors:
        row[generator.choice(dim, 4, replace=False)] = generator.choice([-1.0, 1.0], 4)
    return vectors


def writers(generator, count, writers=4):
    labels = generator.integers(writers, size=count)
    labels[:4] = [0, 0, 1, 1]
    return [f"w{label}" for label in labels]


def quick(vectors, labels, **options):
    return retrieval_scores(vectors, labels, resamples=0, **options)


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(4, 30), levels=st.sampled_from([1, 3, 0]))
def test_map_of_given_similarities_agrees_with_the_formula(seed, count, levels):
    generator = np.random.default_rng(seed)
    similarities = generator.standard_normal((count, count))
    if levels:  # heavily tied
        similarities = generator.integers(levels, size=(count, count)).astype(float)
    ids, labels = names_of(generator, count), writers(generator, count)
    scores = ranking_scores(rank_similarities(similarities, ids), labels, resamples=0)
    expected = slow.mean_average_precision(similarities, labels, ids, labels, ids)
    assert abs(scores.map - expected[0]) < EXACT
    assert (scores.queries, scores.skipped) == expected[1:]


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(4, 60),
    tied=st.booleans(),
    hands=st.sampled_from([2, 8]),
)
def test_map_of_vectors_agrees_with_the_formula(seed, count, tied, hands):
    generator = np.random.default_rng(seed)
    vectors = tied_vectors(generator, count) if tied else generator.standard_normal((count, 9))
    ids, labels = names_of(generator, count), writers(generator, count, hands)
    scores = quick(vectors, labels, ids=ids)
    expected = slow.mean_average_precision(slow.cosines(vectors), labels, ids, labels, ids)
    assert abs(scores.map - expected[0]) < EXACT
    assert (scores.queries, scores.skipped) == expected[1:]


@pytest.mark.parametrize("tied", [False, True])
def test_ranks_by_counting_and_by_sorting_are_the_same(tied, monkeypatch):
    generator = np.random.default_rng(1)
    vectors = tied_vectors(generator, 60) if tied else generator.standard_normal((60, 5))
    labels = writers(generator, 60)
    monkeypatch.setattr(retrieval_file, "COUNT_UP_TO", 1000)
    counted = quick(vectors, labels)
    monkeypatch.setattr(retrieval_file, "COUNT_UP_TO", 0)
    assert quick(vectors, labels) == counted


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), tied=st.booleans())
def test_scans_and_another_gallery_agree_with_the_formula(seed, tied):
    generator = np.random.default_rng(seed)
    make = tied_vectors if tied else lambda g, n: g.standard_normal((n, 6))
    vectors, shelf = make(generator, 12), make(generator, 20)
    ids = [f"page-{n:02d}" for n in generator.choice(30, 12, replace=False)]
    shelf_ids = [f"page-{n:02d}" for n in generator.choice(30, 20, replace=False)]
    labels, shelf_labels = writers(generator, 12), writers(generator, 20)
    scans = generator.integers(5, size=12).tolist()
    shelf_scans = generator.integers(5, size=20).tolist()
    expected = slow.mean_average_precision(
        slow.cosines(vectors, shelf), labels, ids, shelf_labels, shelf_ids, scans, shelf_scans
    )
    scores = quick(
        vectors,
        labels,
        ids=ids,
        gallery=(shelf, shelf_labels, shelf_ids),
        same_scan=(scans, shelf_scans),
    )
    ranking = rank_pages(vectors, ids=ids, gallery=shelf, gallery_ids=shelf_ids)
    ranked = ranking_scores(
        ranking,
        labels,
        gallery_labels=shelf_labels,
        same_scan=(scans, shelf_scans),
        resamples=0,
    )
    assert abs(scores.map - expected[0]) < EXACT
    assert (scores.queries, scores.skipped) == expected[1:]
    assert ranked == scores


@pytest.mark.parametrize("tied", [False, True])
def test_pages_in_another_order_give_the_very_same_scores(tied):
    generator = np.random.default_rng(2)
    vectors = tied_vectors(generator, 50) if tied else generator.standard_normal((50, 33))
    vectors[10:20] = vectors[:10]  # copies of pages, by whomever
    ids, labels = names_of(generator, 50), writers(generator, 50)
    scans = generator.integers(20, size=50)
    first = retrieval_scores(vectors, labels, ids=ids, same_scan=scans)
    order = generator.permutation(50)
    again = retrieval_scores(
        vectors[order],
        [labels[n] for n in order],
        ids=[ids[n] for n in order],
        same_scan=scans[order],
    )
    assert again == first


@pytest.mark.parametrize("rows", [1, 2, 7, 49])
def test_blocks_of_any_size_give_the_very_same_scores(rows, monkeypatch):
    generator = np.random.default_rng(3)
    vectors = generator.standard_normal((50, 700)).astype(np.float32)
    vectors[25:] = vectors[:25]
    labels = writers(generator, 50)
    whole = quick(vectors, labels)
    monkeypatch.setattr(cosines_file, "BLOCK_BYTES", rows * 8 * 50)
    assert quick(vectors, labels) == whole


def test_map_is_that_of_pytorch_metric_learning_over_the_whole_gallery():
    accuracy = pytest.importorskip("pytorch_metric_learning.utils.accuracy_calculator")
    inference = pytest.importorskip("pytorch_metric_learning.utils.inference")
    distances = pytest.importorskip("pytorch_metric_learning.distances")
    generator = np.random.default_rng(8)
    vectors = generator.standard_normal((60, 9))
    labels = np.append(generator.integers(12, size=58), [12, 13])  # two are skipped
    calculator = accuracy.AccuracyCalculator(
        include=("mean_average_precision",),
        k=None,
        knn_func=inference.CustomKNN(distances.CosineSimilarity()),
        kmeans_func=len,  # not used: without it, faiss would be needed
    )
    found = calculator.get_accuracy(vectors, labels)["mean_average_precision"]
    assert quick(vectors, labels).map == pytest.approx(found, abs=1e-6)


def test_a_tie_goes_to_the_smaller_id():
    vectors = [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    assert quick(vectors, ["a", "a", "b"], ids=["q", "1", "2"]).map == 0.75  # 1 and 1/2
    assert quick(vectors, ["a", "a", "b"], ids=["q", "2", "1"]).map == 0.5


def test_length_of_a_vector_does_not_matter():
    generator = np.random.default_rng(5)
    vectors = generator.standard_normal((30, 8))
    labels = writers(generator, 30)
    lengths = 2.0 ** generator.integers(-400, 400, size=(30, 1))
    assert quick(vectors * lengths, labels) == quick(vectors, labels)


def test_average_precision_rises_when_a_relevant_page_moves_up():
    ids = tuple("qabcdef")
    labels = dict(zip(ids, "xxyyxyy", strict=True))  # a and d are relevant to q
    found = []
    for places in ([2, 3, 5, 4, 1, 6], [2, 3, 4, 5, 1, 6], [2, 4, 3, 5, 1, 6], [4, 2, 3, 5, 1, 6]):
        order = np.array([places])
        ranking = Ranking(("q",), ids, order, -np.sort(np.arange(6.0))[None])
        found.append(ranking_scores(ranking, labels, resamples=0).map)
    assert found == sorted(set(found))


def test_a_case_worked_by_hand():
    # Query 0 ranks 1 (other), 2 (same), 3 (same), 4 (other): AP = (1/2 + 2/3) / 2.
    similarities = np.array([[9, 5, 4, 3, 2]] * 5, dtype=float)
    ranking = rank_similarities(similarities[:1], ["0"], gallery_ids=list("01234"))
    scores = ranking_scores(
        ranking, dict(zip("01234", "abaac", strict=True)), ks=(1, 2, 3), resamples=0
    )
    assert scores.map == pytest.approx(7 / 12, abs=EXACT)
    assert (scores.top(1), scores.top(2), scores.top(2, hard=True)) == (0, 1, 0)
    assert scores.curve == pytest.approx((0, 1 / 2, 2 / 3))


def test_hard_top_k_asks_for_all_and_says_who_cannot():
    vectors = [[1, 0], [1, 0.1], [1, 0.2], [0, 1], [0.1, 1]]
    scores = quick(vectors, list("aaabb"), ks=(2,))
    assert scores.top(2) == 1
    assert scores.top(2, hard=True) == 3 / 5
    assert "2 of 5 queries have fewer than 2 relevant pages" in scores.notes[0]


def test_queries_without_a_relevant_page_are_skipped_and_counted():
    scores = quick(np.eye(4), list("aabc"))
    assert (scores.queries, scores.skipped) == (2, 2)
    assert "2 skipped" in str(scores)


def test_a_query_is_left_out_by_its_id_not_by_its_rank():
    generator = np.random.default_rng(6)
    vectors = generator.standard_normal((6, 4))
    labels, ids = list("aabbcc"), list("uvwxyz")
    among_themselves = quick(vectors, labels, ids=ids)
    as_gallery = quick(vectors, labels, ids=ids, gallery=(vectors, labels, ids))
    assert as_gallery == among_themselves
    unnamed = quick(vectors, labels, gallery=(vectors, labels))
    assert unnamed.map > among_themselves.map  # every query finds itself
    assert "no query was left out" in unnamed.notes[0]


VECTORS, LABELS = np.eye(4), list("aabb")
BAD = {
    "4 pages, but 3 labels": lambda: quick(VECTORS, LABELS[:3]),
    "the row of 'y' is not finite": lambda: quick(
        [[1.0, 0.0], [np.nan, 1.0], [0.0, 1.0]], list("aab"), ids=list("xyz")
    ),
    "all pages have the one label 'a'": lambda: quick(VECTORS, list("aaaa")),
    "no query has a relevant page": lambda: quick(VECTORS, list("abcd")),
    "gallery must be": lambda: quick(VECTORS, LABELS, gallery=VECTORS),
    "vectors have 4 entries, those of the gallery 2": lambda: quick(
        VECTORS, LABELS, gallery=(np.eye(2), list("ab"))
    ),
    "4 pages, but 2 same_scan": lambda: quick(VECTORS, LABELS, same_scan=["s", "t"]),
    "same_scan must be a pair": lambda: quick(
        VECTORS, LABELS, gallery=(VECTORS, LABELS), same_scan=list("stuv")
    ),
    "give gallery_labels": lambda: ranking_scores(
        rank_similarities(np.eye(2), ["q", "r"], gallery_ids=["a", "b"]), ["x", "y"]
    ),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_named(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()


def test_by_product_long_rows_of_the_gallery_come_first():
    vectors = np.array([[1, 0], [1, 0.1], [5, 5]])
    writers = ["a", "a", "b"]
    extra = {"gallery": (vectors, writers, ["p", "q", "r"]), "ids": ["p"]}
    assert retrieval_scores(vectors[:1], writers[:1], **extra).map == 1
    assert retrieval_scores(vectors[:1], writers[:1], **extra, less=np.zeros(3)).map == 0.5  # 5 > 1
    # 5 - 4.5 is less than 1, and the length of the query counts: 10 - 4.5 is more than 2.
    assert retrieval_scores(vectors[:1], writers[:1], **extra, less=[0, 0, 4.5]).map == 1
    assert retrieval_scores(2 * vectors[:1], writers[:1], **extra, less=[0, 0, 4.5]).map == 0.5


def test_by_product_rows_of_one_length_are_ranked_as_by_cosine():
    generator = np.random.default_rng(0)
    vectors = generator.standard_normal((30, 5))
    vectors *= 3 / np.linalg.norm(vectors, axis=1, keepdims=True)
    writers = [f"w{n // 3}" for n in range(30)]
    found = retrieval_scores(vectors, writers, less=np.full(30, 7.0))
    assert found == retrieval_scores(vectors, writers)


@pytest.mark.parametrize("less", [[0.0], [0.0, np.nan], 1.0])
def test_less_is_a_number_of_each_page_of_the_gallery(less):
    with pytest.raises(ValueError, match="less must be 2 finite numbers"):
        retrieval_scores(np.eye(2), ["a", "b"], gallery=(np.eye(2), ["a", "b"]), less=less)

"""Cosines to probabilities: monotone, robust to a shift, honest about the prior."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scribbles import bcubed_f

from dgmp.catalogue import Calibration, Catalogue, Entry, Head, fit_calibration, fitting
from dgmp.catalogue.calibration import LEAN, Background, sigmoid, stretched
from dgmp.errors import CatalogueError
from dgmp.records import Descriptors, Page

SOME = Calibration(0.1, 0.05, 2.0, -3.0, 0.5, -0.5, (0.1, 0.2, 0.3), (0.4, 0.5))
FLAT = Background(np.full(4, 0.1), np.full(4, 0.05))


def described(vectors):
    return Descriptors(tuple(f"{i:04}" for i in range(len(vectors))), vectors, {})


def test_it_comes_back_from_json():
    assert Calibration.from_json(json.loads(json.dumps(SOME.to_json()))) == SOME


@pytest.mark.parametrize("change", [{"version": 9}, {"weight": None}, {"spread": 0}])
def test_what_cannot_be_used_is_refused(change):
    with pytest.raises(CatalogueError, match="calibration"):
        Calibration.from_json({**SOME.to_json(), **change})


def test_a_missing_value_is_refused():
    stored = SOME.to_json()
    del stored["bias"]
    with pytest.raises(CatalogueError, match="bias"):
        Calibration.from_json(stored)


def test_probabilities_rise_with_the_cosine_and_stay_between_0_and_1():
    cosines = np.linspace(-1, 1, 50)
    background = Background(np.full(51, 0.1), np.full(51, 0.05))
    found = SOME.probabilities(cosines, background, 100)
    assert (np.diff(found) >= 0).all()
    assert 0 <= found.min() <= found.max() <= 1


def test_the_same_cosine_is_worth_less_in_a_larger_catalogue():
    cosines = np.array([0.2, 0.3, 0.4])
    few, many = (SOME.probabilities(cosines, FLAT, pages) for pages in (50, 5000))
    assert (many < few).all()


def test_the_prior_expects_the_stated_number_of_mates():
    assert sigmoid(np.array(SOME.prior_log_odds(101))) == pytest.approx(SOME.mates / 100)
    assert SOME.prior_log_odds(2) == 0  # even at most


def test_evidence_is_the_formula():
    first, second = (
        Background(np.array([0.1]), np.array([0.2])),
        Background(np.array([0.3]), np.array([0.4])),
    )
    z = ((np.arctanh(0.5) - 0.1) / 0.2 + (np.arctanh(0.5) - 0.3) / 0.4) / 2
    assert SOME.evidence(np.array([0.5]), first, second) == pytest.approx(2 * z - 3)


def test_the_background_of_a_page_is_that_of_the_slow_way(writers_apart):
    vectors = writers_apart[0][:30]
    ids = [f"{i}" for i in range(30)]
    found = Background.of(vectors, vectors[5:], 0.2, 0.1, ids, ids[5:])
    for page in (0, 17):
        others = [i for i in range(5, 30) if i != page]
        t = stretched(vectors[page].astype(np.float64) @ vectors[others].T)
        low, middle = np.quantile(t, (0.16, 0.5))
        share = len(others) / (len(others) + LEAN)
        assert found.location[page] == pytest.approx(share * middle + (1 - share) * 0.2, abs=1e-5)
        assert found.spread[page] == pytest.approx(
            share * (middle - low) + (1 - share) * 0.1, abs=1e-5
        )


def test_a_page_without_a_collection_has_the_background_of_the_known_writers(writers_apart):
    vectors = writers_apart[0][:1]
    for ids in (["a"], ["b"]):
        found = Background.of(
            vectors, vectors[: ids == ["a"]], 0.2, 0.1, ["a"], ids[: ids == ["a"]]
        )
        assert (found.location[0], found.spread[0]) == (0.2, 0.1)


def test_probabilities_are_calibrated_on_other_writers(fitted):
    """Of the pairs said to be by one hand with some probability, about that share is."""
    generator = np.random.default_rng(77)
    writers = np.repeat(np.arange(50), 4)
    vectors = generator.standard_normal((50, 48))[writers]
    vectors += 0.6 * generator.standard_normal(vectors.shape) + 1.0
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    ids = [f"{i}" for i in range(200)]
    background = Background.of(vectors, vectors, fitted.location, fitted.spread, ids, ids)
    rows, columns = np.triu_indices(200, 1)
    cosines = (vectors @ vectors.T)[rows, columns]
    evidence = fitted.evidence(cosines, background[rows], background[columns])
    found = sigmoid(evidence + fitted.prior_log_odds(200))
    same = writers[rows] == writers[columns]
    assert found.mean() == pytest.approx(same.mean(), rel=0.25)
    sure = found > 0.5
    assert same[sure].mean() == pytest.approx(found[sure].mean(), abs=0.1)


def test_a_collection_of_look_alikes_gets_less_evidence_from_the_same_cosine(fitted):
    apart = Background(np.array([fitted.location]), np.array([fitted.spread]))
    alike = replace(apart, location=apart.location + 2 * fitted.spread)
    assert fitted.evidence(np.array([0.6]), alike, alike) < fitted.evidence(
        np.array([0.6]), apart, apart
    )


def test_the_names_of_the_writers_do_not_matter(writers_apart):
    vectors, writers = writers_apart
    options = {"sheets": [None] * len(writers), "measure": bcubed_f, "collections": 5}
    named = [f"writer {w}" for w in writers]
    assert fit_calibration(described(vectors), named, **options) == fit_calibration(
        described(vectors), writers, **options
    )


def test_a_drawn_collection_holds_one_page_of_a_sheet_at_most():
    writers = np.repeat(np.arange(10), 6)
    sheets = [None if i % 6 == 5 else i % 6 // 2 for i in range(60)]  # 2, 2 and 1, then alone
    folds = writers % 2
    drawn = fitting._draw(writers, sheets, folds, 50, np.random.default_rng(0))
    named = [
        (w, i if s is None else f"sheet {s}")
        for i, (w, s) in enumerate(zip(writers, sheets, strict=True))
    ]
    for rows in drawn:
        assert len({named[i] for i in rows}) == len(rows)
        assert len(set(folds[rows])) == 1
    assert max(np.bincount(writers[rows]).max() for rows in drawn) == 4


def test_pages_of_different_folds_are_never_compared(writers_apart):
    vectors, writers = writers_apart
    folds = writers % 2
    turned = vectors.copy()
    turned[folds == 1] = turned[folds == 1][:, ::-1]  # another describer for the second fold
    options = {"measure": bcubed_f, "folds": folds.tolist(), "collections": 10}
    sheets = [None] * len(writers)
    first = fit_calibration(described(vectors), writers, sheets, **options)
    second = fit_calibration(described(turned), writers, sheets, **options)
    assert second.weight == pytest.approx(first.weight, rel=1e-3)
    assert second.threshold == first.threshold


def test_fitting_says_what_it_needs(writers_apart):
    vectors, writers = writers_apart
    some = described(vectors[:6])
    with pytest.raises(ValueError, match="6 page_ids, but 5 writers"):
        fit_calibration(some, writers[:5], [None] * 6, measure=bcubed_f)
    with pytest.raises(ValueError, match="at least 3"):
        fit_calibration(some, [0, 0, 0, 1, 1, 1], [None] * 6, measure=bcubed_f)
    with pytest.raises(ValueError, match="two sheets or more"):
        fit_calibration(some, [0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 0, 0], measure=bcubed_f)


def test_search_gives_the_probabilities_of_the_formula(tmp_path, writers_apart, fitted):
    vectors, _ = writers_apart
    (tmp_path / "page").touch()
    catalogue = Catalogue.create(tmp_path / "c", Head({}, 48, "drawn", fitted.to_json()))
    pages = [Page(f"{i:04}", tmp_path / "page") for i in range(len(vectors))]
    catalogue.add([Entry(p, v, "", b"") for p, v in zip(pages, vectors, strict=True)])
    hits = catalogue.search(vectors[7], 5, leave_out="0007")
    rows = [7, *(int(hit.page_id) for hit in hits)]
    ids = [page.id for page in pages]
    background = Background.of(
        vectors[rows], vectors, fitted.location, fitted.spread, [ids[i] for i in rows], ids
    )
    cosines = np.array([hit.cosine for hit in hits])
    slow = fitted.probabilities(cosines, background, len(pages))
    assert np.allclose([hit.probability for hit in hits], slow, atol=1e-6)

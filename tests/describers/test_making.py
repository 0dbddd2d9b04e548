"""How the default describer is made, and how it is calibrated."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dgmp.classical import SrsLbp
from dgmp.describers import (
    See,
    make_default,
    make_fused,
    making,
    page_and_halves,
)
from dgmp.describers.making import View, describe_views
from dgmp.errors import CorpusError, ImageError
from dgmp.pixels import PageImage, Preparation, centre_patch
from dgmp.records import Page
from dgmp.sources import FileSource


@pytest.fixture(scope="module")
def folds(seen):
    """Two halves of the writers."""
    return ["first" if int(page.page.writer) < 3 else "second" for page in seen]


@pytest.fixture(scope="module")
def default(seen, recipe, folds):
    return make_default(seen, recipe, folds=folds)


@pytest.mark.parametrize("number", [0, 1], ids=["pages", "patches"])
def test_views_have_the_vectors_and_halves_of_described_pages(fused, images, seen, recipe, number):
    shown = [images[:3], [centre_patch(image, recipe.patch) for image in images[:3]]][number]
    constant = replace(fused, halved_at=None)
    for describer in (constant, fused):
        vectors, halves = zip(*(page_and_halves(describer, image) for image in shown), strict=True)
        found, cosines = describe_views(describer, [page.views[number] for page in seen[:3]])
        np.testing.assert_allclose(cosines, halves, atol=0.01)
        if describer is constant:
            np.testing.assert_allclose(found, np.stack(vectors), atol=0.01)
        # Views are kept in half precision, and so are the halves that weights depend on.
        np.testing.assert_allclose((found * np.stack(vectors)).sum(axis=1), 1, atol=1e-3)


def test_a_view_with_an_empty_half_has_no_cosine_of_halves(fused, seen):
    whole = seen[0].views[0]
    texture = whole.texture.copy()
    texture[2] = 0
    _, cosines = describe_views(fused, [whole, replace(whole, texture=texture)])
    assert np.isnan(cosines).tolist() == [False, True]


def test_strokes_in_no_half_leave_texture_its_full_weight(fused, seen):
    whole = seen[0].views[0]
    few = replace(whole, local=tuple(part[:1] for part in whole.local))  # the first of two halves
    (vector,), _ = describe_views(fused, [few])
    assert np.square(vector[fused.parts[0].dim :]).sum() == pytest.approx(fused.weights[1])


def test_a_page_is_seen_whole_and_as_the_patch_in_its_middle(images, seen, recipe):
    whole, patch = seen[0].views
    middle = centre_patch(images[0], recipe.patch)
    np.testing.assert_array_equal(whole.texture[0], SrsLbp()(images[0].pixels))
    np.testing.assert_array_equal(patch.texture[0], SrsLbp()(middle.pixels))
    assert all(len(a) > len(b) for a, b in zip(whole.local, patch.local, strict=True))


def test_making_it_twice_gives_the_same(fused, seen, recipe):
    assert make_fused(seen, recipe).spec == fused.spec


def test_the_writers_make_no_difference_to_what_is_fitted(fused, seen, recipe):
    unknown = [replace(each, page=replace(each.page, writer=None)) for each in seen]
    assert make_fused(unknown, recipe).spec == fused.spec


def test_mirrors_quieten_other_directions(fused, seen, recipe):
    plain = make_fused(seen, replace(recipe, mirrors=()))
    for one, other in zip(plain.parts, fused.parts, strict=True):
        assert one.dim == other.dim
        assert one.spec["arrays"] != other.spec["arrays"]


def test_all_entries_are_kept_whatever_the_rank(seen, recipe):
    few, many = (make_fused(seen, replace(recipe, rank=rank)) for rank in (2, 30))
    assert few.dim == many.dim == sum(part.features.dim for part in few.parts)


def test_directions_are_kept_in_half_precision(fused):
    assert {part.finish.directions.dtype for part in fused.parts} == {np.dtype(np.float16)}


def test_the_preparation_is_that_which_is_given(seen, recipe):
    plain = Preparation(canonical=None)
    assert make_fused(seen, recipe, preparation=plain).preparation == plain


def test_the_default_is_fitted_on_all_pages_and_calibrated(default, fused):
    assert default.calibration is not None
    assert default.spec == fused.spec


@pytest.fixture
def asked(monkeypatch):
    """What a calibration is fitted on, instead of fitting it."""
    calls = []

    def remember(descriptors, writers, scans, *, folds, collections):
        calls.append((descriptors, writers, scans, folds))

    monkeypatch.setattr(making, "fit_calibration", remember)
    return calls


def test_pages_and_patches_of_all_folds_calibrate_apart(asked, seen, recipe, folds):
    make_default(seen, recipe, folds=folds)
    ((descriptors, _, _, names),) = asked
    assert len(descriptors.page_ids) == 2 * len(seen)
    assert {name: names.count(name) for name in names} == {
        (fold, number): folds.count(fold) for fold in ("first", "second") for number in (0, 1)
    }


def test_a_fold_is_described_by_a_describer_that_has_not_seen_it(asked, seen, recipe, folds):
    make_default(seen, recipe, folds=folds)
    ((descriptors, _, _, names),) = asked
    outside = [page for page, fold in zip(seen, folds, strict=True) if fold != "first"]
    inside = [page for page, fold in zip(seen, folds, strict=True) if fold == "first"]
    wanted, halves = describe_views(make_fused(outside, recipe), [page.views[0] for page in inside])
    rows = [row for row, name in enumerate(names) if name == ("first", 0)]
    np.testing.assert_allclose(descriptors.vectors[rows], wanted, atol=1e-5)
    np.testing.assert_allclose(descriptors.halves[rows], halves, atol=1e-5)


def test_blank_patches_do_not_calibrate(asked, seen, recipe, folds):
    whole, patch = seen[0].views
    blank = View(tuple(part[:0] for part in patch.local), np.zeros_like(patch.texture))
    make_default([replace(seen[0], views=(whole, blank)), *seen[1:]], recipe, folds=folds)
    ((descriptors, writers, scans, names),) = asked
    assert len(descriptors.page_ids) == 2 * len(seen) - 1
    assert len(writers) == len(scans) == len(names) == 2 * len(seen) - 1


def test_pages_without_writers_cannot_calibrate(seen, recipe, folds):
    unknown = replace(seen[0], page=replace(seen[0].page, writer=None))
    with pytest.raises(CorpusError, match="needs the writer of every page"):
        make_default([unknown, *seen[1:]], recipe, folds=folds)


def test_every_page_needs_a_fold(seen, recipe):
    with pytest.raises(ValueError, match="18 pages, but 2 folds"):
        make_default(seen, recipe, folds=["a", "b"])


def test_one_page_is_too_few_to_fit(seen, recipe):
    with pytest.raises(CorpusError, match="at least two pages"):
        make_fused(seen[:1], recipe)


def test_a_page_without_writing_is_refused_by_name(recipe):
    page = Page("blank.png", FileSource(Path("blank.png")))
    with pytest.raises(ImageError, match=r"blank\.png: too little ink"):
        See(recipe)(PageImage(page, np.full((60, 60), 255, np.uint8)))


def test_a_page_without_writing_in_its_middle_is_kept(images, recipe):
    pixels = np.full((400, 400), 255, np.uint8)
    pixels[:120, :240] = images[0].pixels[:120]
    whole, patch = See(recipe)(replace(images[0], pixels=pixels)).views
    assert any(map(len, whole.local))
    assert not any(map(len, patch.local))

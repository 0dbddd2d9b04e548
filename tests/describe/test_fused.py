"""Several describers as one: its law, its folder, and how the default one is made."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from drawing import written

from dgmp.catalogue import Calibration
from dgmp.classical import VladConfig, fit_classical, three_looks
from dgmp.corpora import PageImage, Preparation
from dgmp.describe import FusedDescriber, load_describer, save_fused, zoo
from dgmp.describe.calibrating import groups_and_number
from dgmp.describe.making import (
    FusedRecipe,
    See,
    describe_seen,
    make_default,
    make_fused,
)
from dgmp.describe.virtual import VirtualHand
from dgmp.errors import CorpusError, DgmpError, ImageError
from dgmp.records import Page

SMALL = FusedRecipe(
    looks=three_looks(VladConfig(dim=8, words=4, sample=2000), (1, 1, 1)),
    hands=(VirtualHand(slant=0.2),),
    sketch=80,
    strokes=20,
    texture=10,
    weight=0.7,
    bands=3,
)


def image_of(writer, number):
    """A small page; writers differ in the size of their letters."""
    pixels = written(240, 160, distance=34, letter=8 + 2 * writer, seed=10 * writer + number)
    pixels = np.where(pixels > 128, np.uint8(255), np.uint8(0))
    name = f"{writer}/{number}.png"
    return PageImage(Page(name, name, writer=str(writer), sheet=str(number)), pixels)


@pytest.fixture(scope="module")
def images():
    return [image_of(writer, number) for writer in range(6) for number in range(3)]


@pytest.fixture(scope="module")
def seen(images):
    return [See(SMALL)(image) for image in images]


@pytest.fixture(scope="module")
def fused(seen):
    return make_fused(seen, SMALL)


def test_the_cosine_is_the_weighted_mean_of_the_cosines_of_the_parts(fused, images):
    whole = np.stack([fused.describe_page(image) for image in images[:4]])
    expected = sum(
        weight * vectors @ vectors.T
        for weight, vectors in (
            (weight, np.stack([part.describe_page(image) for image in images[:4]]))
            for part, weight in zip(fused.parts, fused.weights, strict=True)
        )
    )
    np.testing.assert_allclose(whole @ whole.T, expected, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(whole, axis=1), 1, atol=1e-5)


def test_a_folder_holds_all_of_it(fused, images, tmp_path):
    save_fused(fused, tmp_path / "fused")
    again = load_describer(tmp_path / "fused")
    assert isinstance(again, FusedDescriber)
    assert again.spec == json.loads(json.dumps(fused.spec))
    assert again.dim == fused.dim == SMALL.strokes + SMALL.texture
    np.testing.assert_array_equal(again.describe_page(images[0]), fused.describe_page(images[0]))


def test_worker_processes_get_the_same_describer(fused, images):
    sent = pickle.loads(pickle.dumps(fused))
    np.testing.assert_array_equal(sent.describe_page(images[1]), fused.describe_page(images[1]))


def test_pages_that_were_looked_at_have_the_vectors_of_described_pages(fused, images, seen):
    described = np.stack([fused.describe_page(image) for image in images[:3]])
    np.testing.assert_allclose(describe_seen(fused, seen[:3]), described, atol=0.01)


def test_making_it_twice_gives_the_same(fused, seen):
    assert make_fused(seen, SMALL).spec == fused.spec


def test_the_default_is_calibrated(seen):
    made = make_default(seen, SMALL, folds=2)
    assert Calibration.from_json(made.calibration).weight > 0
    assert made.spec == make_fused(seen, SMALL).spec


def test_few_pages_give_fewer_directions_and_are_calibrated_all_the_same(seen):
    wide = replace(SMALL, strokes=70)  # more than 6 or 12 pages with their bands have
    made = make_default([replace(page, virtual=()) for page in seen[:15]], wide, folds=2)
    assert Calibration.from_json(made.calibration)
    assert made.dim < wide.strokes + wide.texture


def test_pages_without_writers_cannot_calibrate(seen):
    unknown = replace(seen[0], page=replace(seen[0].page, writer=None))
    with pytest.raises(CorpusError, match="needs the writer of every page"):
        make_default([unknown, *seen[1:]], SMALL)
    with pytest.raises(CorpusError, match="at least two pages"):
        make_fused(seen[:1], SMALL)


def test_a_page_without_ink_is_refused_by_name(fused):
    page = Page("blank.png", "blank.png")
    with pytest.raises(ImageError, match=r"blank\.png"):
        fused.describe_page(PageImage(page, np.full((50, 60), 255, np.uint8)))


def test_parts_of_another_describer_are_noticed(fused, seen, tmp_path):
    other = make_fused(seen[3:], SMALL)
    save_fused(fused, tmp_path / "one")
    save_fused(other, tmp_path / "two")
    (tmp_path / "two" / "texture").rename(tmp_path / "gone")
    (tmp_path / "one" / "texture").rename(tmp_path / "two" / "texture")
    with pytest.raises(DgmpError, match="is not the part that was saved here"):
        load_describer(tmp_path / "two")


def test_a_head_without_parts_is_refused(tmp_path):
    head = {"format": "dgmp-describer", "version": 2, "kind": "fused"}
    (tmp_path / "describer.json").write_text(json.dumps(head))
    with pytest.raises(DgmpError, match="does not describe a fused describer"):
        load_describer(tmp_path)


@pytest.mark.parametrize(
    ("weights", "message"),
    [((1.0,), "2 parts, but 1 weights"), ((0.5, 0.6), "add up to 1"), ((1.5, -0.5), "positive")],
)
def test_weights_are_checked(fused, weights, message):
    with pytest.raises(ValueError, match=message):
        FusedDescriber(fused.parts, weights)


def test_parts_must_prepare_pages_alike():
    parts = fit_classical("obif"), fit_classical("cohinge", preparation=Preparation(canonical=None))
    with pytest.raises(ValueError, match="prepare pages alike"):
        FusedDescriber(parts, (0.5, 0.5))


def test_too_many_groups_cost_more_than_b_cubed_says():
    writers = np.repeat(np.arange(3), 4)
    assert groups_and_number(writers, writers) == 1
    assert groups_and_number(writers, np.arange(12)) == pytest.approx(0.4 - 3)


def test_the_shipped_describer_is_small_and_calibrated(images):
    describer = load_describer("default")
    assert describer.dim <= 2048
    assert describer.preparation == Preparation()
    assert Calibration.from_json(describer.calibration)
    vector = describer.describe_page(images[0])
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    np.testing.assert_array_equal(vector, load_describer("default").describe_page(images[0]))
    files = [path for path in zoo.SHIPPED["default"].rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 25e6

"""Several describers as one: its law and its folder."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dgmp.classical import fit_classical
from dgmp.describers import FusedDescriber, load_describer, make_fused, save_fused
from dgmp.errors import DgmpError, ImageError
from dgmp.pixels import PageImage, Preparation
from dgmp.records import Page
from dgmp.sources import FileSource

from .small_pages import CALIBRATION


def weights_by_hand(describer, image):
    """The weights of a page, from the vectors of its halves in the first part."""
    _, upper, lower = describer.parts[0].describe_halves(image)
    agreement = max(upper @ lower, 0)
    others = [weight / (1 + (agreement / describer.halved_at) ** 5) for weight in describer.weights]
    return 1 - sum(others[1:]), *others[1:]


def blotted(image):
    """The same page with nothing in its lower half but dots, which are no writing."""
    pixels = image.pixels.copy()
    pixels[len(pixels) // 2 :] = 255
    pixels[len(pixels) // 2 + 20 :: 12, ::12] = 0
    return replace(image, pixels=pixels)


def test_constant_weights_make_the_cosine_the_weighted_mean_of_those_of_the_parts(fused, images):
    constant = replace(fused, halved_at=None)
    whole = np.stack([constant.describe_page(image) for image in images[:4]])
    expected = sum(
        weight * vectors @ vectors.T
        for weight, vectors in (
            (weight, np.stack([part.describe_page(image) for image in images[:4]]))
            for part, weight in zip(constant.parts, constant.weights, strict=True)
        )
    )
    np.testing.assert_allclose(whole @ whole.T, expected, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(whole, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(constant.describe_halves(images[0])[0], whole[0], atol=1e-5)


def test_the_parts_of_a_page_and_its_halves_have_the_weights_of_the_page(fused, images):
    for image in (images[0], blotted(images[0])):
        parts = [part.describe_halves(image) for part in fused.parts]
        weights = weights_by_hand(fused, image)
        scaled = [np.sqrt(w) * part for w, part in zip(weights, parts, strict=True)]
        found = fused.describe_halves(image)
        np.testing.assert_allclose(found, np.concatenate(scaled, axis=1), atol=1e-6)


def test_the_second_part_counts_the_less_the_more_of_a_hand_the_first_sees(fused, images):
    def share(image, halved_at):
        vector = replace(fused, halved_at=halved_at).describe_page(image)
        return np.square(vector[fused.parts[0].dim :]).sum()

    agreement = np.prod(fused.parts[0].describe_halves(images[0])[1:], axis=0).sum()
    assert agreement > 0
    most = fused.weights[1]
    shares = [share(images[0], agreement * times) for times in (10, 2, 1, 0.5, 0.1)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == pytest.approx(most, rel=1e-3)
    assert shares[2] == pytest.approx(most / 2, rel=1e-3)
    assert shares[-1] < most / 1000
    assert share(blotted(images[0]), agreement) > shares[2]


def test_the_first_of_a_page_and_its_halves_is_the_page(fused, images):
    found = fused.describe_halves(images[0])
    np.testing.assert_allclose(found[0], fused.describe_page(images[0]), atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)


def test_a_half_in_which_a_part_has_nothing_to_describe_is_zeros(needs_a_page, images):
    page, upper, lower = needs_a_page.describe_halves(images[0])
    assert page.any()
    assert not upper.any()
    assert not lower.any()


def test_blank_paper_below_the_writing_does_not_empty_a_half(fused, images):
    longer = np.pad(images[0].pixels, ((0, 300), (0, 0)), constant_values=255)
    found = fused.describe_halves(replace(images[0], pixels=longer))
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)


def test_a_folder_holds_all_of_it(fused, images, tmp_path):
    save_fused(fused, tmp_path / "fused")
    again = load_describer(tmp_path / "fused")
    assert isinstance(again, FusedDescriber)
    assert again.spec == json.loads(json.dumps(fused.spec))
    assert again.dim == fused.dim
    np.testing.assert_array_equal(again.describe_page(images[0]), fused.describe_page(images[0]))


def test_a_folder_of_an_earlier_dgmp_has_constant_weights(fused, images, tmp_path):
    constant = replace(fused, halved_at=None)
    save_fused(constant, tmp_path)
    for head in tmp_path.rglob("describer.json"):
        stored = json.loads(head.read_text())
        stored.pop("halved_at", None)
        head.write_text(json.dumps(stored | {"version": 2}))
    again = load_describer(tmp_path)
    assert again.spec == json.loads(json.dumps(constant.spec))
    np.testing.assert_array_equal(again.describe_page(images[0]), constant.describe_page(images[0]))


def test_a_folder_holds_the_calibration(fused, tmp_path):
    calibrated = replace(fused, calibration=CALIBRATION)
    assert load_describer(save_fused(calibrated, tmp_path)).calibration == CALIBRATION


def test_the_calibration_travels_with_the_describer(fused):
    calibrated = replace(fused, calibration=CALIBRATION)
    assert pickle.loads(pickle.dumps(calibrated)).calibration == CALIBRATION


def test_worker_processes_get_the_same_describer(fused, images):
    sent = pickle.loads(pickle.dumps(fused))
    np.testing.assert_array_equal(sent.describe_page(images[1]), fused.describe_page(images[1]))


def test_a_page_without_ink_is_refused_by_name(fused):
    page = Page("blank.png", FileSource(Path("blank.png")))
    blank = PageImage(page, np.full((50, 60), 255, np.uint8))
    for describe in (fused.describe_page, fused.describe_halves):
        with pytest.raises(ImageError, match=r"blank\.png"):
            describe(blank)


def test_parts_of_another_describer_are_noticed(fused, seen, recipe, tmp_path):
    other = make_fused(seen[3:], recipe)
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


@pytest.mark.parametrize("halved_at", [0.0, -1.0, float("nan")])
def test_where_weights_are_halved_must_be_positive(fused, halved_at):
    with pytest.raises(ValueError, match="halved_at must be positive"):
        replace(fused, halved_at=halved_at)


def test_parts_must_prepare_pages_alike():
    parts = fit_classical("obif"), fit_classical("cohinge", preparation=Preparation(canonical=None))
    with pytest.raises(ValueError, match="prepare pages alike"):
        FusedDescriber(parts, (0.5, 0.5))


def test_parts_of_one_kind_are_refused():
    part = fit_classical("obif")
    with pytest.raises(ValueError, match="of different kinds"):
        FusedDescriber((part, part), (0.5, 0.5))

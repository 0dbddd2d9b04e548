"""Describers and models in folders with a card."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from dgmp.classical import fit_classical
from dgmp.describers import LearnedDescriber, from_pretrained, load_describer, save_pretrained
from dgmp.errors import DgmpError, MissingExtra
from dgmp.models import TrainedModel, fetched

from .small_pages import page

MAKE = {
    "default": lambda tiny, images: load_describer("default"),
    "learned": lambda tiny, images: LearnedDescriber(tiny()),
    "classical": lambda tiny, images: fit_classical("hinge", images),
}


@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_describer_comes_back_as_it_was_with_its_card(tiny, images, tmp_path, make):
    made = make(tiny, images)
    found = from_pretrained(save_pretrained(made, tmp_path / "given"), device="cpu")
    image = page()
    np.testing.assert_array_equal(found.describe_page(image), made.describe_page(image))
    card = (tmp_path / "given" / "README.md").read_text()
    assert card.startswith("---\nlibrary_name: dgmp\n")
    assert f"| width of a vector | {made.dim} |" in card


def test_model_comes_back_with_its_card(tiny, tmp_path):
    tiny("gem").save_pretrained(tmp_path / "given")
    found = TrainedModel.from_pretrained(tmp_path / "given")
    assert found.spec.pooling == "gem"
    card = (tmp_path / "given" / "README.md").read_text()
    assert "| pooling | gem |" in card
    assert "- image-feature-extraction" in card


def test_describer_of_somebody_else_is_not_saved(tmp_path):
    with pytest.raises(DgmpError, match="cannot be saved by dgmp"):
        save_pretrained(object(), tmp_path / "given")
    assert not (tmp_path / "given").exists()


def test_card_holds_no_table_that_a_value_could_break(tiny, tmp_path):
    odd = replace(tiny("gem"), made={"note": "a | b\nc"})
    odd.save_pretrained(tmp_path / "given")
    assert "| note | a \\| b c |" in (tmp_path / "given" / "README.md").read_text()


@pytest.mark.parametrize("place", ["nowhere", "a/b/c", "../up", "./x"])
def test_place_that_is_no_folder_and_not_on_the_hub_is_refused(place):
    with pytest.raises(DgmpError, match="there is no such folder"):
        fetched(place)


@pytest.mark.parametrize("load", [from_pretrained, TrainedModel.from_pretrained])
def test_without_the_package_of_the_hub_its_extra_is_named(load, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtra, match=r"pip install 'dgmp\[hub\]'$"):
        load("owner/name")


def test_revision_of_a_folder_is_refused(tmp_path):
    with pytest.raises(DgmpError, match="a revision is for places on the Hub"):
        fetched(tmp_path, "main")

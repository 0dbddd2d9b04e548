"""Pages are described in order, a few ahead, and what goes wrong is told where it happens."""

import os
from dataclasses import dataclass

import cv2
import numpy as np
import pytest

from dgmp.corpora import Preparation
from dgmp.describe import describe_pages, full_spec, iterate_described
from dgmp.errors import DgmpError, ImageError
from dgmp.records import Page


@dataclass(frozen=True)
class MeanDescriber:
    """Four means of a page; a page called "deadly" ends its process."""

    preparation = Preparation(canonical=None, binarization="none")
    dim = 4
    spec = {"kind": "mean"}  # noqa: RUF012

    def describe_page(self, image):
        if "deadly" in image.page.id:
            os._exit(1)
        quarters = np.array_split(image.pixels.ravel().astype(np.float32), 4)
        vector = np.array([quarter.mean() for quarter in quarters], np.float32)
        return vector / np.linalg.norm(vector)


def shape_too(image, vector):
    return image.pixels.shape, vector


@pytest.fixture
def pages(tmp_path):
    generator = np.random.default_rng(0)
    found = []
    for number in range(12):
        path = tmp_path / f"{number:02}.png"
        cv2.imwrite(str(path), generator.integers(0, 255, (40, 30 + number), dtype=np.uint8))
        found.append(Page(path.name, path))
    found[3].path.write_bytes(b"broken")
    return found


@pytest.mark.parametrize("workers", [0, 2])
def test_results_come_in_order_with_errors_in_their_place(pages, workers):
    described = list(iterate_described(pages, MeanDescriber(), workers=workers))
    assert [page for page, _ in described] == pages
    errors = [i for i, (_, result) in enumerate(described) if isinstance(result, ImageError)]
    assert errors == [3]
    kept = np.stack([vector for i, (_, vector) in enumerate(described) if i != 3])
    assert np.array_equal(kept, describe_pages(pages, MeanDescriber()).descriptors.vectors)


def test_a_function_goes_on_with_image_and_vector(pages):
    (_, first), (_, second) = iterate_described(pages[:2], MeanDescriber(), then=shape_too)
    assert (first[0], second[0]) == ((40, 30), (40, 31))
    assert first[1].shape == (4,)


def test_only_a_few_pages_are_taken_ahead(pages):
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield pages[0]

    described = iterate_described(endless(), MeanDescriber(), workers=1)
    for _ in range(3):
        next(described)
    described.close()
    assert len(taken) < 12


def test_a_process_that_is_ended_from_outside_is_told(pages, tmp_path):
    deadly = Page("deadly.png", pages[0].path)
    with pytest.raises(DgmpError, match="fewer workers"):
        list(iterate_described([pages[0], deadly, pages[1]], MeanDescriber(), workers=1))


def test_the_spec_holds_preparation_and_crop(pages):
    spec = full_spec(MeanDescriber(), crop=16, binarization="otsu")
    found = describe_pages(pages, MeanDescriber(), crop=16, binarization="otsu")
    assert found.descriptors.spec == spec
    assert spec["preparation"]["binarization"] == "otsu"
    assert spec["crop"] == 16

"""How the default describer is made, and how it is calibrated."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dgmp.describers import See, describe_seen, make_default, make_fused
from dgmp.errors import CorpusError, ImageError
from dgmp.pixels import PageImage
from dgmp.records import Page
from dgmp.sources import FileSource


def test_pages_that_were_looked_at_have_the_vectors_of_described_pages(fused, images, seen):
    described = np.stack([fused.describe_page(image) for image in images[:3]])
    np.testing.assert_allclose(describe_seen(fused, seen[:3]), described, atol=0.01)


def test_making_it_twice_gives_the_same(fused, seen, recipe):
    assert make_fused(seen, recipe).spec == fused.spec


def test_the_default_is_calibrated(seen, recipe):
    made = make_default(seen, recipe, folds=2)
    assert made.calibration.weight > 0
    assert made.spec == make_fused(seen, recipe).spec


def test_few_pages_give_fewer_directions_and_are_calibrated_all_the_same(seen, recipe):
    wide = replace(recipe, strokes=70)  # more than 6 or 12 pages with their bands have
    made = make_default([replace(page, virtual=()) for page in seen[:15]], wide, folds=2)
    assert made.calibration is not None
    assert made.dim < wide.strokes + wide.texture


def test_pages_without_writers_cannot_calibrate(seen, recipe):
    unknown = replace(seen[0], page=replace(seen[0].page, writer=None))
    with pytest.raises(CorpusError, match="needs the writer of every page"):
        make_default([unknown, *seen[1:]], recipe)


def test_one_page_is_too_few_to_fit(seen, recipe):
    with pytest.raises(CorpusError, match="at least two pages"):
        make_fused(seen[:1], recipe)


def test_a_page_without_writing_is_refused_by_name(recipe):
    page = Page("blank.png", FileSource(Path("blank.png")))
    with pytest.raises(ImageError, match=r"blank\.png: too little ink"):
        See(recipe)(PageImage(page, np.full((60, 60), 255, np.uint8)))

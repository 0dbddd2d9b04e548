"""Where a descriptor comes from, as a picture, called from Python."""

import numpy as np
import pytest
from PIL import Image

from dgmp.describers import load_describer, reader
from dgmp.errors import CorpusError, DgmpError
from dgmp.models import save_model
from dgmp.tasks import explain
from dgmp.tasks.opening import one_page


def test_the_weights_of_a_page_are_drawn(hands, runs, tmp_path):
    found = explain(hands / "w0_p0.png", runs / "writers", tmp_path / "heat.png")
    assert found.picture.read_bytes().startswith(b"\x89PNG")
    assert found.cosine is None
    ((page,), (values,)) = found.pages, found.values
    np.testing.assert_array_equal(values, page.relative_weights)


def test_the_cosine_of_two_pages_is_that_of_their_descriptors(hands, runs, tmp_path):
    paths = hands / "w0_p0.png", hands / "w2_p0.png"
    found = explain(paths[0], runs / "writers", tmp_path / "two.png", other=paths[1])
    describer = load_describer(runs / "writers", device="cpu")
    read = reader(describer)
    one, two = (describer.describe_page(read(one_page(path))) for path in paths)
    assert found.cosine == pytest.approx(float(one @ two), abs=1e-4)


def test_the_parts_of_either_page_add_up_to_the_cosine(hands, runs, tmp_path):
    paths = hands / "w0_p0.png", hands / "w2_p0.png"
    found = explain(paths[0], runs / "writers", tmp_path / "two.png", other=paths[1])
    assert [values.sum() for values in found.values] == pytest.approx([found.cosine] * 2)


def test_a_network_trained_on_scripts_can_be_explained_too(hands, runs, tmp_path):
    found = explain(str(hands / "w0_p0.png"), str(runs / "scripts"), str(tmp_path / "heat.png"))
    assert found.picture.exists()


def test_a_pooling_without_weights_is_refused(hands, tiny, tmp_path):
    save_model(tiny("gem"), tmp_path / "gem")
    with pytest.raises(DgmpError, match="can be explained"):
        explain(hands / "w0_p0.png", tmp_path / "gem", tmp_path / "heat.png")


def test_a_describer_that_is_no_network_is_refused(hands, tmp_path):
    with pytest.raises(DgmpError, match="this needs a network by dgmp train"):
        explain(hands / "w0_p0.png", "obif", tmp_path / "heat.png")


def test_a_folder_is_no_page(hands, runs, tmp_path):
    with pytest.raises(CorpusError, match="is a folder; give the picture of one page"):
        explain(hands, runs / "writers", tmp_path / "heat.png")


def test_a_blank_page_is_refused_and_nothing_drawn(runs, tmp_path):
    Image.fromarray(np.full((90, 90), 255, np.uint8)).save(tmp_path / "blank.png")
    with pytest.raises(DgmpError, match="no ink"):
        explain(tmp_path / "blank.png", runs / "writers", tmp_path / "heat.png")
    assert not (tmp_path / "heat.png").exists()

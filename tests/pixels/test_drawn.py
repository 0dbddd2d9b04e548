"""Pictures that dgmp drew are no pages."""

import pytest
from drawing import written
from PIL import Image

from dgmp.corpora import open_corpus
from dgmp.pixels import save_drawn
from dgmp.plotting import picture


@pytest.mark.parametrize("name", ["sheet.png", "sheet.jpg"])
def test_a_picture_that_was_drawn_is_left_out_of_a_corpus(tmp_path, name):
    Image.fromarray(written()).save(tmp_path / "page.png")
    save_drawn(Image.fromarray(written()), tmp_path / name)
    corpus = open_corpus(tmp_path)
    assert [page.id for page in corpus] == ["page.png"]
    assert corpus.left_out == ((name, "drawn by dgmp: a picture of pages, no page"),)


@pytest.mark.parametrize("name", ["strip.png", "strip.jpg"])
def test_a_plot_is_left_out_of_a_corpus(tmp_path, name):
    Image.fromarray(written()).save(tmp_path / "page.png")
    with picture(tmp_path / name, 3, 2) as figure:
        figure.add_subplot().plot([1, 2])
    assert [page.id for page in open_corpus(tmp_path)] == ["page.png"]

"""`dgmp synth` writes a corpus."""

from pathlib import Path

import matplotlib
import pytest
from typer.testing import CliRunner

from dgmp.cli import app

from ..typed import done, misused, run


@pytest.mark.parametrize("workers", [1, 2])
def test_a_corpus_is_written(tmp_path, workers):
    folder = tmp_path / "corpus"
    arguments = [folder, "--writers", 1, "--pages", 1, "--workers", workers]
    done = CliRunner().invoke(app, ["synth", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    assert "1 pages by 1 writers" in done.stdout.replace("\n", " ")
    assert (folder / "pages.csv").exists()


def test_books_are_written(tmp_path):
    told = done("synth", tmp_path / "books", "--books", 1, "--pages", 1)
    assert "1 pages of 1 books" in told.stdout.replace("\n", " ")
    assert (tmp_path / "books" / "truth" / "lines.csv").exists()


def test_books_have_one_script_each(tmp_path):
    misused(run("synth", tmp_path / "books", "--books", 1, "--scripts"))


def test_words_are_written_with_fonts_and_broken_ones_named(tmp_path):
    fonts = tmp_path / "fonts"
    fonts.mkdir()
    font = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "STIXGeneralItalic.ttf"
    (fonts / "a.ttf").write_bytes(font.read_bytes())
    (fonts / "b.ttf").write_bytes(b"broken")
    asked = ["synth", tmp_path / "words", "--words", "--writers", 1, "--pages", 1]
    told = done(*asked, "--fonts", fonts)
    assert "b.ttf: it cannot be opened as a font" in told.stderr.replace("\n", " ")
    assert (tmp_path / "words" / "words.csv").exists()


def test_fonts_write_words_alone(tmp_path):
    misused(run("synth", tmp_path / "hands", "--fonts", tmp_path))

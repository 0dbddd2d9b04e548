import csv
import json
import subprocess
import sys

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from dgmp.cli import app
from dgmp.corpora.synthetic import (
    HEIGHT,
    SCRIPTS,
    VERSION,
    WIDTH,
    CorpusPlan,
    draw_page,
    page_conditions,
    write_corpus,
)
from dgmp.corpora.synthetic.alphabets import CAPITALS, FORMS
from dgmp.corpora.synthetic.hands import LETTERS, make_hand, stream
from dgmp.corpora.synthetic.letterforms import parse_letter, spline_basis
from dgmp.corpora.synthetic.pen import Strokes, draw_strokes
from dgmp.corpora.synthetic.text import COMMON, ENDINGS, MIDDLES, STEMS, latin_words
from dgmp.corpora.synthetic.writing import Layout, write_text
from dgmp.errors import CorpusError, UnknownName


def contents(folder):
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def test_the_same_seeds_give_the_same_page():
    page = draw_page(3, 4)
    make_hand.cache_clear()
    assert np.array_equal(page, draw_page(3, 4))
    assert page.shape == (HEIGHT, WIDTH)
    assert page.dtype == np.uint8


def test_another_process_draws_the_same_page():
    code = (
        "import hashlib\nfrom dgmp.corpora.synthetic import draw_page\n"
        "print(hashlib.sha256(draw_page(5, 6).tobytes()).hexdigest())"
    )
    one, two = (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(2)
    )
    assert one.stdout == two.stdout


def test_what_was_drawn_before_does_not_matter():
    first = draw_page(8, 1)
    draw_page(8, 2)
    make_hand.cache_clear()
    draw_page(8, 2)
    assert np.array_equal(first, draw_page(8, 1))


def test_two_corpora_of_one_plan_are_identical_whoever_draws(tmp_path):
    plan = CorpusPlan(writers=2, pages=1, seed=9)
    write_corpus(tmp_path / "one", plan)
    write_corpus(tmp_path / "two", plan, workers=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


# Block means of two pages. If they change, VERSION must rise: figures in the docs rest on them.
FROZEN = {
    (1, 1, None): [
        [176, 173, 173, 172, 171],
        [168, 165, 165, 163, 163],
        [160, 157, 158, 158, 157],
        [155, 154, 153, 153, 152],
    ],
    (2, 3, "Textualis"): [
        [190, 175, 175, 174, 189],
        [174, 181, 188, 184, 190],
        [184, 190, 191, 189, 202],
        [208, 196, 198, 200, 211],
    ],
}


@pytest.mark.parametrize("seeds", FROZEN)
def test_version_1_is_frozen(seeds):
    blocks = cv2.resize(draw_page(*seeds), (5, 4), interpolation=cv2.INTER_AREA)
    assert VERSION == 1
    assert np.abs(blocks.astype(int) - FROZEN[seeds]).max() <= 1


def test_writers_differ():
    traits = {make_hand((1, 1, seed)).traits for seed in range(200)}
    assert len(traits) == 200
    assert {trait.script for trait in traits} == set(SCRIPTS)


def test_two_writers_of_one_script_write_the_same_page_differently():
    one, two = draw_page(1, 7, "Textualis"), draw_page(2, 7, "Textualis")
    assert not np.array_equal(one, two)


def test_the_page_knows_nothing_of_the_writer(monkeypatch):
    """Without ink, the pages of two writers are equal to the last bit."""
    monkeypatch.setattr(
        "dgmp.corpora.synthetic.pages.draw_strokes",
        lambda strokes, height, width: np.zeros((height, width), np.uint8),
    )
    assert np.array_equal(draw_page(1, 7, "Uncial"), draw_page(2, 7, "Cursiva"))
    assert not np.array_equal(draw_page(1, 7), draw_page(1, 8))


def test_pages_are_scaled_around_76_pixels_between_lines():
    distances = [page_conditions(seed).layout.line_distance for seed in range(200)]
    assert 76 / 1.26 < min(distances) < 66
    assert 88 < max(distances) < 76 * 1.26


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_is_written(script):
    page = draw_page(1, 1, script)
    assert page.std() > 5


def test_a_letter_is_never_twice_the_same():
    hand = make_hand((1, 1, 1))
    layout = Layout(76, 20, 1000, 100, 1, False, 0)
    strokes = write_text(hand, ["o", "o"], layout, stream(1))
    one, two = np.split(strokes.centres, 2)
    assert np.abs((one - one.mean(axis=0)) - (two - two.mean(axis=0))).max() > 0.1


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_letter_has_strokes_that_stay_near_the_line(script):
    hand = make_hand((1, 1, 2), script)
    for letter in (*LETTERS, *CAPITALS):
        path = hand.glyphs[letter].path
        assert len(path) >= 2, letter
        assert np.isfinite(path).all()
        assert path[:, 1].min() > -1.6, letter
        assert path[:, 1].max() < 3.2, letter


def test_every_form_of_every_script_exists():
    for script in SCRIPTS.values():
        for forms in script.forms.values():
            assert set(forms.split()) <= set(FORMS)


def test_the_text_can_be_written():
    alphabet = set(LETTERS)
    assert set("".join((*COMMON, *STEMS, *MIDDLES, *ENDINGS))) <= alphabet
    words = latin_words(np.random.default_rng(1), 2000)
    assert set("".join(words)) <= alphabet | set(CAPITALS) | set(".:·/")


def test_an_unbroken_spline_passes_through_its_points():
    points = np.array([(0, 0), (1, 2), (3, 1), (4, 4)], float)
    basis = spline_basis(points, np.array([False, False, True, False]), broken=0.3)
    path = basis @ points
    assert all(np.abs(path - point).sum(axis=1).min() < 1e-12 for point in points)
    assert np.allclose(basis.sum(axis=1), 1)


def test_a_letter_that_cannot_be_read_is_named():
    with pytest.raises(ValueError, match="12;3"):
        parse_letter("0,0 12;3")
    with pytest.raises(ValueError, match="two points"):
        parse_letter("0,0 / 1,1 2,2")


@pytest.mark.parametrize(("step", "expected"), [((60, -60), 2), ((60, 60), 20)])
def test_thick_and_thin_follow_the_direction_of_the_stroke(step, expected):
    """A nib held at 45° draws a hairline along itself and a thick line across."""
    pen = np.full(2, 20.0), np.full(2, 2.0), np.full(2, np.pi / 4)
    centres = np.array([(100, 100), (100 + step[0], 100 + step[1])], float)
    strokes = Strokes(centres, *pen, np.array([True]), np.full(2, 255, np.uint8))
    ink = draw_strokes(strokes, 200, 200)
    # The swept area: the nib across times the way, and the nib's own rectangle.
    area = expected * 60 * np.sqrt(2) + 20 * 2
    assert ink.sum() / 255 == pytest.approx(area, rel=0.15)


def test_a_corpus_lists_its_pages(tmp_path):
    table = write_corpus(tmp_path / "hands", CorpusPlan(writers=2, pages=2, seed=3, scripts=True))
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["writer"] for row in rows] == ["w0000", "w0000", "w0001", "w0001"]
    assert [row["script"] for row in rows[::2]] == list(SCRIPTS)[:2]
    assert all((table.parent / row["file"]).stat().st_size > 10_000 for row in rows)
    assert json.loads((table.parent / "synthetic.json").read_text())["version"] == 1


def test_a_corpus_is_taken_up_again_and_enlarged(tmp_path):
    write_corpus(tmp_path / "hands", CorpusPlan(writers=1, pages=1))
    kept = tmp_path / "hands" / "w0000" / "w0000_p0.jpg"
    before = kept.stat().st_mtime_ns
    counted = []
    write_corpus(tmp_path / "hands", CorpusPlan(writers=2, pages=1), progress=counted.append)
    assert kept.stat().st_mtime_ns == before
    assert counted == [1, 1]
    write_corpus(tmp_path / "whole", CorpusPlan(writers=2, pages=1))
    assert contents(tmp_path / "hands") == contents(tmp_path / "whole")


def test_a_foreign_folder_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(CorpusError, match="not empty"):
        write_corpus(tmp_path, CorpusPlan(writers=1, pages=1))
    with pytest.raises(CorpusError, match="is a file"):
        write_corpus(tmp_path / "thesis.tex", CorpusPlan(writers=1, pages=1))
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_another_seed_does_not_go_into_the_same_folder(tmp_path):
    write_corpus(tmp_path / "hands", CorpusPlan(writers=1, pages=1, seed=1))
    with pytest.raises(CorpusError, match="seed 1"):
        write_corpus(tmp_path / "hands", CorpusPlan(writers=1, pages=1, seed=2))
    (tmp_path / "hands" / "synthetic.json").write_text("{")
    with pytest.raises(CorpusError, match="cannot be read"):
        write_corpus(tmp_path / "hands", CorpusPlan(writers=1, pages=1, seed=1))


def test_wrong_arguments_are_named():
    with pytest.raises(UnknownName, match="choose from Caroline"):
        draw_page(1, 1, "Comic")
    with pytest.raises(ValueError, match="pages must be at least 1, got 0"):
        CorpusPlan(pages=0)
    with pytest.raises(ValueError, match="writer_seed"):
        draw_page(-1, 1)


def test_the_command_writes_a_corpus(tmp_path):
    folder = tmp_path / "hands"
    done = CliRunner().invoke(app, ["synth", str(folder), "--writers", "1", "--pages", "1"])
    assert done.exit_code == 0, done.output
    assert "1 pages by 1 writers" in done.stdout.replace("\n", " ")
    assert (folder / "pages.csv").exists()

"""A table as text, as records and as a picture."""

import csv

from .conftest import SOME


def test_a_table_is_written_as_markdown_with_the_papers_figures(made):
    text = made.paths[0].read_text()
    assert "a stand-in, none of the paper's sets" in text
    assert "## On one patch of 256 px from the middle of each page" in text
    assert "paper, Historical-WI: mAP" in text
    assert "| Avg + ℓ2, whitened on training pages |" in text
    assert "50.4" in text  # the paper's Avg, beside ours


def test_a_table_is_written_as_records_and_as_a_picture(made):
    assert [path.name for path in made.paths] == ["poolings.md", "poolings.csv", "poolings.png"]
    assert made.paths[2].read_bytes().startswith(b"\x89PNG")
    with made.paths[1].open() as file:
        rows = list(csv.DictReader(file))
    assert {row["row"] for row in rows} == set(SOME)
    assert {row["view"] for row in rows} == {"page", "square"}
    assert {row["runs"] for row in rows} == {"2"}


def test_a_table_of_scripts_shows_the_ensemble(made_scripts):
    assert "| ensemble |" in (made_scripts.out / "scripts.md").read_text()

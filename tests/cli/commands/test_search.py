"""``dgmp search``: a table for people, JSON for programs."""

import json
import shutil

import pytest
from PIL import Image
from scribbles import draw_page

from dgmp.catalogue import Catalogue, Entry
from dgmp.records import Page
from dgmp.sources import FileSource

from ..typed import done, refused, run

pytestmark = pytest.mark.usefixtures("stroke_describers")


@pytest.fixture
def scans(shelf):
    return shelf / "scans"


@pytest.fixture
def catalogue(shelf):
    return shelf / "catalogue"


def found(result):
    return {line.split()[-1] for line in result.stdout.splitlines()[1:]}


def test_the_other_pages_by_a_writer_come_first(catalogue):
    told = done("search", catalogue, "2-1.png", "-n", 2)
    assert found(told) == {"2-0.png", "2-2.png"}
    assert "%" in told.stdout
    assert "likeness" in told.stdout


def test_json_gives_falling_likenesses_likelihood_ratios_and_probabilities(catalogue, scans):
    lines = done("search", catalogue, scans / "2-1.png", "--json").stdout.splitlines()
    hits = [json.loads(line) for line in lines]
    assert len(hits) == 10
    alike = [hit["likeness"] for hit in hits]
    assert alike == sorted(alike, reverse=True)
    assert all(-1 < hit["cosine"] < 1 for hit in hits)
    assert all(0 < hit["probability"] < 1 for hit in hits)
    assert all(hit["likelihood_ratio"] > 0 and hit["enough_writing"] for hit in hits)
    assert all(hit["path"] == str(scans / hit["page_id"]) for hit in hits)


def test_a_picture_that_is_not_in_the_catalogue_is_taken(catalogue, tmp_path):
    draw_page(3, 9, tmp_path / "new.png")
    told = done("search", catalogue, tmp_path / "new.png", "-n", 3)
    assert found(told) == {"3-0.png", "3-1.png", "3-2.png"}


def test_a_page_with_too_little_writing_is_told(catalogue, scans):
    opened = Catalogue.open(catalogue)
    page = Page("half.png", FileSource(scans / "half.png"))
    vector = opened.page("3-1.png").vectors[0]
    opened.add([Entry(page, vector, "", b"", halves=float("nan"))])
    told = done("search", catalogue, "half.png", "-n", 3)
    assert told.stdout.count("too little") == 3
    assert "too little writing to say" in told.stderr
    lines = done("search", catalogue, "half.png", "--json").stdout.splitlines()
    hits = [json.loads(line) for line in lines]
    assert {(hit["enough_writing"], hit["probability"]) for hit in hits} == {(False, None)}


def test_what_cannot_be_found_is_told(catalogue, tmp_path):
    refused(run("search", catalogue, "nowhere.png"), "is no page of")
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nbroken")
    refused(run("search", catalogue, tmp_path / "broken.png"), "broken.png")


def test_without_a_calibration_there_are_cosines_alone(scans, tmp_path):
    arguments = ("--catalogue", tmp_path / "raw", "--describer", "raw", "--workers", 0)
    done("describe", scans, *arguments)
    told = done("search", tmp_path / "raw", "2-1.png")
    assert "%" not in told.stdout
    assert "cosine" in told.stdout
    assert "not calibrated" in told.stderr


def test_that_there_is_no_other_page_is_told(scans, tmp_path):
    shutil.copy(scans / "2-1.png", tmp_path / "alone.png")
    arguments = ("--catalogue", tmp_path / "raw", "--describer", "raw", "--workers", 0)
    done("describe", tmp_path / "alone.png", *arguments)
    told = done("search", tmp_path / "raw", "alone.png")
    assert told.stdout == ""
    assert "holds no other page" in told.stderr


def test_what_is_no_catalogue_is_told_in_one_line(tmp_path):
    refused(run("search", tmp_path, "page"), "is no catalogue")


def test_that_the_first_of_several_pages_is_taken_is_said(catalogue, tmp_path):
    draw_page(3, 9, tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as page:
        page.save(tmp_path / "two.tif", save_all=True, append_images=[page])
    told = done("search", catalogue, tmp_path / "two.tif", "-n", 1)
    assert "note: " in told.stderr
    assert "two.tif: has 2 pages, the first is taken" in told.stderr

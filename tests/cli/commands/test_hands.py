"""``dgmp hands``: a table for people, JSON for programs, files and a sheet."""

import csv
import json
import os
import re
import shutil
from pathlib import Path

import pytest
from scribbles import draw_books, draw_page, knowing_strokes, label_writers

from dgmp.files import as_named
from dgmp.records import Decision
from dgmp.tasks import decide, history

from ..typed import done, refused, run

pytestmark = pytest.mark.usefixtures("stroke_describers")


@pytest.fixture
def scans(shelf):
    return shelf / "scans"


@pytest.fixture
def catalogue(shelf):
    return shelf / "catalogue"


def test_a_hundred_scans_become_a_table_and_a_sheet(tmp_path):
    scans, folder = tmp_path / "scans", tmp_path / "catalogue"
    for number in range(95):
        draw_page(number // 5, number % 5, scans / f"scan{number:03}.png")
    done("describe", scans, "--catalogue", folder, "--workers", 0)
    table, sheet = tmp_path / "hands.csv", tmp_path / "hands.png"
    done("hands", folder, "--out", table, "--sheet", sheet)
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert sorted(row["page"] for row in rows) == [f"scan{number:03}.png" for number in range(95)]
    assert all(Path(row["path"]).exists() for row in rows)
    assert all(0 <= float(row["confidence"]) <= 1 for row in rows)
    assert sheet.read_bytes().startswith(b"\x89PNG")


def test_a_file_name_that_is_no_text_is_escaped_by_every_verb_and_leads_back_to_the_file(
    scans, tmp_path
):
    odd = Path(os.fsdecode(os.fsencode(scans) + b"/m\xfcller.png"))
    (scans / "2-1.png").rename(odd)
    told = done("describe", scans, "--catalogue", tmp_path / "c", "--workers", 0)
    assert "12 pages, 12 described now" in told.stdout
    for asked in (odd, r"m\xfcller.png"):
        hits = done("search", tmp_path / "c", asked, "-n", 2, "--json").stdout.splitlines()
        assert {json.loads(hit)["page_id"] for hit in hits} == {"2-0.png", "2-2.png"}
    lines = done("search", tmp_path / "c", "2-0.png", "-n", 2, "--json").stdout.splitlines()
    found = {hit["page_id"]: hit["path"] for hit in map(json.loads, lines)}
    done("hands", tmp_path / "c", "--out", tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(encoding="utf-8") as file:
        paths = {row["page"]: row["path"] for row in csv.DictReader(file)}
    for shown in (found, paths):
        assert Path(as_named(shown[r"m\xfcller.png"])) == odd


def test_the_table_has_a_row_for_every_hand(catalogue):
    told = done("hands", catalogue)
    head, *rows = told.stdout.splitlines()
    assert head.split()[:3] == ["hand", "pages", "confidence"]
    assert [int(row.split()[0]) for row in rows] == list(range(1, len(rows) + 1))
    assert sum(int(row.split()[1]) for row in rows) == 12


def test_what_was_written_is_said(catalogue, tmp_path):
    out = tmp_path / "hands.csv"
    told = done("hands", catalogue, "--out", out)
    hands = len(told.stdout.splitlines()) - 1
    assert f"{out}: 12 pages in {hands} hands" in told.stderr.splitlines()


def test_json_names_every_page_once(catalogue):
    told = done("hands", catalogue, "--json")
    pages = [
        page["page"] for line in told.stdout.splitlines() for page in json.loads(line)["pages"]
    ]
    assert sorted(pages) == sorted(f"{i}-{j}.png" for i in range(4) for j in range(3))
    assert "12 pages by" in told.stderr


def test_more_hands_may_be_preferred_and_fewer(catalogue):
    fewer, balanced, more = (
        len(done("hands", catalogue, "--json", "--prefer", prefer).stdout.splitlines())
        for prefer in ("fewer", "balanced", "more")
    )
    assert fewer <= balanced <= more
    refused(run("hands", catalogue, "--prefer", "most"), "no preference called 'most'")


def test_hands_are_scored_where_the_writers_are_known(scans, catalogue):
    label_writers(scans)
    done("describe", scans, "--catalogue", catalogue, "--workers", 0)
    told = done("hands", catalogue)
    assert re.search(r"writers are known, 4: adjusted Rand index \d\.\d+, B-cubed F", told.stderr)


def test_without_a_calibration_there_are_no_hands(scans, tmp_path):
    arguments = ("--catalogue", tmp_path / "raw", "--describer", "raw", "--workers", 0)
    done("describe", scans, *arguments)
    refused(run("hands", tmp_path / "raw"), "use the describer 'default'")


def test_json_on_the_screen_and_in_a_file_is_the_same(catalogue, tmp_path):
    told = done("hands", catalogue, "--json", "--out", tmp_path / "hands.json")
    stored = json.loads((tmp_path / "hands.json").read_text())
    assert [json.loads(line) for line in told.stdout.splitlines()] == stored["hands"]


def test_hands_are_written_by_the_ending_and_not_as_anything_else(catalogue, tmp_path):
    done("hands", catalogue, "--out", f"{tmp_path}/iiif/", "--workers", 0)
    assert (tmp_path / "iiif" / "collection.json").exists()
    refused(run("hands", catalogue, "--out", tmp_path / "hands.pdf"), "written as .csv, .json, ")


def test_what_an_export_leaves_out_is_said(catalogue, tmp_path):
    refused(run("hands", catalogue, "--out", tmp_path / "alto"), "no page has an ALTO file")


def test_what_is_no_catalogue_is_told_in_one_line(tmp_path):
    refused(run("hands", tmp_path), "is no catalogue")


@pytest.fixture(scope="module")
def bands_once(tmp_path_factory, calibrated_describer):
    folder = tmp_path_factory.mktemp("bands")
    arguments = ("--catalogue", folder / "bands", "--by", "band", "--workers", 0)
    with knowing_strokes(calibrated_describer):
        told = done("describe", draw_books(folder / "books"), *arguments)
    assert "18 bands, 18 described now" in told.stdout
    return folder / "bands"


@pytest.fixture
def bands(bands_once, tmp_path):
    return shutil.copytree(bands_once, tmp_path / "bands")


@pytest.mark.parametrize("asked", [(), ("--by", "band")], ids=["left out", "band"])
def test_bands_become_a_table_of_changes_and_a_strip(bands, tmp_path, asked):
    table, strip = tmp_path / "changes.csv", tmp_path / "strip.png"
    told = done("hands", bands, *asked, "--out", table, "--sheet", strip)
    head, *rows = told.stdout.splitlines()
    assert head == "from  to  sure  the hand changes at"
    with table.open() as file:
        stored = list(csv.DictReader(file))
    assert len(stored) == 18
    assert sum(row["change"] == "yes" for row in stored) == len(rows)
    assert strip.read_bytes().startswith(b"\x89PNG")
    assert re.search(r"^ms 1: 9 bands, \d+ hands, \d+ changes", told.stderr, re.MULTILINE)
    assert "18 bands by" in told.stderr


def test_changes_of_hand_are_objects_of_json(bands):
    told = done("hands", bands, "--json")
    changes = [json.loads(line) for line in told.stdout.splitlines()]
    assert all(change["from_hand"] != change["to_hand"] for change in changes)
    assert all(0 <= change["sure"] <= 1 for change in changes)


@pytest.mark.parametrize(
    ("by", "reason"),
    [
        ("page", "was described by band, not by page"),
        ("bands", "did you mean 'band'?"),
    ],
)
def test_another_part_than_was_described_is_refused(bands, by, reason):
    refused(run("hands", bands, "--by", by), reason)


def test_pages_can_be_asked_for_by_name(catalogue):
    assert done("hands", catalogue, "--by", "page").stdout == done("hands", catalogue).stdout
    refused(run("hands", catalogue, "--by", "band"), "was described by page, not by band")


def test_decisions_go_from_one_catalogue_to_another_and_are_obeyed(catalogue, scans, tmp_path):
    pages = sorted(path.name for path in scans.iterdir())[:4]
    first = decide(catalogue, Decision("same", tuple(pages), person="Märta"))
    decide(catalogue, Decision("name", tuple(pages), name="Ann"))
    file = tmp_path / "decisions.jsonl"
    told = done("hands", catalogue, "--decisions", file)
    assert "0 decisions taken over, 2 written" in told.stderr
    assert "(Ann)" in told.stdout
    other = tmp_path / "other"
    done("describe", scans, "--catalogue", other, "--workers", 0)
    before = file.read_bytes()
    told = done("hands", other, "--decisions", file, "--json")
    assert "2 decisions taken over, 2 written" in told.stderr
    assert file.read_bytes() == before
    assert history(other) == history(catalogue)
    hands = [json.loads(line) for line in told.stdout.splitlines()]
    named = [hand for hand in hands if hand["name"] == "Ann"]
    assert set(pages) <= {page["page"] for page in named[0]["pages"]}
    assert first in history(other)


def test_contradictions_are_told(catalogue, scans):
    one, other = sorted(path.name for path in scans.iterdir())[:2]
    decide(catalogue, Decision("same", (one,), (other,)))
    decide(catalogue, Decision("different", (one,), (other,)))
    assert "decisions contradict each other" in done("hands", catalogue).stderr


def test_a_file_that_holds_no_decisions_is_refused(catalogue, tmp_path):
    (tmp_path / "file.jsonl").write_text("page,hand\n")
    result = run("hands", catalogue, "--decisions", tmp_path / "file.jsonl")
    refused(result, "file.jsonl: does not begin with the head")


def test_a_large_catalogue_is_grouped_by_the_engine_that_is_named(catalogue, monkeypatch):
    small = done("hands", catalogue).stdout
    monkeypatch.setattr("dgmp.tasks.grouping.EXACT_PAGES", 5)
    large = done("hands", catalogue, "--engine", "processes", "--workers", 0).stdout
    assert (catalogue / "grouping").is_dir()
    assert [line.split()[1] for line in large.splitlines()] == [
        line.split()[1] for line in small.splitlines()
    ]


def test_an_engine_that_is_not_known_is_refused(catalogue):
    refused(run("hands", catalogue, "--engine", "spark"), "no engine called 'spark'")

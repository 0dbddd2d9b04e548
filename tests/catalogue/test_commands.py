"""dgmp describe, search and hands, as they are typed."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scribbles import StrokeDescriber, draw_page
from typer.testing import CliRunner

from dgmp import describe as describing
from dgmp.catalogue import Catalogue, is_catalogue
from dgmp.cli import app
from dgmp.corpora import open_corpus
from dgmp.describe import load_descriptors
from dgmp.errors import UnknownName

ALONE = """
import dgmp.describe
from scribbles import StrokeDescriber
dgmp.describe.load_describer = lambda name: StrokeDescriber(seconds=0.02)
from dgmp.cli import main
if __name__ == "__main__":
    main()
"""


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(autouse=True)
def loaded(monkeypatch, describer):
    """What can be loaded by name in these tests."""
    known = {"default": describer, "raw": StrokeDescriber(), "finer": StrokeDescriber(bins=32)}

    def load(name):
        if name not in known:
            raise UnknownName(f"no describer called {name!r}")
        return known[name]

    monkeypatch.setattr(describing, "load_describer", load, raising=False)


@pytest.fixture
def catalogue(scans, tmp_path):
    folder = tmp_path / "catalogue"
    assert run("describe", scans, "--catalogue", folder, "--workers", 0).exit_code == 0
    return folder


def test_a_hundred_scans_with_five_broken_become_hands(tmp_path):
    scans, folder = tmp_path / "scans", tmp_path / "catalogue"
    for number in range(95):
        draw_page(number // 5, number % 5, scans / f"scan{number:03}.png")
    whole = (scans / "scan000.png").read_bytes()
    broken = {
        "broken1.png": whole[: len(whole) // 2],
        "broken2.jpg": b"not a picture",
        "broken3.tif": b"",
        "broken4.png": b"<html>404</html>",
        "broken5.jpg": whole[:20],
    }
    for name, content in broken.items():
        (scans / name).write_bytes(content)
    told = run("describe", scans, "--catalogue", folder, "--workers", 2)
    assert told.exit_code == 0
    assert "5 left out:" in told.stdout
    assert all(re.search(rf"^  {name}: .+", told.stdout, re.MULTILINE) for name in broken)
    assert f"{folder}: 95 pages, 95 described now" in told.stdout
    table, sheet = tmp_path / "hands.csv", tmp_path / "hands.png"
    grouped = run("hands", folder, "--out", table, "--sheet", sheet)
    assert grouped.exit_code == 0
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert sorted(row["page"] for row in rows) == [f"scan{number:03}.png" for number in range(95)]
    assert all(Path(row["path"]).exists() for row in rows)
    assert all(0 <= float(row["confidence"]) <= 1 for row in rows)
    assert sheet.read_bytes().startswith(b"\x89PNG")


def test_a_kill_in_the_middle_loses_nothing_and_doubles_nothing(tmp_path):
    scans, folder = tmp_path / "scans", tmp_path / "catalogue"
    for number in range(80):
        draw_page(number // 5, number % 5, scans / f"scan{number:03}.png")
    command = [sys.executable, "-c", ALONE]
    command += ["describe", str(scans), "--catalogue", str(folder), "--workers", "0"]
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not (is_catalogue(folder) and len(Catalogue.open(folder))):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert 0 < len(Catalogue.open(folder)) < 80
    assert not any(folder.glob(".catalogue.json.*"))
    again = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert again.returncode == 0, again.stderr
    kept = 80 - int(re.search(r"(\d+) described now", again.stdout)[1])
    assert kept >= 32
    ids = Catalogue.open(folder).descriptors().page_ids
    assert ids == tuple(f"scan{number:03}.png" for number in range(80))


def test_a_kill_while_a_batch_is_written_leaves_whole_batches(tmp_path):
    """Again and again at a chance moment of nothing but writing."""
    code = """
import sys, numpy as np
from pathlib import Path
from dgmp.catalogue import Catalogue, Entry
from dgmp.records import Page
catalogue = Catalogue.open(sys.argv[1])
print("open", flush=True)
for start in range(0, 100_000, 4):
    vectors = np.eye(8, dtype=np.float32)[:4]
    pages = [Page(f"{i % 40}", Path(__file__ if "__file__" in globals() else sys.executable))
             for i in range(start, start + 4)]
    catalogue.add([Entry(p, v, "hash", b"") for p, v in zip(pages, vectors, strict=True)])
"""
    from dgmp.catalogue import Head

    Catalogue.create(tmp_path / "catalogue", Head({}, 8, "none"))
    for turn in range(2):
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "catalogue")], stdout=subprocess.PIPE
        )
        process.stdout.readline()
        time.sleep(0.05 + 0.11 * turn)
        process.kill()
        process.communicate()
        ids = Catalogue.open(tmp_path / "catalogue").descriptors().page_ids
        assert len(ids) % 4 == 0
        assert len(set(ids)) == len(ids) <= 40


def test_the_same_command_again_describes_nothing(scans, catalogue):
    told = run("describe", scans, "--catalogue", catalogue, "--workers", 0)
    assert told.exit_code == 0
    assert "12 pages, 0 described now" in told.stdout


def test_a_vanished_page_is_told_until_it_is_forgotten(scans, catalogue):
    (scans / "0-0.png").unlink()
    told = run("describe", scans, "--catalogue", catalogue)
    assert "0-0.png (still in the catalogue" in told.stderr
    assert "1 vanished" in told.stdout
    assert "11 pages" in run("describe", scans, "--catalogue", catalogue, "--forget").stdout


def test_another_describer_is_refused_in_one_line(scans, catalogue):
    told = run("describe", scans, "--catalogue", catalogue, "--describer", "finer")
    assert told.exit_code == 1
    assert re.fullmatch(r"dgmp: .*another than 'finer' \(bins: 24 there, 32 now\).*\n", told.stderr)


@pytest.mark.parametrize("arguments", [[], ["--catalogue", "c", "--out", "f.npz"]])
def test_describe_writes_either_a_catalogue_or_a_file(scans, arguments):
    assert run("describe", scans, *arguments).exit_code == 2


def test_describe_writes_a_file_of_descriptors(scans, tmp_path):
    out = tmp_path / "pages.npz"
    done = run("describe", scans, "--out", out, "--workers", 0, "--json")
    assert json.loads(done.stdout)["pages"] == len(open_corpus(scans))
    assert load_descriptors(out).page_ids == tuple(p.id for p in open_corpus(scans).pages)


def test_a_folder_of_broken_files_alone_is_an_error(tmp_path):
    (tmp_path / "scans").mkdir()
    for name in "ab":
        (tmp_path / "scans" / f"{name}.png").write_bytes(b"\x89PNG\r\n\x1a\nbroken")
    told = run("describe", tmp_path / "scans", "--catalogue", tmp_path / "catalogue")
    assert told.exit_code == 1
    assert len(told.stderr.strip().splitlines()) == 1


def test_search_lists_the_other_pages_of_the_hand_first(catalogue):
    told = run("search", catalogue, "2-1.png", "-n", 2)
    assert told.exit_code == 0
    assert {line.split()[-1] for line in told.stdout.splitlines()[1:]} == {"2-0.png", "2-2.png"}
    assert "%" in told.stdout


def test_search_in_json_gives_falling_cosines_and_probabilities(catalogue, scans):
    lines = run("search", catalogue, scans / "2-1.png", "--json").stdout.splitlines()
    hits = [json.loads(line) for line in lines]
    assert len(hits) == 10
    cosines = [hit["cosine"] for hit in hits]
    assert cosines == sorted(cosines, reverse=True)
    assert all(0 < hit["probability"] < 1 for hit in hits)


def test_search_takes_a_picture_that_is_not_in_the_catalogue(catalogue, tmp_path):
    draw_page(3, 9, tmp_path / "new.png")
    told = run("search", catalogue, tmp_path / "new.png", "-n", 3)
    assert {line.split()[-1] for line in told.stdout.splitlines()[1:]} == {
        "3-0.png",
        "3-1.png",
        "3-2.png",
    }


def test_search_says_what_it_cannot_find(catalogue, tmp_path):
    told = run("search", catalogue, "nowhere.png")
    assert told.exit_code == 1
    assert "is no page of" in told.stderr
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nbroken")
    told = run("search", catalogue, tmp_path / "broken.png")
    assert told.exit_code == 1
    assert "broken.png" in told.stderr


def test_without_a_calibration_there_are_cosines_and_no_hands(scans, tmp_path):
    folder = tmp_path / "raw"
    run("describe", scans, "--catalogue", folder, "--describer", "raw", "--workers", 0)
    told = run("search", folder, "2-1.png")
    assert told.exit_code == 0
    assert "%" not in told.stdout
    assert "not calibrated" in told.stderr
    told = run("hands", folder)
    assert told.exit_code == 1
    assert "or use the describer 'default'" in told.stderr


def test_a_calibration_that_comes_later_is_taken(scans, tmp_path):
    folder = tmp_path / "raw"
    run("describe", scans, "--catalogue", folder, "--describer", "raw", "--workers", 0)
    run("describe", scans, "--catalogue", folder, "--describer", "default", "--workers", 0)
    assert run("hands", folder).exit_code == 0


def test_hands_in_json_name_every_page_once(catalogue):
    told = run("hands", catalogue, "--json")
    pages = [
        page["page"] for line in told.stdout.splitlines() for page in json.loads(line)["pages"]
    ]
    assert sorted(pages) == sorted(f"{i}-{j}.png" for i in range(4) for j in range(3))
    assert "12 pages by" in told.stderr


def test_hands_are_scored_where_the_writers_are_known(scans, catalogue):
    rows = [f"{i}-{j}.png,writer {i}" for i in range(4) for j in range(3)]
    (scans / "labels.csv").write_text("\n".join(["file,writer", *rows]))
    run("describe", scans, "--catalogue", catalogue)
    told = run("hands", catalogue)
    assert re.search(r"writers are known, 4: adjusted Rand index \d\.\d+, B-cubed F", told.stderr)


def test_hands_are_written_as_csv_or_json_and_nothing_else(catalogue, tmp_path):
    assert run("hands", catalogue, "--out", tmp_path / "hands.json").exit_code == 0
    stored = json.loads((tmp_path / "hands.json").read_text())
    assert (stored["format"], stored["version"]) == ("dgmp-hands", 1)
    told = run("hands", catalogue, "--out", tmp_path / "hands.xlsx")
    assert told.exit_code == 1
    assert ".csv or .json" in told.stderr


def test_what_is_no_catalogue_is_told_in_one_line(tmp_path):
    for command in (["search", tmp_path, "page"], ["hands", tmp_path]):
        told = run(*command)
        assert told.exit_code == 1
        assert re.fullmatch(r"dgmp: .*is no catalogue.*\n", told.stderr)


def test_thumbnails_are_small_jpegs_of_the_writing(catalogue):
    import cv2

    opened = Catalogue.open(catalogue)
    (content,) = opened.thumbnails(["0-0.png"]).values()
    picture = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_GRAYSCALE)
    assert content.startswith(b"\xff\xd8")
    assert picture.shape[0] <= 180 and picture.shape[1] <= 240  # noqa: PT018
    assert picture.min() < 100 < picture.max()

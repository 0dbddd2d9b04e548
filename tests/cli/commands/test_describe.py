"""``dgmp describe``: catalogues that survive a kill, files of descriptors, what is left out."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from scribbles import draw_page
from sources.iiif_server import cache, server, status

from dgmp.catalogue import Catalogue, is_catalogue
from dgmp.cli.commands.describe import left_out_lines
from dgmp.corpora import open_corpus
from dgmp.describers import load_descriptors
from dgmp.storage import ObjectPath

from ..typed import done, misused, refused, run

__all__ = ["cache", "server"]
pytestmark = pytest.mark.usefixtures("stroke_describers")
ALONE = """
from scribbles import StrokeDescriber
from dgmp.tasks import describing

describing.load_describer = lambda name: StrokeDescriber(seconds=SECONDS)
describing.BATCH_PAGES = 8
from dgmp.cli import main
if __name__ == "__main__":
    main()
"""


@pytest.fixture
def catalogue(scans, tmp_path):
    done("describe", scans, "--catalogue", tmp_path / "catalogue", "--workers", 0)
    return tmp_path / "catalogue"


def test_a_hundred_scans_with_five_broken_become_a_catalogue(tmp_path):
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
    told = done("describe", scans, "--catalogue", folder, "--workers", 2)
    assert "5 left out:" in told.stdout
    assert all(re.search(rf"^  {name}: .+", told.stdout, re.MULTILINE) for name in broken)
    assert f"{folder}: 95 pages, 95 described now" in told.stdout


def test_a_kill_in_the_middle_loses_nothing_and_doubles_nothing(tmp_path):
    scans, folder = tmp_path / "scans", tmp_path / "catalogue"
    for number in range(80):
        draw_page(number // 5, number % 5, scans / f"scan{number:03}.png")
    arguments = ["describe", str(scans), "--catalogue", str(folder), "--workers", "0"]
    slowly, quickly = (
        [sys.executable, "-c", ALONE.replace("SECONDS", seconds), *arguments]
        for seconds in ("0.1", "0")  # time to see and to kill it
    )
    paths = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    process = subprocess.Popen(slowly, env=environment, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 240
    while not (is_catalogue(folder) and len(Catalogue.open(folder))):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    stored = len(Catalogue.open(folder))
    assert 0 < stored < 80
    assert not any(folder.glob(".catalogue.json.*"))
    again = subprocess.run(quickly, env=environment, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    assert f"80 pages, {80 - stored} described now" in again.stdout
    ids = Catalogue.open(folder).descriptors().page_ids
    assert ids == tuple(f"scan{number:03}.png" for number in range(80))


def test_the_same_command_again_describes_nothing(scans, catalogue):
    told = done("describe", scans, "--catalogue", catalogue, "--workers", 0)
    assert "12 pages, 0 described now" in told.stdout


def test_a_vanished_page_is_told_until_it_is_forgotten(scans, catalogue):
    (scans / "0-0.png").unlink()
    told = run("describe", scans, "--catalogue", catalogue)
    assert "0-0.png (still in the catalogue" in told.stderr
    assert "1 vanished" in told.stdout
    assert "11 pages" in run("describe", scans, "--catalogue", catalogue, "--forget").stdout


def test_a_page_that_cannot_be_described_is_told_on_both_streams(scans, tmp_path):
    import cv2
    import numpy as np

    cv2.imwrite(str(scans / "blank.png"), np.full((260, 320), 255, np.uint8))
    told = done("describe", scans, "--catalogue", tmp_path / "new", "--workers", 0)
    assert re.search(r"^left out: blank\.png: .+", told.stderr, re.MULTILINE)
    assert re.search(r"^  blank\.png: .+", told.stdout, re.MULTILINE)


def test_json_says_where_how_many_and_what_was_left_out(scans, tmp_path):
    (scans / "empty.png").write_bytes(b"")
    told = done("describe", scans, "--catalogue", tmp_path / "new", "--workers", 0, "--json")
    assert json.loads(told.stdout) == {
        "catalogue": str(tmp_path / "new"),
        "pages": 12,
        "entries": 48,
        "left_out": {"empty.png": "empty: the file has no bytes"},
    }


def test_only_a_split_is_described(hands, tmp_path):
    arguments = ("--catalogue", tmp_path / "new", "--workers", 0, "--split", "test", "--json")
    assert json.loads(done("describe", hands, *arguments).stdout)["pages"] == 6


def test_another_describer_is_refused_in_one_line(scans, catalogue):
    told = run("describe", scans, "--catalogue", catalogue, "--describer", "finer")
    refused(told, "another than 'finer' (bins: 24 there, 32 now)")


@pytest.mark.parametrize("arguments", [[], ["--catalogue", "c", "--out", "f.npz"]])
def test_either_a_catalogue_or_a_file_is_written(scans, arguments):
    misused(run("describe", scans, *arguments))


def test_a_file_of_descriptors_is_written(scans, tmp_path):
    out = tmp_path / "pages.npz"
    result = done("describe", scans, "--out", out, "--workers", 0, "--json")
    assert json.loads(result.stdout)["pages"] == len(open_corpus(scans))
    assert load_descriptors(out).page_ids == tuple(p.id for p in open_corpus(scans).pages)


def test_a_folder_of_broken_files_alone_is_an_error(tmp_path):
    (tmp_path / "scans").mkdir()
    for name in "ab":
        (tmp_path / "scans" / f"{name}.png").write_bytes(b"\x89PNG\r\n\x1a\nbroken")
    told = run("describe", tmp_path / "scans", "--catalogue", tmp_path / "catalogue")
    assert told.exit_code == 1
    assert len(told.stderr.strip().splitlines()) == 1


def test_a_resolution_and_a_line_distance_are_not_given_together(tmp_path):
    misused(
        run("describe", tmp_path, "--out", tmp_path / "a.npz", "--dpi", 300, "--line-distance", 60)
    )


def test_a_catalogue_is_of_one_part_of_pages(books, tmp_path):
    folder = tmp_path / "bands"
    done("describe", books, "--catalogue", folder, "--by", "band", "--workers", 0)
    refused(
        run("describe", books, "--catalogue", folder, "--by", "page", "--workers", 0),
        "was described by band, not by page; go on with --by band",
    )
    told = done("describe", books, "--catalogue", folder, "--workers", 0)
    assert "18 bands, 0 described now" in told.stdout


def test_a_part_of_pages_that_is_not_known_is_refused(books, tmp_path):
    refused(
        run("describe", books, "--catalogue", tmp_path / "new", "--by", "line"),
        "no part of a page called 'line'; choose from page, region, band",
    )


def test_an_address_is_described_as_it_was_typed(server, tmp_path):
    address = server.add_book("b", 2)
    server.faults["/image3/b-1/info.json"] = status(404)
    result = done("describe", address, "--catalogue", tmp_path / "c", "--workers", 0)
    assert "b/2r: missing: the service has no such thing" in result.stdout
    assert Catalogue.open(tmp_path / "c").paths() == {
        "b/1r": f"{address}#canvas={server.base}/b/canvas/b-0"
    }


def test_an_address_without_answer_is_refused_in_one_line(server, tmp_path):
    result = run("describe", f"{server.base}/gone.json", "--catalogue", tmp_path / "c")
    refused(result, f"{server.base}/gone.json: missing: the service has no such thing")


def test_scans_and_catalogue_may_be_in_object_storage(s3, scans, tmp_path):
    for file in scans.iterdir():
        (ObjectPath.of("s3://scans/typed") / file.name).write_bytes(file.read_bytes())
    catalogue = "s3://scans/typed.catalogue"
    shown = done("describe", "s3://scans/typed", "--catalogue", catalogue, "--workers", 0)
    assert f"{catalogue}: 12 pages, 12 described now" in shown.stdout
    assert "0-1.png" in done("search", catalogue, "0-0.png").stdout
    assert "hand  pages" in done("hands", catalogue).stdout
    assert (
        "12 pages"
        in done(
            "corpus", "s3://scans/typed", "--headers-only", "--out", tmp_path / "sheet.png"
        ).stdout
    )


@pytest.mark.parametrize("command", [["describe", "{}/in", "--catalogue", "new"], ["hands", "{}"]])
def test_a_missing_bucket_is_told_in_one_line(s3, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = [word.format("s3://nowhere") for word in command]
    refused(run(*asked), "s3://nowhere: there is no such bucket")


def test_what_was_named_at_once_is_not_named_again_on_the_same_screen():
    left_out = [("a.png", "no ink"), ("b.pdf", "broken")]
    assert left_out_lines(left_out, {"a.png: no ink"}) == [
        "2 left out, 1 of them named above:",
        "  b.pdf: broken",
    ]
    assert left_out_lines(left_out[:1], {"a.png: no ink"}) == ["1 left out, 1 of them named above"]
    assert left_out_lines([], set()) == []

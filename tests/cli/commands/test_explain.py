"""``dgmp explain``: pictures of one page and of two, and what it refuses."""

import json

import pytest
from scribbles import draw_page

from dgmp.models import save_model

from ..typed import done, misused, refused, run

EXPLAIN = "explain hands/w0_p0.png --describer run --out a.png"


def test_one_page_is_drawn(hands, runs, tmp_path):
    out = tmp_path / "heat.png"
    result = done("explain", hands / "w0_p0.png", "--describer", runs / "writers", "--out", out)
    assert result.stdout == f"{out}\n"
    assert out.read_bytes().startswith(b"\x89PNG")


def test_of_one_page_json_has_the_share_of_negative_weights(hands, runs, tmp_path):
    arguments = ("--describer", runs / "writers", "--out", tmp_path / "heat.png", "--json")
    found = json.loads(done("explain", hands / "w0_p0.png", *arguments).stdout)
    assert 0 <= found["negative"] < 1
    assert "cosine" not in found


def test_of_two_pages_json_has_the_cosine_and_where_it_comes_from(hands, runs, tmp_path):
    out, pages = tmp_path / "two.png", (hands / "w0_p0.png", hands / "w2_p0.png")
    result = done("explain", *pages, "--describer", runs / "writers", "--out", out, "--json")
    found = json.loads(result.stdout)
    assert -1 <= found["cosine"] <= 1
    assert [page["page"] for page in found["pages"]] == [str(page) for page in pages]
    for page in found["pages"]:
        left, top, right, bottom = page["strongest"][0]["box"]
        assert 0 <= left < right <= 190
        assert 0 <= top < bottom <= 130


def test_a_script_run_can_be_explained_too(hands, runs, tmp_path):
    out = tmp_path / "heat.png"
    done("explain", hands / "w0_p0.png", "--describer", runs / "scripts", "--out", out)
    assert out.exists()


def test_two_pages_of_a_catalogue_are_explained_by_their_pieces(tmp_path):
    out, made = tmp_path / "pieces.png", tmp_path / "catalogue"
    pages = ("0.png", "1.png")
    for number, name in enumerate(pages):
        draw_page(0, number, tmp_path / "scans" / name)
    done("describe", tmp_path / "scans", "--catalogue", made, "--workers", 0)
    found = json.loads(done("explain", *pages, "--catalogue", made, "--out", out, "--json").stdout)
    assert out.read_bytes().startswith(b"\x89PNG")
    assert found["pages"] == list(pages)
    shares = [pair["share"] for pair in (*found["same"], *found["against"])]
    assert sum(shares) + found["rest"] == pytest.approx(found["cosine"], abs=1e-6)
    assert all(left < right for left, _, right, _ in found["same"][0]["boxes"])
    told = done("explain", *pages, "--catalogue", made, "--out", out).stdout
    sure = f"probability of one hand {found['probability']:.0%}"
    assert (sure if found["enough_writing"] else "too little writing") in told


CASES = {
    "a folder": ("explain hands --describer run --out a.png", "is a folder; give the"),
    "a broken page": ("explain broken/a.png --describer run --out a.png", "broken/a.png: broken"),
    "a blank page": ("explain blank/a.png --describer run --out a.png", "blank/a.png: no ink"),
    "another version": (
        "explain hands/w0_p0.png --describer old --out a.png", "format version 99"
    ),
    "no device": (f"{EXPLAIN} --device x", "cannot be used here"),
    "onto a folder": ("explain hands/w0_p0.png --describer run --out hands", "it is a folder"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_explained_is_said_in_one_line(place, case):
    line, reason = CASES[case]
    refused(run(*line.split()), reason)


@pytest.mark.usefixtures("nothing_may_be_written")
def test_a_folder_that_may_not_be_written_to_is_told(place):
    refused(run(*EXPLAIN.split()), "may not be written to")


def test_a_pooling_without_weights_cannot_be_explained(place, tiny):
    save_model(tiny("gem"), place / "gem")
    arguments = "explain hands/w0_p0.png --describer gem --out a.png"
    refused(run(*arguments.split()), "can be explained")


@pytest.mark.parametrize(
    "line",
    [
        "explain hands/w0_p0.png --describer run",
        "explain a b c --describer run --out a.png",
        "explain a b --out a.png",
        "explain a b --describer run --catalogue c --out a.png",
        "explain a --catalogue c --out a.png",
    ],
    ids=["without a place", "three pages", "by nothing", "by both", "one page of a catalogue"],
)
def test_wrong_usage_exits_with_2(place, line):
    misused(run(*line.split()))

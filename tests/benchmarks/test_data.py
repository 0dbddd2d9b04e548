"""The sets of real handwriting, built from made-up clones, and the manifests that are shipped."""

import csv
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from drawing import written
from PIL import Image

from dgmp.corpora import open_corpus
from dgmp.corpora.layout_files import Line
from dgmp.pixels import read_image, text_scale
from dgmp.sources import FileSource

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"
sys.path.insert(0, str(ROOT / "benchmarks" / "data"))

import build  # noqa: E402
from manifests import (  # noqa: E402
    FACTS,
    SETS,
    bits_apart,
    fingerprint,
    manifest_rows,
    read_rows,
    write_rows,
)
from text_patches import text_patches  # noqa: E402

HANDS = SETS["hands"]
COUNTS = {"hands": (630, "writer", 167), "scripts": (213, "manuscript", 87)}
DISTANCES = {"data/a/1.png": 38, "data/a/2.png": 50, "jpg/b_1.png": 114}


def alto(width, height, distance):
    """A layout file of a page of :func:`written`: a line on every baseline that has strokes."""
    lines = [
        f'<TextLine BASELINE="{distance // 2} {base} {width - distance} {base}"'
        f' HPOS="{distance // 2}" VPOS="{base - distance // 2}"'
        f' WIDTH="{width - 3 * distance // 2}" HEIGHT="{distance // 2}"/>'
        for base in range(distance, height - distance // 6, distance)
    ]
    page = f'<Page WIDTH="{width}" HEIGHT="{height}"><TextBlock>{"".join(lines)}</TextBlock></Page>'
    return f'<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Layout>{page}</Layout></alto>'


def draw_scan(clone, name, layout):
    distance = DISTANCES[name]
    width, height = 20 * distance, 14 * distance
    (clone / name).parent.mkdir(parents=True, exist_ok=True)
    (clone / layout).parent.mkdir(parents=True, exist_ok=True)
    page = written(width, height, distance=distance, letter=distance // 3, seed=distance)
    Image.fromarray(page).save(clone / name)
    (clone / layout).write_text(alto(width, height, distance))


def manifest_row(file, writer, split, repository, scan, layout):
    row = dict.fromkeys((*HANDS.columns, *FACTS), "")
    row |= {"file": file, "writer": writer, "split": split, "page": Path(scan).name}
    row |= {"source_repo": repository, "original_path": scan, "layout_path": layout}
    row |= {"label_kind": "writer", "licence": "CC-BY 4.0"}
    return row | {"width": "1104", "height": "840", "fingerprint": "0" * 16}


ROWS = [
    manifest_row("a/a_p1.jpg", "a", "train", "one/first", "data/a/1.png", "data/a/1.xml"),
    manifest_row("a/a_p2.jpg", "a", "train", "one/first", "data/a/2.png", "data/a/2.xml"),
    manifest_row("b/b_p1.jpg", "b", "test", "two/second", "jpg/b_1.png", "alto/b_1.xml"),
    manifest_row("b/b_p3.jpg", "b", "test", "two/second", "jpg/b_1.png", "alto/b_1.xml"),
]


@pytest.fixture
def clones(tmp_path):
    folder = tmp_path / "clones"
    draw_scan(folder / "one" / "first", "data/a/1.png", "data/a/1.xml")
    draw_scan(folder / "one" / "first", "data/a/2.png", "data/a/2.xml")
    draw_scan(folder / "second", "jpg/b_1.png", "alto/b_1.xml")  # under its last name alone
    return folder


@pytest.fixture
def run(tmp_path, clones):
    """A function that builds the made-up set and gives the exit code."""
    manifest = tmp_path / "manifest.csv"
    write_rows(manifest, tuple(ROWS[0]), ROWS)
    options = ["--clones", str(clones), "--out", str(tmp_path / "out"), "--manifest", str(manifest)]
    return lambda: build.main(["hands", *options])


@pytest.fixture
def record(tmp_path):
    return lambda: {row["file"]: row for row in read_rows(tmp_path / "out" / build.RECORD)}


def test_the_built_set_opens_as_a_corpus_with_its_writers_and_splits(run, tmp_path):
    assert run() == 0
    corpus = open_corpus(tmp_path / "out")
    assert [page.id for page in corpus] == [row["file"] for row in ROWS]
    assert corpus.labels("writer") == ("a", "a", "b", "b")
    assert corpus.labels("scan") == ("1.png", "2.png", "b_1.png", "b_1.png")
    assert {page.writer for page in corpus.in_split("train")} == {"a"}
    assert {page.writer for page in corpus.in_split("test")} == {"b"}
    assert not corpus.left_out
    assert not corpus.notes


def test_the_table_has_the_columns_of_the_set(run, tmp_path):
    run()
    with (tmp_path / "out" / "writers.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == HANDS.columns
    assert {row["licence"] for row in rows} == {"CC-BY 4.0"}


def test_lines_are_76_pixels_apart_whatever_the_scan(run, tmp_path, record):
    run()
    for row in ROWS:
        scale = float(record()[row["file"]]["scale"])
        assert scale == pytest.approx(76 / DISTANCES[row["original_path"]], abs=1e-6)
        assert text_scale(read_image(FileSource(tmp_path / "out" / row["file"]))) == pytest.approx(
            76, rel=0.03
        )


def test_the_recorded_patch_is_what_was_cut(run, tmp_path, record, clones):
    run()
    for row in ROWS[2:]:
        said = {key: record()[row["file"]][key] for key in ("left", "top", "width", "height")}
        left, top, width, height = map(int, said.values())
        image = read_image(FileSource(tmp_path / "out" / row["file"]))
        assert image.shape == (height, width)
        assert width <= 1104
        assert height <= 840
        page = read_image(FileSource(clones / "second" / row["original_path"]))
        scaled = build.resized(page, float(record()[row["file"]]["scale"]))
        cut = scaled[top : top + height, left : left + width]
        assert np.abs(cut.astype(int) - image).mean() < 4  # what JPEG changes


def test_two_images_of_one_scan_show_different_text(run, record):
    run()
    first, second = (record()[name] for name in ("b/b_p1.jpg", "b/b_p3.jpg"))
    assert (first["left"], first["top"]) != (second["left"], second["top"])


def test_an_image_like_that_of_the_manifest_is_the_same(run, tmp_path, record):
    run()
    assert {row["agreement"] for row in record().values()} == {"other"}
    known = [row | {key: record()[row["file"]][key] for key in ("width", "height", "fingerprint")}
             for row in ROWS]  # fmt: skip
    write_rows(tmp_path / "manifest.csv", tuple(ROWS[0]), known)
    (tmp_path / "out" / build.RECORD).unlink()
    run()
    assert {row["agreement"] for row in record().values()} == {"same"}


def test_running_again_changes_nothing(run, tmp_path):
    def files():
        found = (path for path in (tmp_path / "out").rglob("*") if path.is_file())
        return {path: path.read_bytes() for path in found}

    run()
    before = files()
    times = {path: path.stat().st_mtime_ns for path in before if path.suffix == ".jpg"}
    assert run() == 0
    assert files() == before
    assert {path: path.stat().st_mtime_ns for path in times} == times


def test_an_image_that_was_lost_is_made_again(run, tmp_path):
    run()
    lost = tmp_path / "out" / "b" / "b_p3.jpg"
    before = lost.read_bytes()
    lost.unlink()
    assert run() == 0
    assert lost.read_bytes() == before


def test_a_missing_repository_is_named_with_its_command_and_the_rest_is_built(
    run, tmp_path, clones, capsys
):
    (clones / "second").rename(tmp_path / "elsewhere")
    assert run() == 1
    out = capsys.readouterr().out
    assert out.startswith("1 repositories are missing")
    assert f"git clone --depth 1 https://github.com/two/second {clones / 'two/second'}" in out
    assert "2 of 4 images" in out
    assert open_corpus(tmp_path / "out").labels("writer") == ("a", "a")
    (tmp_path / "elsewhere").rename(clones / "second")
    assert run() == 0
    assert len(open_corpus(tmp_path / "out")) == 4


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("data/a/1.png", b"\x89PNG\r\n\x1a\n broken", "data/a/1.png: broken"),
        ("data/a/1.png", b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        ("data/a/1.png", None, "data/a/1.png: missing"),
        ("data/a/1.xml", None, "data/a/1.xml: missing"),
        ("data/a/1.xml", b"<alto>", "data/a/1.xml: broken XML"),
        ("data/a/1.xml", alto(760, 532, 400).encode(), "no line distance"),
    ],
    ids=["broken scan", "pointer", "no scan", "no layout", "broken layout", "one line"],
)
def test_a_file_that_cannot_be_used_is_named_and_the_rest_is_built(
    run, tmp_path, clones, capsys, name, content, reason
):
    path = clones / "one" / "first" / name
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    assert run() == 1
    said = capsys.readouterr().out
    assert "left out a/a_p1.jpg: " in said
    assert reason in said
    assert len(open_corpus(tmp_path / "out")) == 3


def test_a_page_with_too_little_text_for_its_images_is_named(run, clones, capsys):
    few = alto(20 * 114, 3 * 114, 114).replace(f'HEIGHT="{3 * 114}"', f'HEIGHT="{14 * 114}"')
    few = few.replace(f"{19 * 114} ", f"{9 * 114} ").replace(f'WIDTH="{37 * 57}"', 'WIDTH="900"')
    (clones / "second" / "alto" / "b_1.xml").write_text(few)
    assert run() == 1
    said = capsys.readouterr().out
    assert "left out b/b_p3.jpg: " in said
    assert "has text for 1 images only, not 2" in said


@pytest.mark.parametrize("place", ["jpg/b_1.xml", "alto/b_1.chocomufin.xml"])
def test_another_layout_file_of_the_scan_stands_in_for_one_that_is_gone(run, clones, place):
    layout = clones / "second" / "alto" / "b_1.xml"
    layout.rename(clones / "second" / place)
    assert run() == 0


# The baselines and outlines of four public pages, and the sizes of the set's images of them.
KNOWN = {
    "cremma-wikipedia batch2-43": (
        (1654, 2799), (1024, 264),
        [(170, 1467, 1248.67), (177, 1530, 1351.33), (184, 1486, 1461.0)],
        106.17,
    ),
    "cremma-wikipedia batch2-45": (
        (1654, 2799), (888, 424),
        [(247, 1392, 1273.0), (331, 1338, 1378.67), (335, 1357, 1470.0), (305, 1413, 1578.2),
         (326, 776, 1724.0)],
        106.93,
    ),
    "cremma-wikipedia batch2-22": (
        (1654, 2799), (1104, 256),
        [(122, 1641, 1203.5), (119, 1573, 1262.33), (109, 1075, 1324.5)],
        60.5,
    ),
    "Copiste-d-un-jour imp_wikitexte_0117_2": (
        (2550, 3300), (1104, 328),
        [(1639, 2500, 107.33), (286, 2189, 205.75), (295, 2443, 319.4), (302, 1777, 448.5),
         (2100, 2384, 3165.0)],
        113.65,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_the_rule_gives_the_sizes_of_known_images(name):
    page, size, lines, distance = KNOWN[name]
    scale = 76 / distance
    scaled = round(page[0] * scale), round(page[1] * scale)
    lines = [Line(left, right, height, ()) for left, right, height in lines]
    (patch,) = text_patches(lines, scale, scaled, HANDS.largest, 1)
    assert (patch.width, patch.height) == size


def test_on_a_page_full_of_text_the_first_patch_is_full_and_all_lie_on_the_grid():
    lines = [Line(100, 1500 + 20 * (n % 3), 76 * n, ()) for n in range(1, 30)]
    patches = text_patches(lines, 1.0, (1700, 2400), (1104, 840), 5)
    assert (patches[0].width, patches[0].height) == (1104, 840)
    assert len({(patch.left, patch.top) for patch in patches}) == 5
    assert all(patch.left % 8 == patch.top % 8 == 0 for patch in patches)


def test_the_fingerprint_changes_little_with_jpeg_and_much_with_the_page(tmp_path):
    page, other = (written(1104, 840, distance=76, letter=26, seed=seed) for seed in (1, 2))
    Image.fromarray(page).save(tmp_path / "page.jpg", quality=60)
    known = fingerprint(page)
    assert len(known) == 16
    assert (
        bits_apart(known, fingerprint(read_image(FileSource(tmp_path / "page.jpg"))))
        <= build.SAME_BITS
    )
    assert bits_apart(known, fingerprint(other)) > build.NEAR_BITS


@pytest.mark.parametrize("name", SETS)
def test_a_shipped_manifest_holds_what_it_says(name):
    images, label, labels = COUNTS[name]
    kind = SETS[name]
    rows = read_rows(kind.manifest)
    assert len(rows) == images
    assert len({row["file"] for row in rows}) == images
    assert len({row[label] for row in rows}) == labels
    sides = {split: {row[label] for row in rows if row["split"] == split}
             for split in ("train", "test")}  # fmt: skip
    assert len(sides["train"]) + len(sides["test"]) == labels
    assert not sides["train"] & sides["test"]
    assert all(row[column] for row in rows for column in ("licence", "layout_path", "source_repo"))
    assert all(len(row["fingerprint"]) == 16 and int(row["fingerprint"], 16) for row in rows)
    assert max(int(row["width"]) for row in rows) == kind.largest[0]
    assert max(int(row["height"]) for row in rows) == kind.largest[1]


def test_the_licences_are_those_stated():
    licences = {
        name: Counter(row["licence"] for row in read_rows(kind.manifest))
        for name, kind in SETS.items()
    }
    assert licences == {
        "hands": {"CC-BY 4.0": 630},
        "scripts": {"none stated: research use only": 213},
    }


def test_every_repository_is_in_the_readme():
    text = (ROOT / "benchmarks" / "data" / "README.md").read_text(encoding="utf-8")
    for kind in SETS.values():
        for repository in {row["source_repo"] for row in read_rows(kind.manifest)}:
            assert f"github.com/{repository})" in text


@pytest.mark.parametrize("name", SETS)
def test_the_shipped_manifest_agrees_with_the_real_set(name):
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip("the shared sets are not here")
    assert read_rows(SETS[name].manifest) == [
        {key: row[key] for key in shipped}
        for shipped, row in zip(
            read_rows(SETS[name].manifest), manifest_rows(SETS[name], folder), strict=True
        )
    ]

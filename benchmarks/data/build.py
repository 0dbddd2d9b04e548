"""Build a set of real handwriting from clones of the public repositories that it comes from.

    python benchmarks/data/build.py hands --clones CLONES --out hands
    python benchmarks/data/build.py scripts --clones CLONES --out scripts

CLONES holds the repositories as ``owner/name`` or ``name``; those that are missing are listed
first, with the commands that get them. OUT becomes a corpus with the set's own table. Its
``record/crops.csv`` says of every image from which commit it was made, the scale and the patch of
the scaled page, and how near it comes to the image of the manifest. What is missing or broken is
named and left out, and the exit code is then 1. Run again, it goes on where it ended.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
from manifests import SETS, Row, Set, bits_apart, fingerprint, read_rows, write_rows
from PIL import Image
from text_patches import LINE_DISTANCE, Patch, text_patches

from dgmp.cli.progress import page_bar
from dgmp.corpora.layout_files import Line, layout_file, read_layout
from dgmp.errors import CorpusError, DgmpError, ImageError
from dgmp.files import replacing
from dgmp.pixels import read_image
from dgmp.records import Grey
from dgmp.sources import FileSource

RECORD = "record/crops.csv"  # in a folder, since every table at the top is read as labels
RECORDED = (
    "file", "source_repo", "commit", "scale", "left", "top", "width", "height", "fingerprint",
    "bits", "agreement",
)  # fmt: skip
# Bits of 64 that differ. Another JPEG encoder: at most 5 of them; a shift by 8 pixels: 3 to 17, by
# 24: 11 to 28, by 76 or another page: 24 to 40.
SAME_BITS, NEAR_BITS = 5, 16
LARGEST_SCALE = 4.0  # beyond this the line distance of the layout file cannot be right


@dataclass(frozen=True)
class Problem:
    """Why an image is not there."""

    file: str
    reason: str


def find_clone(clones: Path, repository: str) -> Path | None:
    """The clone of ``owner/name``, which lies there under both names or the last."""
    for folder in (clones / repository, clones / repository.rpartition("/")[2]):
        if folder.is_dir():
            return folder
    return None


def clone_commands(clones: Path, rows: Sequence[Row]) -> list[str]:
    """The commands that get the repositories that are not there yet."""
    return [
        f"git clone --depth 1 https://github.com/{name} {clones / name}"
        for name in sorted({row["source_repo"] for row in rows})
        if find_clone(clones, name) is None
    ]


@cache
def commit_of(clone: Path) -> str:
    """The commit that a clone stands at; empty where it is a copy without history."""
    if not (clone / ".git").exists():
        return ""
    command = ["git", "-C", str(clone), "rev-parse", "HEAD"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip() if found.returncode == 0 else ""


def build(
    kind: Set, rows: Sequence[Row], clones: Path, out: Path, advance: Callable[[int], None]
) -> tuple[list[Row], list[Problem]]:
    """Make the images that are not there yet; gives what is recorded of all, and what failed."""
    done = finished(out)
    problems = []
    for images in scans(rows):
        wanted = [row for row in images if row["file"] not in done]
        clone = find_clone(clones, images[0]["source_repo"])
        if wanted and clone is not None:
            reason = ""
            try:
                for recorded in cut_images(kind, images, wanted, clone, out):
                    done[recorded["file"]] = recorded
            except (ImageError, CorpusError) as error:
                reason = str(error)
            problems += [Problem(row["file"], reason) for row in wanted if row["file"] not in done]
            write_rows(out / RECORD, RECORDED, in_order(rows, done))
        advance(len(images))
    return in_order(rows, done), problems


def finished(out: Path) -> dict[str, Row]:
    """What is recorded of the images that are there, by their names."""
    record = out / RECORD
    rows = read_rows(record) if record.exists() else []
    return {row["file"]: row for row in rows if (out / row["file"]).exists()}


def scans(rows: Sequence[Row]) -> list[list[Row]]:
    """The images of each scan, in the order of their names."""
    found = defaultdict(list)
    for row in sorted(rows, key=lambda row: row["file"]):
        found[row["source_repo"], row["original_path"]].append(row)
    return list(found.values())


def in_order(rows: Sequence[Row], done: dict[str, Row]) -> list[Row]:
    return [done[row["file"]] for row in rows if row["file"] in done]


def cut_images(
    kind: Set, images: Sequence[Row], wanted: Sequence[Row], clone: Path, out: Path
) -> Iterator[Row]:
    """Cut the ``wanted`` of the images of one scan, and give what is recorded of each."""
    scan = clone / images[0]["original_path"]
    page = read_image(FileSource(scan))
    lines, scale = lines_of(clone, images[0], scan, page)
    scaled = resized(page, scale)
    size = scaled.shape[1], scaled.shape[0]
    patches = text_patches(lines, scale, size, kind.largest, len(images))
    for row, patch in zip(images, patches, strict=False):
        if row in wanted:
            save_patch(scaled, patch, out / row["file"], kind.quality)
            yield recorded(row, patch, scale, commit_of(clone), out / row["file"])
    if len(patches) < len(images):
        raise CorpusError(f"{scan}: has text for {len(patches)} images only, not {len(images)}")


def lines_of(clone: Path, row: Row, scan: Path, page: Grey) -> tuple[tuple[Line, ...], float]:
    """The lines of a scan, by the manifest's file or the one beside the scan, and its scale."""
    listed = clone / row["layout_path"]
    cleaned = listed.with_suffix(".chocomufin.xml")  # the same layout, its text put in order
    path = next((file for file in (listed, cleaned) if file.is_file()), None) or layout_file(scan)
    if path is None:
        raise CorpusError(f"{listed}: missing: the scan has no layout file")
    layout = read_layout(path, (page.shape[1], page.shape[0]))
    if not layout.line_distance:
        raise CorpusError(f"{path}: no line stands below another, so there is no line distance")
    if layout.line_distance < LINE_DISTANCE / LARGEST_SCALE:
        raise CorpusError(f"{path}: lines {layout.line_distance:.1f} pixels apart are too fine")
    return layout.lines, LINE_DISTANCE / layout.line_distance


def resized(page: Grey, scale: float) -> Grey:
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    size = max(round(page.shape[1] * scale), 1), max(round(page.shape[0] * scale), 1)
    return cv2.resize(page, size, interpolation=way)


def save_patch(page: Grey, patch: Patch, path: Path, quality: int) -> None:
    rows = slice(patch.top, patch.top + patch.height)
    pixels = page[rows, patch.left : patch.left + patch.width]
    with replacing(path) as beside:
        Image.fromarray(pixels).save(beside, "JPEG", quality=quality)


def recorded(row: Row, patch: Patch, scale: float, commit: str, image: Path) -> Row:
    """How an image was made and how near it comes to the manifest's."""
    found = fingerprint(read_image(FileSource(image)))
    bits = bits_apart(found, row["fingerprint"])
    same_size = (str(patch.width), str(patch.height)) == (row["width"], row["height"])
    return {
        "file": row["file"],
        "source_repo": row["source_repo"],
        "commit": commit,
        "scale": f"{scale:.6f}",
        "left": str(patch.left),
        "top": str(patch.top),
        "width": str(patch.width),
        "height": str(patch.height),
        "fingerprint": found,
        "bits": str(bits),
        "agreement": agreement(same_size, bits),
    }


def agreement(same_size: bool, bits: int) -> str:
    """``same``: size and picture agree; ``near``: a few pixels off; ``other``: cut elsewhere."""
    if same_size and bits <= SAME_BITS:
        return "same"
    return "near" if bits <= NEAR_BITS else "other"


def report(built: Sequence[Row], problems: Sequence[Problem], total: int, out: Path) -> None:
    for row in built:
        if row["agreement"] != "same":
            print(f"{row['file']}: {row['agreement']}, {row['bits']} of 64 bits differ")
    for problem in problems:
        print(f"left out {problem.file}: {problem.reason}")
    print(f"{out}: {len(built)} of {total} images")
    if built:
        counts = Counter(row["agreement"] for row in built)
        print(
            f"compared with the manifest {counts['same']} are the same, {counts['near']} near, "
            f"{counts['other']} cut elsewhere; see {out / RECORD}"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--clones", type=Path, required=True, help="Folder of the repositories.")
    parser.add_argument("--out", type=Path, required=True, help="Folder that the set goes to.")
    parser.add_argument("--manifest", type=Path, help="Another manifest than the set's own.")
    given = parser.parse_args(arguments)
    kind = SETS[given.set]
    rows = read_rows(given.manifest or kind.manifest)
    commands = clone_commands(given.clones, rows)
    if commands:
        print(f"{len(commands)} repositories are missing; these commands get them:")
        print("\n".join(commands), flush=True)
    try:
        with page_bar("cutting images", len(rows)) as advance:
            built, problems = build(kind, rows, given.clones, given.out, advance)
        if built:
            names = {row["file"] for row in built}
            labels = [row for row in rows if row["file"] in names]
            write_rows(given.out / kind.table, kind.columns, labels)
    except DgmpError as error:
        print(error, file=sys.stderr)
        return 1
    report(built, problems, len(rows), given.out)
    return int(len(built) < len(rows))


if __name__ == "__main__":
    sys.exit(main())

"""The manifests of the two sets: every image, its labels, where it is from, what it looks like.

    python benchmarks/data/manifests.py hands FOLDER

writes ``hands.csv`` anew from the set in FOLDER.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import cv2
import numpy as np

from dgmp.files import replacing
from dgmp.pixels import read_image
from dgmp.records import Grey
from dgmp.sources import FileSource

HERE = Path(__file__).parent
FACTS = ("commit", "layout_path", "width", "height", "fingerprint")  # what a manifest adds

Row = dict[str, str]


@dataclass(frozen=True)
class Set:
    """How a set is laid out and how its images were made."""

    name: str
    table: str
    columns: tuple[str, ...]  # of its table
    largest: tuple[int, int]  # width, height of an image
    quality: int  # of the JPEG files

    @property
    def manifest(self) -> Path:
        """The manifest that stands beside this file."""
        return HERE / f"{self.name}.csv"


SETS = {
    "hands": Set(
        "hands",
        "writers.csv",
        ("file", "writer", "split", "page", "label_kind",
         "source_repo", "original_path", "licence"),
        (1104, 840),
        75,
    ),
    "scripts": Set(
        "scripts",
        "scripts.csv",
        ("file", "script", "split", "manuscript", "tei_script", "clamm17_label", "clamm17_part",
         "source_repo", "original_path", "licence"),
        (1072, 768),
        84,
    ),
}  # fmt: skip
LICENCES = {"none stated": "none stated: research use only"}
# Where a layout file does not stand beside its scan under the scan's name.
LAYOUTS = {
    "banq-dcn/Copiste-d-un-jour": "alto/{stem}.xml",
    "oriflamms/Dated-and-Datable-Manuscripts_resegmented": (
        "alto/alto_abbr/without-norm/lat-abbr_mss-dates_surf_{stem}-zones.xml_alto.xml"
    ),
}


def fingerprint(image: Grey) -> str:
    """A difference hash of 64 bits: is each of 9 × 8 parts darker than the one to its right?"""
    small = cv2.resize(image, (9, 8), interpolation=cv2.INTER_AREA)
    return np.packbits(small[:, 1:] > small[:, :-1]).tobytes().hex()


def bits_apart(first: str, second: str) -> int:
    """In how many of their 64 bits two fingerprints differ."""
    return (int(first, 16) ^ int(second, 16)).bit_count()


def read_rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Write the named columns of ``rows``; what else they hold is left out."""
    with replacing(path) as beside, beside.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def manifest_rows(kind: Set, folder: Path) -> list[Row]:
    """The rows of the manifest, from a set as it lies in ``folder``."""
    rows = read_rows(folder / kind.table)
    for row in rows:
        image = read_image(FileSource(folder / row["file"]))
        row["licence"] = LICENCES.get(row["licence"], row["licence"])
        row["commit"] = ""  # of the clone that the image was made from: not written down then
        row["layout_path"] = layout_path(row["source_repo"], row["original_path"])
        row["height"], row["width"] = map(str, image.shape)
        row["fingerprint"] = fingerprint(image)
    return rows


def layout_path(repository: str, scan: str) -> str:
    """The ALTO file of a scan, inside its repository."""
    path = PurePosixPath(scan)
    if repository in LAYOUTS:
        return LAYOUTS[repository].format(stem=path.stem)
    return str(path.with_suffix(".xml"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("set", choices=SETS)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    kind = SETS[arguments.set]
    columns = (*kind.columns[:-1], *FACTS, kind.columns[-1])
    write_rows(kind.manifest, columns, manifest_rows(kind, arguments.folder))


if __name__ == "__main__":
    main()

"""Patches per second, agreement with scikit-image's Canny, and memory on a huge page.

    python benchmarks/patches.py [--data HANDS] [--every 10]

Speed is taken on a page of 3000×2000, all candidates in turn, against the plain way (decode once,
crop, the same Canny on every patch) and against one decode for every patch, as the published code
does it. Agreement is taken on patches of real pages, as they are and on a canvas with wide
margins, where patches of every fill occur. HANDS is a corpus; without it pages are drawn.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
import numpy as np
from PIL import Image
from skimage.feature import canny
from timing import side_by_side

from dgmp.corpora import open_corpus
from dgmp.pixels import binarize, cut_patches, read_image
from dgmp.pixels.patches import MIN_EDGES, SIZE, STRIDE, find_edges, patch_starts
from dgmp.sources import FileSource

RESULTS = Path(__file__).parent / "results" / "patches.md"


def drawn_page(width: int, height: int, seed: int = 0) -> np.ndarray:
    """Lines of short strokes and arcs, 76 pixels apart: about as many edges as writing has."""
    rng = np.random.default_rng(seed)
    page = np.full((height, width), 255, np.uint8)
    for base in range(76, height - 20, 76):
        for x in range(60, width - 60, 22):
            if rng.random() < 0.8:
                slope, top = int(rng.integers(0, 9)), int(rng.integers(22, 50))
                cv2.line(page, (x, base), (x + slope, base - top), 0, 4)
                cv2.ellipse(page, (x + 8, base - 14), (9, 13), 0, 180, 360, 0, 4)
    return page


def all_patches(page: np.ndarray) -> list[np.ndarray]:
    return [
        page[y : y + SIZE, x : x + SIZE]
        for y in patch_starts(len(page), SIZE, STRIDE)
        for x in patch_starts(page.shape[1], SIZE, STRIDE)
    ]


def ours(path: Path) -> int:
    return len(cut_patches(read_image(FileSource(path))))


def kept_patches(page: np.ndarray) -> list[np.ndarray]:
    return [p for p in all_patches(page) if cv2.countNonZero(find_edges(p)) > MIN_EDGES]


def plain(path: Path) -> int:
    return len(kept_patches(read_image(FileSource(path))))


def a_decode_per_patch(path: Path) -> int:
    kept = 0
    for number in range(len(all_patches(read_image(FileSource(path))))):
        patch = all_patches(read_image(FileSource(path)))[number]
        kept += cv2.countNonZero(find_edges(patch)) > MIN_EDGES
    return kept


def scikit_image(path: Path) -> int:
    return sum(
        int(canny(patch, sigma=3).sum() > MIN_EDGES)
        for patch in all_patches(read_image(FileSource(path)))
    )


def speed(folder: Path) -> list[str]:
    lines = [
        "| page of 3000×2000 | patches/s | times the plain way |",
        "|---|---|---|",
    ]
    for name, options in (("page.png", {}), ("page.jpg", {"quality": 85})):
        path = folder / name
        Image.fromarray(drawn_page(3000, 2000)).save(path, **options)
        number = ours(path)
        quick = side_by_side({"ours": lambda p=path: ours(p), "plain": lambda p=path: plain(p)})
        slow = side_by_side(
            {
                "a decode per patch": lambda p=path: a_decode_per_patch(p),
                "scikit-image on every patch": lambda p=path: scikit_image(p),
            },
            seconds=1,
            least=1,
        )
        for way, seconds in {**quick, **slow}.items():
            ratio = quick["plain"] / seconds
            lines.append(f"| {path.suffix[1:]}: {way} | {number / seconds:.0f} | {ratio:.2f} |")
    cached = binarize(read_image(FileSource(folder / "page.png")))
    once = side_by_side(
        {
            "ours": lambda: cut_patches(cached),
            "plain": lambda: kept_patches(cached),
        }
    )
    for way, seconds in once.items():
        ratio = once["plain"] / seconds
        lines.append(f"| decoded already: {way} | {number / seconds:.0f} | {ratio:.2f} |")
    return lines


def agreement(pages: list[np.ndarray]) -> list[str]:
    lines = [
        "| patches of | number | kept | same decision | edges, ours over theirs |",
        "|---|---|---|---|---|",
    ]
    sets = {
        "binarised pages": [binarize(page) for page in pages],
        "grey pages": pages,
        "binarised pages on a wide canvas": [
            np.pad(binarize(page), 350, constant_values=255) for page in pages
        ],
    }
    for name, chosen in sets.items():
        own, theirs = [], []
        for page in chosen:
            everything = cut_patches(page, min_edges=-1)
            own += everything.edges.tolist()
            theirs += [int(canny(patch, sigma=3).sum()) for patch in everything]
        a, b = np.array(own), np.array(theirs)
        same = np.mean((a > MIN_EDGES) == (b > MIN_EDGES))
        ratio = np.median(a[b > 500] / b[b > 500])
        lines.append(
            f"| {name} | {len(a)} | {np.mean(b > MIN_EDGES):.0%} | {same:.2%} | {ratio:.3f} |"
        )
    return lines


def memory(folder: Path) -> list[str]:
    path = folder / "huge.png"
    Image.fromarray(np.tile(drawn_page(2000, 1500), (10, 10))).convert("1").save(path)
    code = (
        "import sys; from pathlib import Path; import cv2, PIL.Image\n"
        "from dgmp.corpora import open_corpus; from dgmp.sources import FileSource\n"
        "from dgmp.pixels import cut_patches, prepare_page, read_image\n"
        "def peak():\n"
        "    status = Path('/proc/self/status').read_text()\n"
        "    return int(status.split('VmHWM:')[1].split()[0])\n"
        "start = peak(); page = read_image(FileSource(Path(sys.argv[1]))); read = peak()\n"
        "patches = cut_patches(page); cut = peak(); del page, patches\n"
        "(scan,) = open_corpus(sys.argv[1]).pages; patches = cut_patches(prepare_page(scan))\n"
        "print(len(patches), start, read, cut, peak())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    number, start, read, cut, end = (int(word) for word in done.stdout.split())
    return [
        f"A page of 20 000×15 000 (300 million pixels, {number} patches): the process takes "
        f"{start / 2**10:.0f} MiB before, {read / 2**10:.0f} MiB at most while reading, "
        f"{cut / 2**10:.0f} MiB at most after cutting; brought to scale and binarised before "
        f"(`prepare_page`) {end / 2**10:.0f} MiB. The page itself is 286 MiB.",
    ]


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--data", type=Path)
    options.add_argument("--every", type=int, default=10)
    chosen = options.parse_args()
    if chosen.data:
        pages = [read_image(p.source) for p in open_corpus(chosen.data).pages[:: chosen.every]]
    else:
        pages = [drawn_page(1104, 840, seed) for seed in range(4)]
    origin = f"{len(pages)} pages of `{chosen.data.name}`" if chosen.data else "drawn pages"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = ["# Patches", "", *speed(folder), "", *memory(folder), ""]
    lines += [
        f"OpenCV's Canny once per page against scikit-image's on every patch, {origin}:",
        "",
        *agreement(pages),
        "",
    ]
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text("\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()

"""What the attacks begin with: a folder of pages with everything around it, made in seconds."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from dgmp.cli import app

TRAINED = ("--set", "epochs=4", "--set", "epoch_steps=3", "--set", "batch=4",
           "--set", "classes_per_batch=2", "--set", "validation=0", "--set", "input.patch=64",
           "--set", "input.side=32", "--set", "input.min_edges=40",
           "--set", "input.preparation.canonical=None")  # fmt: skip
LEARNED = ("--steps", "6", "--set", "clusters=4", "--set", "patches=200",
           "--set", "cluster_size=10", "--set", "training.batch=16", "--set", "sift.most=200",
           "--set", "vlad.words=8", "--set", "vlad.vocabularies=2", "--set", "vlad.dim=16",
           )  # fmt: skip


@dataclass
class Outcome:
    """What was tried, and what went wrong with it."""

    name: str
    tried: int = 0
    wrong: list[str] = field(default_factory=list)
    right: int = 0  # runs that were let end and made what they should
    peak: int = 0  # MB that one process took
    said: str = ""

    def note(self, right: bool, what: str) -> None:
        self.tried += 1
        if not right:
            self.wrong.append(what)

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(
            self.name,
            self.tried + other.tried,
            self.wrong + other.wrong,
            self.right + other.right,
            max(self.peak, other.peak),
            other.said or self.said,
        )


def draw_page(path: Path, writer: int, page: int, width: int = 520, height: int = 640) -> None:
    """Rows of strokes whose slant is the writer's."""
    generator = np.random.default_rng([writer, page])
    image = Image.new("L", (width, height), 240)
    pen = ImageDraw.Draw(image)
    for line in range(50, height - 40, 40):
        for x in range(30, width - 40, 14):
            rise = int(generator.integers(10, 20))
            slant = writer * 3 + int(generator.integers(0, 3))
            pen.line((x, line, x + slant, line - rise), fill=20, width=2 + writer % 2)
            pen.arc((x, line - 8, x + 9, line + 2), 0, 200, fill=20, width=2)
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)


def make_ground(folder: Path, writers: int = 3, pages: int = 3) -> Path:
    """Scans with labels and layouts, a few small ones, a catalogue with hands, a trained run."""
    scans = folder / "scans"
    rows = ["file,writer,split"]
    for writer in range(writers):
        for page in range(pages):
            draw_page(scans / f"{writer}-{page}.png", writer, page)
            rows.append(f"{writer}-{page}.png,writer {writer},train")
    (scans / "labels.csv").write_text("\n".join(rows) + "\n")
    for writer in range(2):
        for page in range(2):
            draw_page(folder / "few" / f"{writer}-{page}.png", writer, page, 320, 280)
    (scans / "0-0.xml").write_text(
        '<PcGts><Page imageWidth="520" imageHeight="640"><TextRegion>'
        '<Coords points="20,20 500,20 500,620 20,620"/><TextLine><Baseline points="30,50 480,50"/>'
        '</TextLine><TextLine><Baseline points="30,90 480,90"/></TextLine></TextRegion>'
        "</Page></PcGts>"
    )
    for arguments in (
        ("describe", scans, "--catalogue", folder / "catalogue", "--workers", "0"),
        ("hands", folder / "catalogue", "--out", folder / "hands.json"),
        ("train", "writer-small", "--data", scans, "--out", folder / "run", *TRAINED),
    ):
        app([str(argument) for argument in arguments], standalone_mode=False)
    return folder


def ended_well(code: int, errors: str) -> str:
    """Nothing, or what is wrong with how a command ended."""
    if code < 0:
        return f"ended by signal {-code}"
    if code not in (0, 1, 2):
        return f"exit {code}"
    if "Traceback" in errors or "a bug of dgmp" in errors:
        return errors.strip().splitlines()[-1][:300]
    if code == 1 and not (errors.strip() and errors.strip().splitlines()[-1].startswith("dgmp: ")):
        return f"exit 1 without a line: {errors[-200:]!r}"
    return ""


def peak() -> int:
    """The most memory that this process has taken, in MB."""
    status = Path("/proc/self/status").read_text()  # getrusage counts the parent's until exec, too
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    return folder

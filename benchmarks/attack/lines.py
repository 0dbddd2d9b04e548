"""Wrong command lines: every option of every command with values that make no sense.

Each must end by itself with 0, 1 and one line, or 2; nothing else may reach the user.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from ground import LEARNED, TRAINED, Outcome, ended_well, peak
from typer.main import get_command
from typer.testing import CliRunner

from dgmp.cli import app

SECONDS = 120
FIXED = {"view": ["--port", "70000"]}  # never serves
SLOW = ("demo", "reproduce")  # only ever with a place or a name that cannot be


def places(folder: Path) -> list[str]:
    """Values that are no good, most of them as paths."""
    here = folder / "places"
    if not here.exists():
        here.mkdir()
        (here / "file").write_text("text")
        (here / "loop").symlink_to("loop")
        (here / "empty").mkdir()
        os.mkfifo(here / "pipe.csv")
        for name, content in {
            "nul.csv": b"file,writer\na\0.png,b", "cr.csv": b"file,writer\ra.png,b\r",
            "wide.csv": b"file,writer\n" + b"y" * 140_000, "half.csv": b'file,"writer\n',
            "utf16.csv": "file,writer\na.png,b\n".encode("utf-16"), "deep.json": b"[" * 100_000,
            "bad.json": b"{", "bad.png": b"\x89PNG\r\n", "bad.pdf": b"%PDF-1.4", "bad.py": b"1/0",
        }.items():  # fmt: skip
            (here / name).write_bytes(content)
    bare = ["", " ", "-1", "0", "nan", "inf", "1e999", "9" * 30, "\x1b[31m", "ρ", "a" * 300, "..",
            "/dev/null", "/dev/full", "/proc/self/mem", "/nowhere/at/all", "https://", "file:///",
            "http://127.0.0.1:9/x", "=", "a=b", "epochs=-1", "x.png", "x.csv", "x.json", "x.npz",
            "--help=1", "\udcff.png", "%s{}", "None", "true"]  # fmt: skip
    return bare + [str(path) for path in sorted(here.iterdir())]


def command_lines(
    ground: Path, folder: Path, generator: np.random.Generator
) -> Iterator[list[str]]:
    """Endless: a command that would go well, with one to three of its words replaced."""
    scans, catalogue, run, page = (
        str(ground / name) for name in ("scans", "catalogue", "run", "scans/0-0.png")
    )
    new = str(folder / "new")
    good = {
        "synth": [new, "--writers", "2", "--pages", "1"],
        "corpus": [scans, "--out", f"{new}.png"],
        "train": ["writer-small", "--data", scans, "--out", run, *TRAINED],
        "learn": [scans, "--out", f"{new}-learned", *LEARNED],
        "calibrate": [run, scans],
        "evaluate": [scans, "--describer", run],
        "describe": [scans, "--catalogue", catalogue, "--workers", "0"],
        "search": [catalogue, page],
        "hands": [catalogue, "--out", f"{new}.csv"],
        "spot": [catalogue, "word", "--model", run],
        "view": [catalogue],
        "classify": [page, "--model", run],
        "explain": [page, page, "--catalogue", catalogue, "--out", f"{new}.png"],
        "export": [run, "--out", f"{new}.onnx"],
        "reproduce": ["--data", scans],
        "demo": ["--out", new],
    }
    bad = places(folder)
    commands: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]
    options = {
        name: [opt for each in command.params for opt in each.opts if opt.startswith("-")]
        for name, command in commands.items()
    }
    names = [name for name in commands if name in good]
    while True:
        name = names[int(generator.integers(len(names)))]
        words = list(good[name])
        for _ in range(int(generator.choice([1, 1, 2, 3]))):
            value = bad[int(generator.integers(len(bad)))]
            place = int(generator.integers(len(words) + 1))
            kind = generator.integers(4)
            if kind == 0 and place < len(words):
                words[place] = value
            elif kind == 1 and place < len(words):
                del words[place]
            elif kind == 2 or not options[name]:
                words.insert(place, value)
            else:
                words += [options[name][int(generator.integers(len(options[name])))], value]
        if name in SLOW:
            words += ["--out", "/dev/null/x"]
        yield [name, *words, *FIXED.get(name, [])]


class _TooLong(BaseException):
    pass


def _alarm(*_: object) -> None:
    raise _TooLong


def attack(ground: Path, folder: Path, number: int, seed: int = 0) -> Outcome:
    """So many command lines in this process."""
    outcome = Outcome("wrong command lines")
    generator = np.random.default_rng(seed)
    lines = command_lines(ground, folder, generator)
    before = Path.cwd()
    os.chdir(folder)
    signal.signal(signal.SIGALRM, _alarm)
    try:
        for _ in range(number):
            line = next(lines)
            signal.alarm(SECONDS)
            try:
                result = CliRunner().invoke(app, line)
                wrong = ended_well(result.exit_code, result.stderr)
                if result.exception and not isinstance(result.exception, SystemExit):
                    wrong = f"{type(result.exception).__name__}: {result.exception}"
            except _TooLong:
                wrong = f"takes more than {SECONDS} s"
            finally:
                signal.alarm(0)
            outcome.note(not wrong, f"dgmp {' '.join(map(repr, line))[:300]} -> {wrong[:300]}")
    finally:
        os.chdir(before)
    outcome.peak = peak()
    return outcome

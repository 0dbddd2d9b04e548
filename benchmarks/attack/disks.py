"""A disk that is full at every write, and two writers at once."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from ground import TRAINED, Outcome, emptied, ended_well, started
from kills import digest, rows

from dgmp.catalogue import is_catalogue

STEP = 16 * 1024  # bytes by which the disk grows
MOST = 200  # steps


def attack_disks(ground: Path, folder: Path, steps: int = MOST) -> Iterator[Outcome]:
    """Each command on a small disk that grows until the command succeeds."""
    disk = folder / "disk"
    disk.mkdir(exist_ok=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={STEP}", "tmpfs", str(disk)], capture_output=True
    )
    if mounted.returncode:
        yield Outcome("full disks", said="not tried: no right to mount a small disk")
        return
    scans = ground / "scans"
    commands: dict[str, tuple[object, ...]] = {
        "corpus": ("corpus", scans, "--out", disk / "contact.png"),
        "hands": ("hands", ground / "catalogue", "--out", disk / "hands.csv",
                  "--sheet", disk / "hands.png"),
        "describe": ("describe", scans, "--catalogue", disk / "catalogue", "--workers", "0"),
        "train": ("train", "writer-small", "--data", scans, "--out", disk / "run", *TRAINED),
    }  # fmt: skip
    try:
        for name, arguments in commands.items():
            outcome = Outcome(f"full disks, {name}")
            for path in disk.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            size, code = STEP, 1
            for _ in range(steps):
                _resize(disk, size)
                process = started(*arguments)
                _, errors = process.communicate(timeout=600)
                code = process.returncode
                wrong = ended_well(code, errors)
                pictures = [*disk.glob("*.png"), *disk.glob("*.csv")]
                if any(not path.stat().st_size for path in pictures):
                    wrong = wrong or "left an empty file"
                outcome.note(not wrong, f"{size // 1024} KiB: {wrong}")
                if code == 0:
                    break
                size += STEP if name != "train" else 8 * STEP
            if code:
                outcome.wrong.append(f"did not end well with {size // 1024} KiB")
            elif name == "describe" and rows(disk / "catalogue") != rows(ground / "catalogue"):
                outcome.wrong.append("other rows than with room enough")
            elif name == "train":
                same = digest(disk / "run" / "model.safetensors") == digest(
                    ground / "run" / "model.safetensors"
                )
                outcome.note(same, "another model than with room enough")
            outcome.said = f"went well with {size // 1024} KiB"
            yield outcome
    finally:
        subprocess.run(["umount", str(disk)], check=False)


def _resize(disk: Path, size: int) -> None:
    command = ["mount", "-o", f"remount,size={size}", str(disk)]
    subprocess.run(command, check=True, capture_output=True)


def attack_twice(ground: Path, folder: Path, times: int) -> Outcome:
    """Two describe at once into one catalogue: both go well, or one is refused in a line."""
    outcome = Outcome("two writers at once")
    right, refused = rows(ground / "catalogue"), 0
    for _ in range(times):
        catalogue = emptied(folder / "both")
        arguments = (
            "describe",
            ground / "scans",
            "--catalogue",
            catalogue,
            "--workers",
            "0",
        )
        both = [started(*arguments), started(*arguments)]
        ends = [(process, process.communicate()[1]) for process in both]
        wrong = [ended_well(process.returncode, errors) for process, errors in ends]
        refused += sum(process.returncode == 1 for process in both)
        if all(process.returncode for process in both):
            wrong.append("both were refused")
        elif not is_catalogue(catalogue) or rows(catalogue) != right:
            wrong.append("other rows than one writer makes")
        outcome.note(not any(wrong), "; ".join(filter(None, wrong)))
    outcome.said = f"{refused} refused in one line"
    return outcome

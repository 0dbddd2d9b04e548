"""A disk that is full at every write, and two writers at once."""

from __future__ import annotations

import subprocess
from pathlib import Path

from forking import Nursery
from ground import TRAINED, Outcome, emptied, ended_well
from kills import digest, rows

from dgmp.catalogue import is_catalogue

STEPS = {"corpus": 8, "hands": 8, "describe": 16, "train": 256}  # KiB by which the disk grows
MOST = 200  # steps


def attack_disk(
    name: str, ground: Path, folder: Path, nursery: Nursery, steps: int = MOST
) -> Outcome:
    """A command on a small disk that grows until the command succeeds."""
    outcome = Outcome(f"full disks, {name}")
    disk, step = folder / "disk", STEPS[name]
    disk.mkdir(exist_ok=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={step}k", "tmpfs", str(disk)], capture_output=True
    )
    if mounted.returncode:
        outcome.said = "not tried: no right to mount a small disk"
        return outcome
    try:
        _grow(name, ground, disk, nursery, outcome, [step * n for n in range(1, steps + 1)])
    finally:
        subprocess.run(["umount", str(disk)], check=False)
    return outcome


def _grow(
    name: str, ground: Path, disk: Path, nursery: Nursery, outcome: Outcome, sizes: list[int]
) -> None:
    scans = ground / "scans"
    arguments: tuple[object, ...] = {
        "corpus": ("corpus", scans, "--out", disk / "contact.png"),
        "hands": ("hands", ground / "catalogue", "--out", disk / "hands.csv",
                  "--sheet", disk / "hands.png"),
        "describe": ("describe", scans, "--catalogue", disk / "catalogue", "--workers", "0"),
        "train": ("train", "writer-small", "--data", scans, "--out", disk / "run", *TRAINED),
    }[name]  # fmt: skip
    for size in sizes:
        command = ["mount", "-o", f"remount,size={size}k", str(disk)]
        subprocess.run(command, check=True, capture_output=True)
        ended = nursery.run(*arguments, kill_after=600)
        outcome.peak = max(outcome.peak, ended.peak)
        wrong = ended_well(ended.code, ended.errors)
        if any(not path.stat().st_size for path in [*disk.glob("*.png"), *disk.glob("*.csv")]):
            wrong = wrong or "left an empty file"
        outcome.note(not wrong, f"{size} KiB: {wrong}")
        if ended.code == 0:
            break
    else:
        outcome.wrong.append(f"did not end well with {sizes[-1]} KiB")
        return
    outcome.right, outcome.said = 1, f"went well with {size} KiB"
    if name == "describe" and rows(disk / "catalogue") != rows(ground / "catalogue"):
        outcome.wrong.append("other rows than with room enough")
    models = [place / "run" / "model.safetensors" for place in (disk, ground)]
    if name == "train" and len({digest(model) for model in models}) > 1:
        outcome.wrong.append("another model than with room enough")


def attack_twice(
    ground: Path, folder: Path, nurseries: tuple[Nursery, Nursery], times: int
) -> Outcome:
    """Two describe at once into one catalogue: both go well, or one is refused in a line."""
    outcome = Outcome("two writers at once")
    right, refused = rows(ground / "catalogue"), 0
    for _ in range(times):
        catalogue = emptied(folder / "both")
        for nursery in nurseries:
            nursery.begin("describe", ground / "scans", "--catalogue", catalogue, "--workers", "0")
        both = [nursery.end() for nursery in nurseries]
        wrong = [ended_well(ended.code, ended.errors) for ended in both]
        refused += sum(ended.code == 1 for ended in both)
        if all(ended.code for ended in both):
            wrong.append("both were refused")
        elif not is_catalogue(catalogue) or rows(catalogue) != right:
            wrong.append("other rows than one writer makes")
        outcome.note(not any(wrong), "; ".join(filter(None, wrong)))
        outcome.peak = max(outcome.peak, *(ended.peak for ended in both))
    outcome.said = f"{refused} refused in one line"
    return outcome

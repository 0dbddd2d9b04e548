"""``dgmp demo``: the story in six minutes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from ...errors import DgmpError


def demo(
    out: Annotated[
        Path, typer.Option(help="Folder for pages, runs and report; one begun earlier goes on.")
    ] = Path("demo"),
) -> None:
    """Train on synthetic writers, test on unseen ones, and write a report."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DgmpError(f"cannot use --out {out} as a folder: {error.strerror}") from error
    if not os.access(out, os.W_OK):
        raise DgmpError(f"cannot write to the folder --out {out}")

    from ...demo import DemoPlan, make_demo
    from ...training import Watchers
    from ..progress import stages

    plan = DemoPlan()
    pages = sum(one.writers * one.pages for one in plan.corpora.values())
    with stages(pages) as watchers:
        report, told = make_demo(out, plan, Watchers(*watchers))
    for name, scores in told.scores.items():
        print(f"{name:28} mAP {scores.map:.3f}  top-1 {scores.top(1):.3f} on unseen writers")
    print(f"{'scripts':28} accuracy {told.script_scores.accuracy:.3f} on unseen writers")
    print(f"report: {report}")

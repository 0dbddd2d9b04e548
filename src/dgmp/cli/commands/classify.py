"""``dgmp classify``: the script of pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ..options import AsJsonLines, Binarize, Device, print_json, say


def classify(
    pages: Annotated[
        list[Path], Argument(metavar="PAGE...", help="Pictures, or folders of pictures.")
    ],
    model: Annotated[
        Path, Option(help="The folder of a run that learned scripts, or of a saved classifier.")
    ],
    binarize: Binarize = None,
    device: Device = "auto",
    as_json: AsJsonLines = False,
) -> None:
    """Say how probable each script is for every PAGE."""
    from ...tasks import classify as classify_pages
    from ..progress import page_bars

    with page_bars() as stage:
        named = classify_pages(pages, model, binarization=binarize, device=device, stage=stage)
    for name, reason in named.failures:
        say(f"left out: {name}: {reason}")
    classes = named.classes
    found = list(zip(named.pages, named.probabilities, strict=True))
    if as_json:
        for page, shares in found:
            order = shares.argsort(kind="stable")[::-1]
            probabilities = {classes[n]: round(float(shares[n]), 6) for n in order}
            answer = {"page": page.id, "script": classes[order[0]], "probabilities": probabilities}
            print_json(answer)
        return
    width = max(len(page.id) for page, _ in found)
    for page, shares in found:
        best = shares.argsort(kind="stable")[::-1][:3]
        likely = "  ".join(f"{classes[n]} {100 * shares[n]:.1f} %" for n in best)
        print(f"{page.id:{width}}  {likely}")

"""``dgmp classify``: the script of pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ..options import AsJsonLines, Binarize, Device, Sizes, parse_sizes, print_json, say


def classify(
    pages: Annotated[
        list[Path], Argument(metavar="PAGE...", help="Pictures, or folders of pictures.")
    ],
    model: Annotated[
        Path, Option(help="The folder of a run that learned scripts, or of a saved classifier.")
    ],
    together: Annotated[
        bool,
        Option("--together", help="The pages of a folder or PDF are one manuscript in one script."),
    ] = False,
    sizes: Sizes = "1",
    binarize: Binarize = None,
    device: Device = "auto",
    as_json: AsJsonLines = False,
) -> None:
    """Say how probable each script is for every PAGE."""
    from ...tasks import classify as classify_pages
    from ..progress import page_bars

    with page_bars() as stage:
        named = classify_pages(
            pages,
            model,
            sizes=parse_sizes(sizes),
            together=together,
            binarization=binarize,
            device=device,
            stage=stage,
        )
    for name, reason in named.failures:
        say(f"left out: {name}: {reason}")
    classes = named.classes
    found = list(zip(named.pages, named.probabilities, named.named, strict=True))
    if as_json:
        for page, shares, script in found:
            order = shares.argsort(kind="stable")[::-1]
            probabilities = {classes[n]: round(float(shares[n]), 6) for n in order}
            print_json({"page": page.id, "script": script, "probabilities": probabilities})
        return
    width = max(len(page.id) for page in named.pages)
    for page, shares, script in found:
        best = shares.argsort(kind="stable")[::-1][:3]
        likely = "  ".join(f"{classes[n]} {100 * shares[n]:.1f} %" for n in best)
        unsure = "" if script is not None else "cannot say: "
        print(f"{page.id:{width}}  {unsure}{likely}")

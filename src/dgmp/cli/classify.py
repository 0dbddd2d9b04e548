"""``dgmp classify``: the script of pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from .options import AsJson, Binarize, Device, say


def classify(
    pages: Annotated[
        list[Path], Argument(metavar="PAGE...", help="Pictures, or folders of pictures.")
    ],
    model: Annotated[Path, Option(help="The folder of a run that learned scripts.")],
    binarize: Binarize = None,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Say how probable each script is for every PAGE."""
    import json

    from ..describe import load_network
    from ..describe.classifying import classify_pages
    from ..describe.learned import find_device, script_classes
    from ..errors import CorpusError
    from .corpora import loose_pages
    from .progress import page_bar

    network = load_network(model)
    classes = script_classes(network)
    network.network.to(find_device(device))
    found = loose_pages(pages)
    with page_bar("classifying pages", len(found)) as done:
        named, failures = classify_pages(found, network, binarization=binarize, progress=done)
    for name, reason in failures:
        say(f"left out: {name}: {reason}")
    if not named:
        raise CorpusError("no page could be classified")
    if as_json:
        for page, shares in named:
            order = shares.argsort(kind="stable")[::-1]
            probabilities = {classes[n]: round(float(shares[n]), 6) for n in order}
            answer = {"page": page.id, "script": classes[order[0]], "probabilities": probabilities}
            print(json.dumps(answer, ensure_ascii=False))
        return
    width = max(len(page.id) for page, _ in named)
    for page, shares in named:
        best = shares.argsort(kind="stable")[::-1][:3]
        likely = "  ".join(f"{classes[n]} {100 * shares[n]:.1f} %" for n in best)
        print(f"{page.id:{width}}  {likely}")

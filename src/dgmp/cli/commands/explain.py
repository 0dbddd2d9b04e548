"""``dgmp explain``: where on a page its descriptor comes from, and what makes two pages alike."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, BadParameter, Option

from ..options import AsJson, Device, print_json

if TYPE_CHECKING:
    from ...tasks import Comparison, Explanation, PiecePair


def explain(
    page: Annotated[str, Argument(help="A picture of a page; with --catalogue, a page of it.")],
    out: Annotated[Path, Option(help="Where the picture goes, PNG.")],
    other: Annotated[
        str | None, Argument(help="Another page: show what makes the two alike.")
    ] = None,
    describer: Annotated[
        str | None, Option(help="The folder of a run: explain its network.")
    ] = None,
    catalogue: Annotated[
        str | None,
        Option(
            metavar="DIR",
            help="What dgmp describe made: show the pieces that make two of its pages alike.",
        ),
    ] = None,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Draw what makes PAGE like OTHER, or the weights of generalized max pooling on PAGE."""
    if (describer is None) == (catalogue is None):
        raise BadParameter("give --describer or --catalogue, and not both")
    if catalogue is not None:
        if other is None:
            raise BadParameter("--catalogue needs two pages of it")
        from ...tasks import compare

        compared = compare(catalogue, page, other, sheet=out)
        answer = _compared(compared, out)
        sentence = f"cosine {compared.cosine:.4f}{_sure(compared)}: {out}"
    else:
        from ...tasks import explain as explain_pages

        assert describer is not None
        found = explain_pages(page, describer, out, other=other, device=device)
        answer = _explained(found, out)
        sentence = str(out) if found.cosine is None else f"cosine {found.cosine:.4f}: {out}"
    if as_json:
        print_json(answer)
    else:
        print(sentence)


def _sure(found: Comparison) -> str:
    if not found.enough_writing:
        return ", too little writing for a probability"
    return "" if found.probability is None else f", probability of one hand {found.probability:.0%}"


def _compared(found: Comparison, out: Path) -> dict[str, Any]:
    return {
        "cosine": found.cosine,
        "probability": found.probability,
        "likelihood_ratio": found.likelihood_ratio,
        "enough_writing": found.enough_writing,
        "picture": str(out),
        "pages": [found.first.id, found.second.id],
        "same": [_pair(pair) for pair in found.same],
        "against": [_pair(pair) for pair in found.against],
        "rest": found.rest,
        "whole": found.whole,
        "rounding": found.rounding,
    }


def _pair(pair: PiecePair) -> dict[str, Any]:
    boxes = [[round(edge, 1) for edge in region.bounds] for region in (pair.first, pair.second)]
    return {"boxes": boxes, "share": pair.share}


def _explained(found: Explanation, out: Path) -> dict[str, Any]:
    answer: dict[str, Any] = {"cosine": found.cosine}
    if found.cosine is None:
        answer = {"negative": float((found.values[0] < 0).mean())}
    answer["picture"] = str(out)
    answer["pages"] = [
        {
            "page": each.image.page.id,
            "patches": len(each.rectangles),
            "positions": int(values.size),
            "strongest": [
                {"box": [round(edge, 1) for edge in region.bounds], "value": region.value}
                for region in each.strongest(values)
            ],
        }
        for each, values in zip(found.pages, found.values, strict=True)
    ]
    return answer

"""``dgmp explain``: where on a page its descriptor comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from ..options import AsJson, Device, NameOrRun


def explain(
    page: Annotated[Path, Argument(help="A picture of a page.")],
    describer: NameOrRun,
    out: Annotated[Path, Option(help="Where the picture goes, PNG.")],
    other: Annotated[
        Path | None, Argument(help="Another page: show what makes the two alike.")
    ] = None,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Draw the weights of generalized max pooling on PAGE, or what makes it like OTHER."""
    import json

    from ...tasks import explain as explain_pages

    found = explain_pages(page, describer, out, other=other, device=device)
    if not as_json:
        print(out if found.cosine is None else f"cosine {found.cosine:.4f}: {out}")
        return
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
    print(json.dumps(answer, ensure_ascii=False))

"""``dgmp explain``: where on a page its descriptor comes from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from .options import AsJson, Device, NameOrRun

if TYPE_CHECKING:
    from ..describe.explain import ExplainedPage, Floats


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

    from ..corpora import prepare_page
    from ..describe import load_network
    from ..describe.explain import explain_page
    from ..describe.heat import draw_likeness, draw_weights
    from ..describe.learned import LearnedDescriber
    from ..files import check_place
    from .corpora import one_page

    check_place(out)
    learned = LearnedDescriber(load_network(describer), device=device)
    explained = [
        explain_page(learned, prepare_page(one_page(path), learned.preparation))
        for path in (page, other)
        if path is not None
    ]
    if len(explained) == 1:
        (one,) = explained
        draw_weights(one, out)
        weights = one.relative_weights
        answer: dict[str, Any] = {"negative": float((weights < 0).mean())}
        parts = [weights]
    else:
        one, two = explained
        draw_likeness(one, two, out)
        answer = {"cosine": float(one.vector @ two.vector)}
        parts = [one.contributions(two.vector), two.contributions(one.vector)]
    answer["picture"] = str(out)
    answer["pages"] = [
        _as_json(path, each, values)
        for path, each, values in zip((page, other), explained, parts, strict=False)
    ]
    if as_json:
        print(json.dumps(answer, ensure_ascii=False))
    elif "cosine" in answer:
        print(f"cosine {answer['cosine']:.4f}: {out}")
    else:
        print(out)


def _as_json(path: Path | None, explained: ExplainedPage, values: Floats) -> dict[str, Any]:
    return {
        "page": str(path),
        "squares": len(explained.boxes),
        "positions": int(values.size),
        "strongest": [
            {"box": [round(float(edge), 1) for edge in box], "value": value}
            for box, value in explained.strongest(values)
        ],
    }

"""``dgmp export``: a trained network as an ONNX file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ..options import AsJson, print_json, say


def export(
    run: Annotated[Path, Argument(help="The folder of a run or of a saved model.")],
    out: Annotated[
        Path | None, Option(help="The file to write; model.onnx in the run, if not given.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the network of RUN as ONNX, checked against PyTorch, all preprocessing inside."""
    from ...tasks import export as export_run

    path, about = export_run(run, out)
    if as_json:
        print_json({"file": str(path), **about})
    else:
        say(f"onnxruntime and PyTorch agree; {path.stat().st_size / 1e6:.1f} MB")
        print(path)

"""A trained model as an ONNX file that says itself how pages are prepared for it.

The graph takes standardised patches (patches, 1, side, side) and gives one unit vector, or the
probabilities of the classes, per patch; a page is the mean over its patches, of unit length again
where it is a vector. What a patch is stands in the file's metadata, as JSON under ``dgmp``.
"""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from ..describers import as_standardization, load_network
from ..files import check_place
from ..models import Backbone, TrainedModel
from ..pooling import unit_length

METADATA = "dgmp"  # the key under which the JSON lies


def export(run: Path | str, out: Path | str | None = None) -> tuple[Path, dict[str, Any]]:
    """Write the network of a run as ONNX, by default into its folder; also gives its metadata."""
    out = Path(run) / "model.onnx" if out is None else Path(out)
    model = load_network(run)
    check_place(out)
    return out, export_model(model, out)


def export_model(model: TrainedModel, path: Path | str) -> dict[str, Any]:
    """Write a model, after onnxruntime gave the numbers of PyTorch; returns its metadata."""
    from ..pooling import export_onnx  # needs an extra, as nothing else here does

    as_standardization(model)
    gives = "vector" if model.classes is None else "probabilities"
    about = {**model.describe(), "gives": gives}
    side = model.input.side
    # Noise of the right mean and spread: random weights and blank patches pool to nothing.
    patches = torch.randn(2, 1, side, side, generator=torch.Generator().manual_seed(0))
    network = model.network.cpu()
    with _silent_exporter():
        export_onnx(
            _Finished(network).eval(),
            Path(path),
            patches,
            metadata={METADATA: json.dumps(about, ensure_ascii=False)},
        )
    return about


@contextmanager
def _silent_exporter() -> Iterator[None]:
    """Without what torch's exporter says about itself and packages nobody needs here."""
    logger = logging.getLogger("torch.onnx")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)


class _Finished(nn.Module):
    """The network up to what is averaged over the patches of a page."""

    def __init__(self, network: Backbone) -> None:
        super().__init__()
        self.network = network

    def forward(self, patches: Tensor) -> Tensor:
        found = self.network(patches)
        return unit_length(found) if self.network.fc is None else found.softmax(dim=1)

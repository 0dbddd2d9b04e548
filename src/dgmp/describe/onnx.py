"""A trained model as an ONNX file that says itself how pages are prepared for it.

The graph takes standardised squares (squares, 1, side, side) and gives one unit vector, or the
probabilities of the classes, per square; a page is the mean over its squares, of unit length again
where it is a vector. What a square is stands in the file's metadata, as JSON under ``dgmp``.
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

from ..models import TrainedModel
from ..models.backbone import Backbone
from ..pooling.layer import unit_length
from .learned import as_standardization

METADATA = "dgmp"  # the key under which the JSON lies


def export_model(model: TrainedModel, path: Path | str) -> dict[str, Any]:
    """Write a model, after onnxruntime gave the numbers of PyTorch; returns its metadata."""
    from ..pooling.export import export_onnx

    as_standardization(model)
    gives = "vector" if model.classes is None else "probabilities"
    about = {**model.describe(), "gives": gives}
    side = model.input.side
    # Noise of the right mean and spread: random weights and blank squares pool to nothing.
    squares = torch.randn(2, 1, side, side, generator=torch.Generator().manual_seed(0))
    network = model.network.cpu()
    with _silent_exporter():
        export_onnx(
            _Finished(network).eval(),
            Path(path),
            squares,
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
    """The network up to what is averaged over the squares of a page."""

    def __init__(self, network: Backbone) -> None:
        super().__init__()
        self.network = network

    def forward(self, squares: Tensor) -> Tensor:
        found = self.network(squares)
        return unit_length(found) if self.network.fc is None else found.softmax(dim=1)

"""ONNX files of the layer, alone or inside a network, masks included. Needs ``dgmp[export]``.

Batch, height and width stay free; how the solver gets into the graph stands in
:mod:`dgmp.pooling.onnx_ridge`.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from ..errors import DgmpError
from ..files import replacing
from ..names import need

onnxruntime = need("onnxruntime")
need("onnxscript")
from .onnx_ridge import OPSET, ridge_pool  # noqa: E402

TOLERANCE = 1e-4  # largest difference from PyTorch, relative to the largest value, that is written


def export_onnx(
    model: nn.Module, path: Path, *inputs: Tensor, metadata: Mapping[str, str] | None = None
) -> None:
    """Write ``model`` as an ONNX file that takes any batch, height and width.

    ``inputs`` are examples of what the model is called with: ``features`` (B, C, *positions) for
    a pooling or ``images`` (B, C, H, W) for a network, and optionally the attention or mask
    (B, *positions) that goes with them; a model exported with a mask needs one whenever it runs.
    The model is exported in eval mode. Before the file is written the graph is run by onnxruntime
    and compared with PyTorch, on the examples and on a batch one larger. ``metadata`` goes into
    the file beside the graph (``metadata_props``).
    """
    if not 1 <= len(inputs) <= 2:
        raise ValueError(
            f"inputs must be features or images, and perhaps a mask: got {len(inputs)}"
        )
    was_training = model.training
    model.eval()
    try:
        program = torch.onnx.export(
            model,
            inputs,
            dynamo=True,
            opset_version=OPSET,
            dynamic_shapes=tuple(_free_axes(len(inputs), i, x.ndim) for i, x in enumerate(inputs)),
            input_names=["features", "attention"][: len(inputs)],
            output_names=["pooled"],
            custom_translation_table=onnx_translations(),
            verbose=False,
        )
        assert program is not None
        proto = program.model_proto
        for key, value in (metadata or {}).items():
            proto.metadata_props.add(key=key, value=value)
        serialized = proto.SerializeToString()
        one_larger = tuple(torch.cat([x, x[:1]]) for x in inputs)
        for batch in (inputs, one_larger):
            _compare(model, serialized, batch, path)
    finally:
        model.train(was_training)
    with replacing(Path(path)) as beside:
        beside.write_bytes(serialized)


def onnx_translations() -> dict[Callable[..., object], Callable[..., object]]:
    """The ``custom_translation_table`` with which ``torch.onnx.export`` knows the layer."""
    return {torch.ops.dgmp.ridge_pool.default: ridge_pool}


def _free_axes(number: int, index: int, axes: int) -> dict[int, object]:
    """All axes but the channels of the first input; the sizes of a mask follow from its image."""
    free = torch.export.Dim.DYNAMIC if number == 1 else torch.export.Dim.AUTO
    return {axis: free for axis in range(axes) if not (index == 0 and axis == 1)}


def _compare(model: nn.Module, serialized: bytes, batch: tuple[Tensor, ...], path: Path) -> None:
    session = onnxruntime.InferenceSession(serialized, providers=["CPUExecutionProvider"])
    names = [entry.name for entry in session.get_inputs()]
    feed = {name: x.detach().cpu().numpy() for name, x in zip(names, batch, strict=True)}
    theirs = torch.from_numpy(session.run(None, feed)[0])
    with torch.no_grad():
        ours = model(*batch).cpu()
    difference = ((theirs - ours).abs().max() / ours.abs().max().clamp_min(1e-30)).item()
    if not difference <= TOLERANCE:
        raise DgmpError(
            f"{path} was not written: onnxruntime differs from PyTorch by {difference:.1e} of the "
            f"largest value, at most {TOLERANCE:.0e} is allowed; do all features come out finite?"
        )

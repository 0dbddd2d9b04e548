"""ONNX files run beside PyTorch, for the tests of the export and of its operator."""

from functools import cache

import onnxruntime
import torch


@cache  # no test writes a file twice
def opened(path):
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def run(path, *inputs):
    session = opened(path)
    names = [entry.name for entry in session.get_inputs()]
    feed = {name: x.numpy() for name, x in zip(names, inputs, strict=True)}
    return torch.from_numpy(session.run(None, feed)[0])


def maps(batch, height, width, channels=24):
    generator = torch.Generator().manual_seed(height)
    return torch.randn(batch, channels, height, width, generator=generator).relu()


def worst(path, model, *inputs):
    with torch.no_grad():
        ours = model(*inputs)
    return ((run(path, *inputs) - ours).abs().max() / ours.abs().max()).item()

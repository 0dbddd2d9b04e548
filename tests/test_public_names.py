"""Every public name is documented, every room lists what it offers, and all of it is there."""

import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest

import dgmp

MODULES = [
    module.name
    for module in pkgutil.walk_packages(dgmp.__path__, "dgmp.")
    if not module.name.rpartition(".")[2].startswith("_")
]
ROOMS = sorted(module.name for module in pkgutil.iter_modules(dgmp.__path__) if module.ispkg)


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


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_lists_what_it_offers(room):
    module = importlib.import_module(f"dgmp.{room}")
    assert len(module.__all__) == len(set(module.__all__))
    for name in module.__all__:
        assert hasattr(module, name), f"dgmp.{room} does not have {name}"


@pytest.mark.parametrize("name", dgmp.__all__)
def test_every_name_of_the_package_is_found(name):
    assert getattr(dgmp, name) is not None


def test_a_name_that_the_package_does_not_have_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'dgmp' has no attribute 'generalised'"):
        dgmp.generalised  # noqa: B018


def test_the_tasks_that_need_no_network_are_imported_without_torch():
    tasks = "classify, compare, describe, evaluate, group, search, survey"
    code = f"import sys; from dgmp.tasks import {tasks}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

"""Poolings, backbones, describers, recipes and loggers of other packages, by name.

A package offers one by an entry point (group ``dgmp.poolings``, ``dgmp.backbones``,
``dgmp.describers``, ``dgmp.recipes`` or ``dgmp.loggers``); its name is then used like one of
dgmp's own, which it cannot take the place of. Code without an entry point is named
``package.module:Name``.

Names also stand in files that others have made: models, catalogues. A name in a file never makes
dgmp import a module, unless it is an entry point that you have installed, or you have named it
yourself: on the command line, in the environment variable ``DGMP_PLUGINS``, or by :func:`allow`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points, packages_distributions, version
from typing import Any

from .errors import DgmpError, MissingPlugin
from .names import unknown

ALLOWED = "DGMP_PLUGINS"  # in the environment, so that processes begun by this one know them too
REFERENCE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


def allow(words: Iterable[str]) -> None:
    """Let names of the form ``package.module:Name`` among these words be imported when used."""
    parts = [word.rpartition("=")[2] for word in words]
    named = [part for part in parts if REFERENCE.fullmatch(part)]
    if named:
        os.environ[ALLOWED] = " ".join(dict.fromkeys([*_allowed(), *named]))


def find(name: str, own: Mapping[str, Any], what: str) -> Any:
    """What is called ``name``: one of dgmp's ``own``, or a plug-in; ``what`` names such one."""
    if name in own:
        return own[name]
    if (entry := _entry(name, what)) is not None:
        return _loaded(entry, what)
    if REFERENCE.fullmatch(name) is None:
        raise unknown(name, [*own, *installed(what)], what)
    if name not in _allowed():
        module = name.partition(":")[0]
        raise MissingPlugin(
            f"the {what} {name!r} is code outside dgmp, and is imported only if you name it: "
            f"--plugin {name} on the command line, or dgmp.plugins.allow([{name!r}]), if you trust "
            f"the module {module}"
        )
    return _loaded(EntryPoint(name, name, f"dgmp.{what}s"), what)


def installed(what: str) -> list[str]:
    """The names of the plug-ins that packages offer by entry points."""
    return sorted({entry.name for entry in entry_points(group=f"dgmp.{what}s")})


def is_plugin(name: str, what: str) -> bool:
    """Whether this is the name of an installed plug-in or has the form of one."""
    return REFERENCE.fullmatch(name) is not None or _entry(name, what) is not None


def package_of(name: str, own: Mapping[str, Any], what: str) -> str | None:
    """The package that a plug-in comes from, as ``name version``; ``None`` for dgmp's own."""
    if name in own:
        return None
    entry = _entry(name, what)
    if entry is not None and entry.dist is not None:
        return f"{entry.dist.name} {entry.dist.version}"
    top = name.partition(":")[0].partition(".")[0]
    packages = packages_distributions().get(top, [])
    return f"{packages[0]} {version(packages[0])}" if packages else f"the module {top}"


def missing(name: str, what: str, package: object, where: object) -> MissingPlugin:
    """The error for a file that needs a plug-in which is not there."""
    return MissingPlugin(
        f"{where}: needs the {what} {name!r} of {package}, which is not installed here; install "
        "that package if you trust it"
    )


def _entry(name: str, what: str) -> EntryPoint | None:
    return next(iter(entry_points(group=f"dgmp.{what}s", name=name)), None)


def _allowed() -> list[str]:
    return os.environ.get(ALLOWED, "").split()


def _loaded(entry: EntryPoint, what: str) -> Any:
    module, _, attribute = entry.value.partition(":")
    try:
        return getattr(import_module(module.strip()), attribute.strip())
    except Exception as error:  # whatever the code of others raises
        raise DgmpError(
            f"the {what} {entry.name!r} cannot be imported: {type(error).__name__}: {error}"
        ) from error

"""A rule for import-linter: a room is entered through its ``__init__``, never behind it.

``from dgmp.pooling import unit_length`` is allowed in another room, ``from dgmp.pooling.layer
import unit_length`` is not. What a room offers is then listed in one place, and its files can be
moved without asking anybody.
"""

from __future__ import annotations

from typing import Any

from importlinter import Contract, ContractCheck, fields, output


class ThroughInit(Contract):
    """No module imports a file of another room than its own."""

    type_name = "through_init"
    root = fields.StringField()

    def check(self, graph: Any, verbose: bool) -> ContractCheck:
        """Look at every import between two rooms."""
        broken = sorted(
            (importer, imported)
            for importer in graph.modules
            for imported in graph.find_modules_directly_imported_by(importer)
            if len(self._inside(imported)) > 1
            and self._inside(importer)[:1] != self._inside(imported)[:1]
        )
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Name the imports that go behind a room's door."""
        for importer, imported in check.metadata["broken"]:
            room = ".".join([str(self.root), self._inside(imported)[0]])
            output.print_error(f"{importer} imports {imported}: import the name from {room}")

    def _inside(self, module: str) -> list[str]:
        return module.split(".")[len(str(self.root).split(".")) :]

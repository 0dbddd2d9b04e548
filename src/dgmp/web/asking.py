"""What a browser asks for: parts of the address, fields of a form; and refusals with a status."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import ImmutableMultiDict

from ..errors import CatalogueError, DgmpError

_LONGEST = 2000  # characters of one line of text: a note, a name, an id


class Refused(DgmpError):
    """A request that cannot be answered as it is."""

    status = 400


class NotHere(Refused, CatalogueError):
    """Something that is asked for by its address and is not there."""

    status = 404


@dataclass(frozen=True)
class Ask:
    """A request, as a view sees it."""

    path: Mapping[str, Any] = field(default_factory=dict)
    query: ImmutableMultiDict[str, str] = field(default_factory=ImmutableMultiDict)
    form: ImmutableMultiDict[str, Any] = field(default_factory=ImmutableMultiDict)
    person: str = ""

    def text(self, name: str, default: str = "") -> str:
        """A line of text, of the form or the address."""
        value = self.form.get(name, self.query.get(name, default))
        if not isinstance(value, str):
            raise Refused(f"{name} must be text, got a file")
        if len(value) > _LONGEST:
            raise Refused(f"{name} must have at most {_LONGEST} characters, got {len(value)}")
        return value.strip()

    def needed(self, name: str) -> str:
        """A line of text that must be there."""
        value = self.text(name)
        if not value:
            raise Refused(f"{name} is missing in what was asked")
        return value

    def number(self, name: str, default: int, least: int = 1, most: int = 10**9) -> int:
        """A whole number; one out of range is taken to its end."""
        text = self.text(name) or str(default)
        try:
            return min(max(int(text), least), most)
        except ValueError as error:
            raise Refused(f"{name} must be a whole number, got {text!r}") from error

    def lines(self, name: str) -> tuple[str, ...]:
        """All values of a field, each once; a field may hold several, a line each."""
        values = [v for v in self.form.getlist(name) if isinstance(v, str)]
        found = (line.strip() for value in values for line in value.split("\n"))
        return tuple(dict.fromkeys(line for line in found if line))

    @property
    def seen(self) -> str | None:
        """The newest decision that was on the screen; None where a form does not say."""
        return self.text("seen") if "seen" in self.form else None

    def back(self, default: str) -> str:
        """The address that a form wants to return to, if it is one of this page."""
        address = self.text("back")
        return address if re.fullmatch(r"/(?![/\\])[!-~]*", address) else default

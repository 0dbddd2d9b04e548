"""What is found at an address: pages with their names, and what is not used."""

from __future__ import annotations

from dataclasses import dataclass

from ..records import Page

Note = tuple[str, str]  # what it is about, and why


@dataclass(frozen=True)
class Listing:
    """The pages of an address, each with its id, its source and what is known of it."""

    pages: tuple[Page, ...]
    left_out: tuple[Note, ...] = ()
    notes: tuple[Note, ...] = ()

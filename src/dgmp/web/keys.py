"""Pages in addresses: an id may hold slashes and anything else, a segment of a path may not."""

from __future__ import annotations

import base64
import binascii

from .asking import NotHere


def page_key(page_id: str) -> str:
    """The id as a segment of a path: letters, digits, ``-`` and ``_``."""
    return base64.urlsafe_b64encode(page_id.encode()).rstrip(b"=").decode()


def page_id(key: str) -> str:
    """The id that a key stands for."""
    try:
        padded = key.encode("ascii") + b"=" * (-len(key) % 4)
        found = base64.b64decode(padded, b"-_", validate=True).decode()
    except (binascii.Error, UnicodeError, ValueError) as error:
        raise NotHere(f"{key}: is the key of no page") from error
    if page_key(found) != key:
        raise NotHere(f"{key}: is the key of no page")
    return found

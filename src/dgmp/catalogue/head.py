"""What a catalogue says of itself: catalogue.json, beside the table of its pages.

Version 1 named the kind of a describer's spec differently for trained networks; such a spec is read
as what would be written now. Versions 1 and 2 go with a table of float32 vectors, 3 with one that
does not hold where on its picture a page lies, 4 with one without checksums (:mod:`.renewal`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..errors import CatalogueError, DgmpError
from ..files import Format, first_difference, from_plain, read_json, to_plain, write_json
from ..storage import AnyPath, reachable_path

FORMAT = Format("dgmp-catalogue", 5, "catalogue", older=(1, 2, 3, 4))
ROUNDED = 3  # the version since which vectors are stored in bytes
FILE = "catalogue.json"


@dataclass(frozen=True)
class Head:
    """The describer of a catalogue: its spec, width, name, and its calibration as plain values.

    ``collection`` is what was learned from its pages as a whole, as the resolutions of their scans.
    """

    spec: Mapping[str, Any]
    dim: int
    describer: str  # the name or run it is loaded by
    calibration: Mapping[str, Any] | None = None
    collection: Mapping[str, Any] | None = None
    by: str = "page"  # what was described: pages, or which parts of them

    def difference(self, other: Head) -> str | None:
        """Why vectors of the two describers cannot be compared; None where they can."""
        ours, theirs = to_plain(self.spec), to_plain(other.spec)
        if ours == theirs and self.dim == other.dim:
            return None
        return first_difference(ours, theirs) or f"{self.dim} and {other.dim} dimensions"


def is_catalogue(folder: AnyPath | str) -> bool:
    """Whether there is one in a folder."""
    return (reachable_path(folder) / FILE).is_file()


def read_head(folder: AnyPath) -> tuple[Head, int]:
    """The head of a catalogue, and the version it is stored in."""
    if not is_catalogue(folder):
        taken = folder.is_dir() and any(folder.iterdir())
        makes = (
            f"{folder} --catalogue {folder}.catalogue" if taken else f"FOLDER --catalogue {folder}"
        )
        raise CatalogueError(f"{folder}: is no catalogue; dgmp describe {makes} makes one")
    try:
        stored = read_json(folder / FILE, FORMAT)
        version = stored.pop("version")
        del stored["format"]
        head = from_plain(stored, Head, folder / FILE)
    except DgmpError as error:
        raise CatalogueError(str(error)) from error
    return replace(head, spec=renamed_spec(head.spec)), version


def write_head(head: Head, folder: AnyPath) -> None:
    """Write the head in the version of now."""
    write_json(folder / FILE, FORMAT, to_plain(head))


def renamed_spec(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The spec of a describer with its kind under ``kind``, whichever dgmp wrote it."""
    if "kind" in spec or "describer" not in spec:
        return dict(spec)
    return {"kind" if key == "describer" else key: value for key, value in spec.items()}

"""The pages of a catalogue that are most like one page."""

from __future__ import annotations

from pathlib import Path

from ..catalogue import Catalogue
from ..describers import load_describer, reader
from ..errors import CatalogueError
from ..hands import with_probabilities
from ..records import Hit, Matrix
from .opening import calibration_of, head_for, one_page, opened_catalogue
from .scaling import distance_beside


def search(catalogue: Catalogue | Path | str, page: Path | str, n: int = 10) -> tuple[Hit, ...]:
    """The ``n`` pages most like a page of the catalogue or any picture, nearest first.

    ``page`` is an id of the catalogue or a file; of a file with several pictures the first is
    taken. Where the describer is calibrated, each hit has the probability of the same hand.
    """
    opened = opened_catalogue(catalogue)
    known = opened.find(str(page))
    if known is not None:
        vector = opened.vector(known)
    elif Path(page).exists():
        vector = _described(Path(page), opened)
    else:
        raise CatalogueError(f"{page}: is no page of {opened.folder}, and there is no such file")
    found = opened.search(vector, n, leave_out=known)
    calibration = calibration_of(opened)
    if calibration is None:
        return found.hits
    return with_probabilities(
        found.hits, found.vectors, vector, known, opened.sample(), len(opened), calibration
    )


def _described(path: Path, catalogue: Catalogue) -> Matrix:  # (dim,)
    """The vector of a picture that is not in the catalogue."""
    name = catalogue.head.describer
    describer = load_describer(name)
    catalogue.check_describer(head_for(name, describer))
    page = one_page(path)
    distance = distance_beside(catalogue, page, describer.preparation)
    distances = {} if distance is None else {page.id: distance}
    return describer.describe_page(reader(describer, distances=distances)(page))

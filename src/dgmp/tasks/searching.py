"""The pages of a catalogue that are most like one page."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..catalogue import Catalogue
from ..describers import load_describer, page_and_halves, reader
from ..errors import CatalogueError
from ..hands import Background, with_probabilities
from ..records import Descriptors, Hit
from .finding import find_on
from .opening import calibration_of, head_for, one_page, opened_catalogue
from .scaling import distance_beside


def search(catalogue: Catalogue | Path | str, page: Path | str, n: int = 10) -> tuple[Hit, ...]:
    """The ``n`` pages most like a page of the catalogue or any picture, nearest first.

    ``page`` is an id of the catalogue or a file; of a file with several pictures the first is
    taken. Where the describer is calibrated, each hit has the likelihood ratio and the probability
    of the same hand, unless one of both pages has too little writing to say.
    """
    opened = opened_catalogue(catalogue)
    known = opened.find(str(page))
    if known is not None:
        query = opened.page(known)
    elif Path(page).exists():
        query = _described(Path(page), opened)
    else:
        raise CatalogueError(f"{page}: is no page of {opened.folder}, and there is no such file")
    found = opened.search(query.vectors[0], n, leave_out=known)
    calibration = calibration_of(opened)
    if calibration is None:
        return found.hits
    ids = tuple(hit.page_id for hit in found.hits)
    hits = Descriptors(ids, found.vectors, opened.head.spec, halves=found.halves)
    background = Background.of(opened.sample(), len(opened), calibration)
    return with_probabilities(found.hits, hits, query, known, background)


def _described(path: Path, catalogue: Catalogue) -> Descriptors:
    """A picture that is not in the catalogue."""
    name = catalogue.head.describer
    describer = load_describer(name)
    catalogue.check_describer(head_for(name, describer))
    page, cut_out = find_on(one_page(path))
    distance = distance_beside(catalogue, page, describer.preparation, alone=cut_out)
    distances = {} if distance is None else {page.id: distance}
    vector, halves = page_and_halves(describer, reader(describer, distances=distances)(page))
    cosines = np.array([halves], np.float32)
    return Descriptors((page.id,), vector[None], catalogue.head.spec, halves=cosines)

"""Find a word on pages without boxes, by typing it or by pointing at it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..catalogue import Catalogue, is_catalogue
from ..corpora import Remark, open_corpus
from ..engines import map_pages
from ..errors import DgmpError, ImageError
from ..files import readable
from ..pixels import (
    MOST_PIXELS,
    PageImage,
    Preparation,
    measure_page,
    prepare_page,
    read_image,
)
from ..records import Grey, Matrix, Page, Rectangles, Stage
from ..sources import open_source
from ..spotting import (
    IndexedPage,
    WordHit,
    WordIndex,
    cut_word,
    find_candidates,
)
from .opening import one_page

if TYPE_CHECKING:
    from ..spotting import WordModel

INDEX = "words"  # the folder in a catalogue
Box = tuple[int, int, int, int]  # left, top, right, bottom
_EXAMPLE = re.compile(r"#xywh=(?:pixel:)?(\d+),(\d+),(\d+),(\d+)\Z")
_TOGETHER = 8  # pages that are stored at a time


@dataclass(frozen=True)
class Spotted:
    """What was found, and what was not looked at."""

    hits: tuple[WordHit, ...]
    index: WordIndex
    left_out: tuple[Remark, ...] = ()


def spot(
    place: Path | str,
    word: str | None = None,
    *,
    model: Path | str = "default",
    example: str | None = None,
    number: int = 20,
    index: Path | str | None = None,
    stages: Stage | None = None,
) -> Spotted:
    """The places on the pages of a catalogue or folder that look like a word, best first.

    The word is typed, or shown: ``example`` is a picture, or a page of the index, with
    ``#xywh=left,top,width,height`` after its name. ``model`` is the folder of ``dgmp train words``,
    or the name of the model that comes with the package. Pages that are new or changed are looked
    at first and stored in ``index``, by default
    ``words`` in a catalogue, or ``FOLDER.words`` beside a folder; pages that are gone are dropped.
    """
    if (word is None) == (example is None):
        raise DgmpError("give a word, or an example by page.jpg#xywh=left,top,width,height")
    from ..spotting import WordModel  # and with it torch

    trained = WordModel.load(model)
    asked: str | Matrix | None = word
    if word is not None:
        trained.spec.embedding.of([word])  # refuses what cannot be spelt before the work
    stored, left_out = index_words(place, trained, index=index, stages=stages)
    if example is not None:
        asked = _example(example, stored, trained)
    assert asked is not None
    return Spotted(stored.search(asked, number), stored, left_out)


def index_words(
    place: Path | str,
    model: WordModel,
    *,
    index: Path | str | None = None,
    stages: Stage | None = None,
) -> tuple[WordIndex, tuple[Remark, ...]]:
    """Store the candidates of all pages of a catalogue or folder that are not stored as they are.

    Stopped at any moment and begun again it goes on; pages that could not be read are named.
    """
    place = Path(place)
    pages, left_out = _pages(place)
    if index is None:
        index = place / INDEX if is_catalogue(place) else place.with_name(f"{place.name}.words")
    stored = WordIndex.at(index, model.digest, model.spec.embedding)
    with stored.writing():
        stored.remember(readable(model.folder))
        gone = [page_id for page_id in stored.pages if page_id not in {page.id for page in pages}]
        if gone:
            stored.drop(gone)
        stamps = {page.id: _stamp(page) for page in pages}  # before: a change meanwhile is seen
        new = [page for page in pages if stamps[page.id] != _known(stored, page)]
        done = stages("looking for words", len(new)) if stages is not None and new else None
        batch: list[tuple[IndexedPage, Rectangles, Matrix]] = []
        try:
            for page, found in map_pages(new, partial(describe_candidates, model=model)):
                if isinstance(found, ImageError):
                    left_out.append(Remark(page.id, found.reason))
                else:
                    address, stamp = page.source.address, stamps[page.id]
                    about = IndexedPage(page.id, address, stamp, 0, 0, page.frame, page.turn)
                    batch.append((about, *found))
                if len(batch) == _TOGETHER:
                    stored.add(batch)
                    batch = []
                if done is not None:
                    done(1)
        finally:  # whoever stops it, by Ctrl-C or in the browser, keeps what is done
            if batch:
                stored.add(batch)
    return stored, tuple(left_out)


def _pages(place: Path) -> tuple[list[Page], list[Remark]]:
    if is_catalogue(place):
        catalogue = Catalogue.open(place)
        return list(catalogue.pages(list(catalogue.paths()))), []
    corpus = open_corpus(place, kind="plain")
    corpus.check_usable()
    return list(corpus.pages), list(corpus.left_out)


def _stamp(page: Page) -> str:
    return f"{page.stamp()} {page.regions is not None}"


def _known(index: WordIndex, page: Page) -> str | None:
    found = index.pages.get(page.id)
    return None if found is None else found.stamp


def changed_pages(index: WordIndex, pages: Sequence[Page]) -> tuple[str, ...]:
    """The ids of those that are no longer as they were when they were looked at for the index."""
    known = [page for page in pages if page.id in index.pages]
    return tuple(page.id for page in known if _stamp(page) != _known(index, page))


def describe_place(page: Page, box: Box, model: WordModel) -> Matrix:
    """The vector of the word in a rectangle of a page."""
    pixels = read_image(page.source, page.frame, turn=page.turn)
    return _described_word(pixels, box, model, page.id)


def describe_candidates(page: Page, model: WordModel) -> tuple[Rectangles, Matrix]:
    """Where words may stand on a page, in pixels of its scan, and their vectors."""
    distance = page.line_distance or measure_page(page).distance
    image = _read_for_words(page, distance)
    found = find_candidates(image.pixels, distance * image.zoom)
    boxes = _on_scan(image, found)
    if page.regions is not None:
        middles = (boxes[:, None, :2] + boxes[:, None, 2:]) / 2  # (candidates, 1, 2)
        bounds = np.array([region.bounds for region in page.regions])  # (regions, 4)
        inside = np.all((middles >= bounds[:, :2]) & (middles < bounds[:, 2:]), axis=2)
        kept = np.any(inside, axis=1)
        found, boxes = found[kept], boxes[kept]
    words = [cut_word(image.pixels, tuple(box), model.spec.look) for box in found.tolist()]
    return boxes, model.describe(words)


def _read_for_words(page: Page, distance: float) -> PageImage:
    """A page as large as it is; a huge one no larger than its writing is described at."""
    if page.size is None or page.size[0] * page.size[1] <= MOST_PIXELS:
        return PageImage(page, read_image(page.source, page.frame, turn=page.turn))
    return prepare_page(page, Preparation(binarization="none"), distance)


def _on_scan(image: PageImage, boxes: Rectangles) -> Rectangles:
    """Boxes in whole pixels of the scan."""
    placed = np.reshape([region.bounds for region in image.on_scan(boxes)], (-1, 4))
    most = image.page.size or image.pixels.shape[::-1]
    return np.minimum(np.rint(placed), (*most, *most)).astype(np.int32)


def _example(text: str, index: WordIndex, model: WordModel) -> Matrix:
    found = _EXAMPLE.search(text)
    if found is None:
        raise DgmpError(f"{text}: an example is page.jpg#xywh=left,top,width,height")
    name = text[: found.start()]
    left, top, width, height = map(int, found.groups())
    if name in index.pages:
        known = index.pages[name]
        pixels = read_image(open_source(known.address), known.frame, turn=known.turn)
    elif Path(name).is_file():
        page = one_page(name)
        pixels = read_image(page.source, page.frame, turn=page.turn)
    else:
        raise DgmpError(f"{name}: is no page of {index.folder}, and there is no such file")
    return _described_word(pixels, (left, top, left + width, top + height), model, text)


def _described_word(pixels: Grey, box: Box, model: WordModel, name: str) -> Matrix:
    """The vector of the word in a rectangle of a picture."""
    left, top, right, bottom = box
    high, wide = pixels.shape
    if min(right - left, bottom - top) < 4 or right > wide or bottom > high:
        raise DgmpError(
            f"{name}: the rectangle is too small, or reaches beyond the picture of {wide}×{high}"
        )
    return model.describe([cut_word(pixels, box, model.spec.look)])[0]

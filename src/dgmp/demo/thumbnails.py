"""Pages and patches as small pictures, each with what stands below it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..describers import LearnedDescriber, explain_page
from ..names import need
from ..pixels import PageStore, centre_patch, read_image
from ..records import Floats, Grey, Page, Ranking
from .inline_pictures import InlinePicture, inline_pixels
from .plan import PATCH

FIRST = 5  # pages of a ranking that are shown
WIDTH = 192  # pixels
FULL = 3.0  # times the mean weight: full colour
_HOT = np.array([213, 94, 0], np.float64)  # the orange of our pictures


@dataclass(frozen=True)
class ShownPage:
    """A small picture of a page."""

    picture: InlinePicture
    page_id: str
    writer: str
    role: str = ""  # "query", "right" or "wrong" in a ranking
    similarity: str = ""  # to the query


def show_scan(page: Page) -> ShownPage:
    """A page as it was scanned."""
    scan = read_image(page.source, page.frame, turn=page.turn)
    return ShownPage(_small(scan), page.id, page.writer or "")


def show_ranking(
    ranking: Ranking, query: str, store: PageStore, describer: LearnedDescriber | None
) -> list[ShownPage]:
    """A query and the first pages of its ranking, as right or wrong.

    With a describer, its weights are laid on the patches as colours.
    """
    row = ranking.query_ids.index(query)
    by_id = {page.id: page for page in store.pages}
    asked = by_id[query]
    shown = [_show_patch(asked, store, describer, "query")]
    for place, similarity in zip(
        ranking.order[row, :FIRST], ranking.similarities[row, :FIRST], strict=True
    ):
        if place < 0:  # the gallery is shorter than that
            break
        found = by_id[ranking.gallery_ids[place]]
        role = "right" if found.writer == asked.writer else "wrong"
        shown.append(_show_patch(found, store, describer, role, f"{similarity:.2f}"))
    return shown


def heated(pixels: Grey, weights: Floats) -> NDArray[np.uint8]:
    """Ink on paper (h, w), warm where the weights (h, w) are large: (h, w, 3) RGB."""
    share = np.clip(np.nan_to_num(weights) / FULL, 0, 1)[..., None]
    paper = 255 * (1 - share) + _HOT * share
    ink = 1 - pixels[..., None] / 255
    return (paper * (1 - 0.88 * ink)).round().astype(np.uint8)


def _show_patch(
    page: Page,
    store: PageStore,
    describer: LearnedDescriber | None,
    role: str,
    similarity: str = "",
) -> ShownPage:
    patch = centre_patch(store.read(page), PATCH)
    pixels = patch.pixels
    if describer is not None:
        explained = explain_page(describer, patch)
        pixels = heated(pixels, explained.on_page(explained.relative_weights))
    return ShownPage(_small(pixels), page.id, page.writer or "", role, similarity)


def _small(pixels: NDArray[np.uint8]) -> InlinePicture:
    cv2 = need("cv2")
    size = (WIDTH, round(WIDTH * pixels.shape[0] / pixels.shape[1]))
    return inline_pixels(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA))

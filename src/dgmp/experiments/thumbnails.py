"""Pages and squares as small pictures with a line below, for the report."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..corpora import read_image
from ..corpora.extras import opencv
from ..describe.explain import explain_page
from ..records import Page, Ranking
from .demo import Told
from .testing import SQUARE, shown
from .webpage import Html, element, html, image

FIRST = 5  # pages of a ranking that are shown
THUMBNAIL = 192  # pixels
FULL = 3.0  # times the mean weight: full colour
_HOT = np.array([213, 94, 0], np.float64)  # the orange of our pictures


def ranking_row(told: Told, ranking: Ranking, query: str, *, heat: bool) -> Html:
    """A query and the first pages of its ranking, framed as right or wrong."""
    row = ranking.query_ids.index(query)
    by_id = {page.id: number for number, page in enumerate(told.unseen.pages)}
    asked = told.unseen.pages[by_id[query]]
    thumbs = [_square(told, by_id[query], heat, f"{asked.writer}", "query", "query")]
    for place, similarity in zip(
        ranking.order[row, :FIRST], ranking.similarities[row, :FIRST], strict=True
    ):
        number = by_id[ranking.gallery_ids[place]]
        found = told.unseen.pages[number]
        right = found.writer == asked.writer
        mark = element("b", "✓" if right else "✗")
        text = Html(f"{mark} {html(found.writer)}")
        kind = "right" if right else "wrong"
        thumbs.append(_square(told, number, heat, text, f"{similarity:.2f}", kind))
    return element("div", *thumbs, kind="ranking")


def scan_thumbnail(page: Page) -> Html:
    """A page as it was scanned, with its writer below."""
    pixels = read_image(page.path, page.frame)
    return _thumb(_small(pixels, f"page {page.id}"), page.writer or "", "", "")


def heated(pixels: NDArray[np.uint8], weights: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Ink on paper (h, w), warm where the weights (h, w) are large: (h, w, 3) RGB."""
    share = np.clip(np.nan_to_num(weights) / FULL, 0, 1)[..., None]
    paper = 255 * (1 - share) + _HOT * share
    ink = 1 - pixels[..., None] / 255
    return (paper * (1 - 0.88 * ink)).round().astype(np.uint8)


def _square(told: Told, number: int, heat: bool, name: str, beside: str, kind: str) -> Html:
    square = shown(told.unseen.image(number), SQUARE)
    pixels = square.pixels
    if heat:
        explained = explain_page(told.describer, square)
        pixels = heated(pixels, explained.on_page(explained.relative_weights))
    return _thumb(_small(pixels, f"square of {square.page.id}"), name, beside, kind)


def _small(pixels: NDArray[np.uint8], alt: str) -> Html:
    cv2 = opencv()
    size = (THUMBNAIL, round(THUMBNAIL * pixels.shape[0] / pixels.shape[1]))
    return image(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), alt)


def _thumb(what: Html, name: str, beside: str, kind: str) -> Html:
    caption = element("figcaption", element("span", name), element("span", beside))
    return element("figure", what, caption, kind=f"thumb {kind}".strip())

"""Made-up photographs of synthetic pages on a dark table."""

from functools import cache

import numpy as np

from dgmp.synthetic import draw_page

TABLE = 45


def page_of(writer, width=640, height=480):
    """A page by a synthetic writer, cut to a size."""
    return _whole_page(writer)[:height, :width].copy()


@cache
def _whole_page(writer):
    return draw_page(writer, writer)


def on_table(page, *, left=90, top=70, right=110, bottom=90):
    """The page with a dark table around it."""
    height, width = page.shape
    rng = np.random.default_rng(0)
    scene = rng.normal(TABLE, 3, (top + height + bottom, left + width + right))
    scene[top : top + height, left : left + width] = page
    return scene.clip(0, 255).astype(np.uint8)


def opening(left, right):
    """Two pages of one height side by side, with a shadow between them."""
    margin = 60
    paper = int(np.median(left))
    both = np.hstack([np.pad(p, margin, constant_values=paper) for p in (left, right)])
    across = np.abs(np.arange(both.shape[1]) - left.shape[1] - 2 * margin)
    return (both * (1 - 0.4 * np.exp(-across / 18))).astype(np.uint8)


def with_ruler(scene):
    """A white ruler with black ticks below a scene."""
    below = np.full((140, scene.shape[1]), TABLE, np.uint8)
    below[40:100, 40:-40] = 230
    for number, x in enumerate(range(60, scene.shape[1] - 60, 9)):
        below[44 : 74 if number % 5 else 88, x : x + 2] = 20
    return np.vstack([scene, below])

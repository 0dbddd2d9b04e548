"""Where on a page the weights of generalized max pooling lie, as a picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..corpora import PageImage
from ..describe.explain import explain_page
from ..describe.learned import LearnedDescriber

_HOT = np.array([213, 94, 0], np.float64)  # the orange of our pictures
_MOST = 3.0  # times the mean weight: full colour


def position_weights(
    describer: LearnedDescriber, image: PageImage
) -> NDArray[np.float64]:  # (height, width)
    """The weight α of every pixel's position over the mean weight; 0 where no window lies."""
    page = explain_page(describer, image)
    return np.nan_to_num(page.on_page(page.relative_weights))


def heat_picture(pixels: NDArray[np.uint8], weights: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Ink on paper (h, w), warm where the weights (h, w) are large: (h, w, 3) RGB."""
    share = np.clip(weights / _MOST, 0, 1)[..., None]
    paper = 255 * (1 - share) + _HOT * share
    ink = 1 - pixels[..., None] / 255
    return (paper * (1 - 0.88 * ink)).round().astype(np.uint8)

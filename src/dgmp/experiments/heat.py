"""Where on a page the weights of generalized max pooling lie, as a picture."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from ..corpora import PageImage
from ..corpora.extras import opencv
from ..describe.learned import LearnedDescriber
from ..pooling import GeneralizedMaxPool, generalized_max_weights

_HOT = np.array([213, 94, 0], np.float64)  # the orange of our pictures
_MOST = 3.0  # times the mean weight: full colour


def position_weights(
    describer: LearnedDescriber, image: PageImage
) -> NDArray[np.float64]:  # (height, width)
    """The weight α of every pixel's position over the mean weight; 0 where no window lies."""
    cv2 = opencv()
    pooling = describer.model.network.pooling
    assert isinstance(pooling, GeneralizedMaxPool)
    height, width = image.pixels.shape
    total, times = np.zeros((height, width)), np.zeros((height, width))
    with torch.inference_mode():
        for (left, top, right, bottom), maps in describer.feature_maps(image):
            phi = maps.flatten(2)
            if pooling.mean is not None:
                phi = pooling.mean(phi, None)
            alpha = generalized_max_weights(phi, pooling.ridge, relative=pooling.relative)
            square = alpha.reshape(maps.shape[2:]).double().cpu().numpy()
            size = (int(right - left), int(bottom - top))
            laid = cv2.resize(square / square.mean(), size, interpolation=cv2.INTER_LINEAR)
            total[top:bottom, left:right] += laid[: height - top, : width - left]
            times[top:bottom, left:right] += 1
    return total / np.maximum(times, 1)


def heat_picture(pixels: NDArray[np.uint8], weights: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Ink on paper (h, w), warm where the weights (h, w) are large: (h, w, 3) RGB."""
    share = np.clip(weights / _MOST, 0, 1)[..., None]
    paper = 255 * (1 - share) + _HOT * share
    ink = 1 - pixels[..., None] / 255
    return (paper * (1 - 0.88 * ink)).round().astype(np.uint8)

"""Small pages that are quick to draw, and a small describer that tells their writers apart."""

import time
from dataclasses import dataclass, field

import cv2
import numpy as np

from dgmp.corpora import Preparation
from dgmp.errors import ImageError
from dgmp.evaluation import bcubed


def bcubed_f(writers, groups):
    return bcubed(writers, groups).f


def draw_page(writer, page, path):
    """Five lines of zigzag: slant, width and thickness are the writer's, the rest is chance."""
    hand, chance = np.random.default_rng(writer), np.random.default_rng((writer, page))
    slant, advance, pen = hand.uniform(-0.9, 0.9), hand.uniform(4, 14), hand.integers(1, 5)
    pixels = np.full((260, 320), 255, np.uint8)
    for line in range(5):
        x = 12 + np.cumsum(chance.uniform(0.7, 1.3, 40) * advance)
        high = np.arange(40) % 2 * chance.uniform(10, 22, 40)
        points = np.stack([x + slant * high, 45 + 45 * line - high], axis=1)
        points = points[(points[:, 0] > 8) & (points[:, 0] < 312)]
        cv2.polylines(pixels, [np.rint(points).astype(np.int32)], False, 0, int(pen), cv2.LINE_AA)
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), pixels)


@dataclass(frozen=True)
class StrokeDescriber:
    """A histogram of the directions of ink edges at two widths."""

    bins: int = 24
    seconds: float = 0.0  # what a page takes besides
    calibration: dict | None = field(default=None, compare=False)
    preparation = Preparation(canonical=None)

    @property
    def dim(self):
        return 2 * self.bins

    @property
    def spec(self):
        return {"kind": "strokes", "bins": self.bins}

    def describe_page(self, image):
        time.sleep(self.seconds)
        ink = 255.0 - image.pixels.astype(np.float32)
        parts = []
        for sigma in (1.0, 3.0):
            smooth = cv2.GaussianBlur(ink, (0, 0), sigma)
            across, down = cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1)
            angle = (np.arctan2(down, across) / np.pi % 1 * self.bins).astype(int) % self.bins
            weight = np.hypot(across, down)
            parts.append(np.bincount(angle.ravel(), weight.ravel(), self.bins))
        vector = np.sqrt(np.concatenate(parts))
        vector -= vector.mean()  # or all cosines would be near 1
        length = np.linalg.norm(vector)
        if not length:
            raise ImageError(image.page.id, "no strokes")
        return (vector / length).astype(np.float32)

"""Paper, ink and camera: everything on a page that is not the writer's.

All of it is drawn from the random stream of the page, which never sees the writer: background,
contrast and scale do not depend on who wrote.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ..records import Floats
from .writing import PageLayout

Shades = NDArray[np.float32]


@dataclass(frozen=True)
class Conditions:
    """What a page met with: layout, paper, ink, scan. Lengths in pixels, greys from 0 to 1."""

    layout: PageLayout
    rotation: float  # radians
    curl: float  # bulge of the lines
    phase: float
    paper: float
    slope: tuple[float, float]  # light from the side
    mottle: float
    grain: float
    stains: int
    ruling: float
    margin_lines: bool
    ink: float
    fade: float  # unevenness from place to place
    dips: float  # how much each dip of the pen shows
    feather: float
    bold: float  # ink that spreads, or was scraped
    rough: float
    bleed: float
    blur: float
    noise: float
    gamma: float
    quality: int  # of the JPEG


def draw_conditions(rng: np.random.Generator, width: int, height: int) -> Conditions:
    """Draw the conditions of one page."""

    def between(low: float, high: float) -> float:
        return float(rng.uniform(low, high))

    distance = 76 * math.exp(between(-math.log(1.25), math.log(1.25)))
    left = between(0.02, 0.12) * width
    first = between(0.4, 1.1) * distance
    layout = PageLayout(
        line_distance=distance,
        left=left,
        right=width - between(-0.02, 0.1) * width,
        first_line=first,
        lines=int((height + 0.3 * distance - first) / distance) + 1,
        justified=bool(rng.random() < 0.6),
        initial=int(rng.choice([0, 0, 0, 2, 2, 3])),
    )
    paper = between(0.62, 0.97)
    return Conditions(
        layout=layout,
        rotation=0.009 * float(rng.standard_normal()),
        curl=between(-0.06, 0.06) * distance,
        phase=between(0, 2 * math.pi),
        paper=paper,
        slope=(between(-0.12, 0.12), between(-0.12, 0.12)),
        mottle=between(0.004, 0.03),
        grain=between(0.003, 0.03),
        stains=int(rng.poisson(0.8)),
        ruling=between(0.04, 0.3) if rng.random() < 0.6 else 0.0,
        margin_lines=bool(rng.random() < 0.5),
        ink=between(0.03, 0.4) * paper,
        fade=between(0.0, 0.22),
        dips=between(0.2, 1.8),
        feather=between(0.4, 0.9),
        bold=between(-0.1, 0.1),
        rough=between(0.03, 0.16),
        bleed=between(0.05, 0.35) if rng.random() < 0.5 else 0.0,
        blur=between(0.35, 0.95),
        noise=between(0.004, 0.025),
        gamma=math.exp(between(-0.4, 0.4)),
        quality=int(rng.integers(70, 93)),
    )


def lay_on_sheet(points: Floats, conditions: Conditions, width: int, height: int) -> Floats:
    """Turn and curl the page under the camera; ``points`` are (positions, 2) in pixels."""
    centre = np.array([width / 2, height / 2])
    cos, sin = math.cos(conditions.rotation), math.sin(conditions.rotation)
    turned = (points - centre) @ np.array([[cos, sin], [-sin, cos]]) + centre
    bulge = conditions.curl * np.sin(2.2 * points[:, 0] / width * np.pi + conditions.phase)
    turned[:, 1] += bulge
    return np.asarray(turned)


def photograph(
    ink: NDArray[np.uint8], conditions: Conditions, rng: np.random.Generator
) -> NDArray[np.uint8]:
    """Put ink on paper and take the picture."""
    height, width = ink.shape
    sheet = _paper(conditions, rng, height, width)
    if conditions.bleed:
        back = cv2.GaussianBlur(ink[:, ::-1], (0, 0), 2.2).astype(np.float32) / 255
        sheet -= conditions.bleed * 0.5 * conditions.paper * back
    wet = cv2.GaussianBlur(ink, (0, 0), conditions.feather)
    levels = np.arange(256, dtype=np.float32) / 255
    depth = np.maximum(levels, 0.6) ** conditions.dips * (levels > 0.02)
    opacity = conditions.rough * _clouds(rng, height, width, 3)
    opacity += cv2.LUT(wet, levels - np.float32(0.45 - conditions.bold))
    opacity *= 2.2
    opacity += 0.5
    opacity = np.clip(opacity, 0, 1, out=opacity) * cv2.LUT(wet, depth.astype(np.float32))
    fade = 1 - conditions.fade * np.abs(_clouds(rng, height, width, 90))
    opacity *= np.maximum(fade, 0.15)
    picture = sheet + (conditions.ink - sheet) * opacity
    picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), conditions.blur), np.float32)
    picture += conditions.noise * rng.standard_normal(picture.shape, dtype=np.float32)
    return _expose(picture, conditions.gamma)


def _expose(picture: Shades, gamma: float) -> NDArray[np.uint8]:
    curve = np.rint(255 * (np.arange(4096) / 4095) ** gamma).astype(np.uint8)
    picture *= 4095
    return curve[np.clip(picture, 0, 4095, out=picture).astype(np.intp)]


def _paper(conditions: Conditions, rng: np.random.Generator, height: int, width: int) -> Shades:
    sheet = np.full((height, width), conditions.paper, np.float32)
    sheet += np.linspace(-0.5, 0.5, width, dtype=np.float32) * np.float32(conditions.slope[0])
    sheet += (np.linspace(-0.5, 0.5, height) * conditions.slope[1]).astype(np.float32)[:, None]
    sheet += conditions.mottle * _clouds(rng, height, width, 160)
    sheet += 0.5 * conditions.mottle * _clouds(rng, height, width, 45)
    sheet += 0.4 * conditions.mottle * _clouds(rng, height, width, 12)
    sheet += conditions.grain * _clouds(rng, height, width, 2)
    for _ in range(conditions.stains):
        _stain(sheet, rng)
    if conditions.ruling:
        sheet -= conditions.ruling * conditions.paper * _ruling(conditions, height, width)
    return sheet


def _clouds(rng: np.random.Generator, height: int, width: int, size: int) -> Shades:
    """Smooth noise of about unit size, its blots ``size`` pixels wide."""
    small = rng.standard_normal((height // size + 3, width // size + 3), dtype=np.float32)
    way = cv2.INTER_CUBIC if size > 8 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(small, (width, height), interpolation=way), np.float32)


def _stain(sheet: Shades, rng: np.random.Generator) -> None:
    """Darken a blot with a rim, in place."""
    height, width = sheet.shape
    across, down = rng.uniform(0, width), rng.uniform(0, height)
    wide = rng.uniform(30, 200)
    tall = wide * rng.uniform(0.6, 1.4)
    depth = np.float32(rng.uniform(0.02, 0.14))
    left, right = max(int(across - 1.6 * wide), 0), min(int(across + 1.6 * wide), width)
    top, bottom = max(int(down - 1.6 * tall), 0), min(int(down + 1.6 * tall), height)
    x = ((np.arange(left, right) - across) / wide).astype(np.float32)
    y = ((np.arange(top, bottom) - down) / tall).astype(np.float32)
    distance = np.hypot(x[None, :], y[:, None])
    distance += 0.12 * _clouds(rng, bottom - top, right - left, 40)
    inside = 1 / (1 + np.exp(np.clip(14 * (distance - 1), -30, 30)))
    rim = np.exp(-((distance - 0.96) ** 2) * 160)
    sheet[top:bottom, left:right] -= depth * (0.6 * inside + 0.7 * rim)


def _ruling(conditions: Conditions, height: int, width: int) -> Shades:
    layout = conditions.layout
    lines = np.zeros((height, width), np.uint8)
    across = np.linspace(-20.0, width + 20.0, 24)
    rows = [
        np.stack([across, np.full(24, layout.first_line + i * layout.line_distance)], axis=1)
        for i in range(layout.lines)
    ]
    if conditions.margin_lines:
        down = np.linspace(-20.0, height + 20.0, 24)
        for x in (layout.left - 6, layout.right + 6):
            rows.append(np.stack([np.full(24, x), down], axis=1))
    for row in rows:
        bent = np.rint(lay_on_sheet(row, conditions, width, height) * 8).astype(np.int32)
        cv2.polylines(lines, [bent], False, 255, 1, cv2.LINE_AA, 3)
    return np.asarray(cv2.GaussianBlur(lines, (0, 0), 0.7).astype(np.float32) / 255, np.float32)

"""Photographs made up around real crops: pages on a table, as a reading room makes them.

A crop of writing gets margins of its own paper. One or two such pages lie on a table, on a cloth or
before black, beside a ruler, a colour card or a thumb. Light falls unevenly, and the camera is held
a little aslant and blurs a little.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Colours = NDArray[np.float32]  # (height, width, 3), 0 to 255
TABLES = ("cloth", "wood", "grey", "black", "light")
PROPS = ("ruler", "card", "thumb", "ruler and card", "nothing")
PAPERS = ((250, 242, 222), (240, 228, 200), (245, 245, 240), (232, 222, 205))
PATCHES = (
    (115, 82, 68), (194, 150, 130), (98, 122, 157), (87, 108, 67), (214, 126, 44), (70, 148, 73),
    (175, 54, 60), (231, 199, 31), (187, 86, 149), (8, 133, 161), (243, 243, 242), (120, 120, 120),
)  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """How one photograph is made."""

    table: str
    props: str
    turn: int  # quarter turns counter-clockwise that the file lies turned by
    tagged: bool  # whether EXIF says so
    seed: int


def photograph(crops: list[NDArray[np.uint8]], plan: Plan) -> NDArray[np.uint8]:
    """The picture, upright; no crops give one without a page, an empty crop a blank page."""
    rng = np.random.default_rng(plan.seed)
    paper = np.array(PAPERS[rng.integers(len(PAPERS))], np.float32) / 245
    pages = [_page(crop, paper, rng) for crop in crops]
    if len(pages) == 2:
        pages = [_opening(*pages, rng)]
    if not pages:
        height, width = 1500, 2000
        scene = _table(plan.table, height, width, rng)
        box = (0, 0, width, 0)  # where a page would lie
    else:
        (page,) = pages
        around = rng.integers(90, 260, 4)  # left, top, right, bottom
        below = 330 if "ruler" in plan.props else 0
        beside = 330 if "card" in plan.props else 0
        height = page.shape[0] + around[1] + around[3] + below
        width = page.shape[1] + around[0] + around[2] + beside
        scene = _table(plan.table, height, width, rng)
        left, top = int(around[0]), int(around[1])
        _shadow(scene, left, top, page.shape)
        scene[top : top + page.shape[0], left : left + page.shape[1]] = page
        box = (left, top, left + page.shape[1], top + page.shape[0])
    if "ruler" in plan.props:
        _ruler(scene, box, rng)
    if "card" in plan.props:
        _card(scene, box, rng)
    scene = _aslant(scene, float(rng.uniform(-1.5, 1.5)))
    if plan.props == "thumb" and pages:
        _thumb(scene, box, rng)
    scene = _uneven(scene, rng)
    scene = cv2.GaussianBlur(scene, (0, 0), float(rng.uniform(0.5, 0.9)))
    zoom = float(rng.uniform(0.9, 1.35))
    scene = cv2.resize(
        scene, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA if zoom < 1 else cv2.INTER_CUBIC
    )
    scene = scene + rng.normal(0, 2, scene.shape).astype(np.float32)
    return scene.clip(0, 255).astype(np.uint8)


def _page(crop: NDArray[np.uint8], paper: NDArray[np.float32], rng: np.random.Generator) -> Colours:
    """The crop with margins of its own paper, tinted."""
    left, top, right, bottom = (
        int(m) for m in rng.integers((60, 70, 60, 120), (180, 200, 160, 420))
    )
    ground = cv2.morphologyEx(crop, cv2.MORPH_CLOSE, np.ones((31, 31), np.uint8))
    ground = cv2.GaussianBlur(ground, (0, 0), 25)
    wide = cv2.copyMakeBorder(ground, top, bottom, left, right, cv2.BORDER_REPLICATE)
    wide = wide.astype(np.float32) + cv2.GaussianBlur(
        rng.normal(0, 6, wide.shape).astype(np.float32), (0, 0), 1.5
    )
    height, width = crop.shape
    wide[top : top + height, left : left + width] = crop
    return wide[..., None] * paper


def _opening(left: Colours, right: Colours, rng: np.random.Generator) -> Colours:
    """Two pages of one height side by side, with the shadow of the gutter between them."""
    height = max(left.shape[0], right.shape[0])
    both = [
        cv2.copyMakeBorder(p, 0, height - p.shape[0], 0, 0, cv2.BORDER_REPLICATE)
        for p in (left, right)
    ]
    joined = np.hstack(both)
    across = np.arange(joined.shape[1]) - left.shape[1]
    wide, deep = float(rng.uniform(18, 45)), float(rng.uniform(0.25, 0.6))
    shade = 1 - deep * np.exp(-np.abs(across) / wide)
    joined *= shade[None, :, None].astype(np.float32)
    joined[:, left.shape[1] - 1 : left.shape[1] + 1] *= 0.6
    return joined


def _table(kind: str, height: int, width: int, rng: np.random.Generator) -> Colours:
    noise = rng.normal(0, 1, (height, width)).astype(np.float32)
    if kind == "wood":
        grain = cv2.GaussianBlur(
            rng.normal(0, 1, (height, 1)).astype(np.float32), (1, 0), sigmaX=0.1, sigmaY=4
        )
        waves = np.repeat(grain / grain.std(), width, 1) * 12
        waves += cv2.GaussianBlur(noise, (0, 0), sigmaX=40, sigmaY=1) * 60
        return np.array([118, 82, 52], np.float32) + waves[..., None]
    if kind == "cloth":
        weave = 8 * np.sin(np.arange(width) * 0.9)[None] * np.sin(np.arange(height) * 0.9)[:, None]
        return np.array([46, 52, 60], np.float32) + (weave + 6 * noise)[..., None].astype(
            np.float32
        )
    base = {"grey": (112, 112, 116), "black": (14, 14, 14), "light": (176, 172, 165)}[kind]
    return np.array(base, np.float32) + 3 * noise[..., None]


def _shadow(scene: Colours, left: int, top: int, shape: tuple[int, ...]) -> None:
    mask = np.zeros(scene.shape[:2], np.float32)
    cv2.rectangle(mask, (left, top), (left + shape[1] + 12, top + shape[0] + 14), 1.0, -1)
    scene *= 1 - 0.45 * cv2.GaussianBlur(mask, (0, 0), 12)[..., None]


def _ruler(scene: Colours, box: tuple[int, int, int, int], rng: np.random.Generator) -> None:
    height, width = scene.shape[:2]
    long = min(int(width * rng.uniform(0.5, 0.8)), width - 60)
    left, top = (
        int(rng.integers(20, width - long - 20)),
        min(box[3] + int(rng.integers(20, 90)), height - 130),
    )
    ground, ink = [((235, 233, 225), 20), ((28, 28, 28), 235), ((214, 190, 80), 25)][
        rng.integers(3)
    ]
    strip = np.full((110, long, 3), ground, np.uint8)
    step = int(rng.integers(7, 13))
    for number, x in enumerate(range(20, long - 20, step)):
        deep = 46 if number % 10 == 0 else 32 if number % 5 == 0 else 20
        strip[:deep, x : x + 2] = ink
        if number % 10 == 0:
            text, place = str(number // 10), (x - 12, 86)
            cv2.putText(strip, text, place, cv2.FONT_HERSHEY_SIMPLEX, 1.0, (ink,) * 3, 2)
    scene[top : top + 110, left : left + long] = strip


def _card(scene: Colours, box: tuple[int, int, int, int], rng: np.random.Generator) -> None:
    height, width = scene.shape[:2]
    side = 90
    left = min(box[2] + int(rng.integers(20, 80)), width - 2 * side - 60)
    top = int(rng.integers(20, max(height - 6 * (side + 8) - 40, 21)))
    cv2.rectangle(
        scene, (left, top), (left + 2 * side + 32, top + 6 * (side + 8) + 16), (30.0,) * 3, -1
    )
    for number, colour in enumerate(PATCHES):
        x, y = left + 12 + number % 2 * (side + 8), top + 12 + number // 2 * (side + 8)
        cv2.rectangle(scene, (x, y), (x + side, y + side), tuple(map(float, colour)), -1)


def _thumb(scene: Colours, box: tuple[int, int, int, int], rng: np.random.Generator) -> None:
    height, width = scene.shape[:2]
    right = bool(rng.integers(2))
    x = min(box[2] + 60, width) if right else max(box[0] - 60, 0)
    y = int(rng.uniform(0.5, 0.9) * box[3])
    mask = np.zeros((height, width), np.float32)
    tip = x - 150 if right else x + 150
    cv2.line(mask, (width if right else 0, y + 120), (tip, y), 1.0, 95)
    mask = cv2.GaussianBlur(mask, (0, 0), 3)[..., None]
    light = cv2.GaussianBlur(mask[..., 0], (0, 0), 30)[..., None]
    scene *= 1 - mask
    scene += mask * np.array([224, 172, 138], np.float32) * (0.55 + 0.45 * light)


def _aslant(scene: Colours, degrees: float) -> Colours:
    height, width = scene.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    return np.asarray(
        cv2.warpAffine(
            scene, turn, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT
        )
    )


def _uneven(scene: Colours, rng: np.random.Generator) -> Colours:
    height, width = scene.shape[:2]
    y, x = np.mgrid[0 : 1 : height * 1j, 0 : 1 : width * 1j].astype(np.float32)
    direction = rng.uniform(0, 2 * np.pi)
    fall = (x - 0.5) * np.cos(direction) + (y - 0.5) * np.sin(direction)
    corner = (x - 0.5) ** 2 + (y - 0.5) ** 2
    light = 0.92 + float(rng.uniform(0.1, 0.35)) * fall - float(rng.uniform(0, 0.35)) * corner
    return scene * light[..., None].astype(np.float32)

"""Several describers as one: their vectors one after the other.

The vector of a page is √w₁·x₁, √w₂·x₂, … one after the other, x the unit vectors of the parts and w
weights that add up to one. It has unit length again, and the cosine of two pages with the same
weights is the weighted mean of the cosines that the parts give.

The weights of a page may depend on how much of a hand its first part sees: with h, the cosine of
its upper and its lower half in that part, the weights of all others are

    w / (1 + (h / halved_at)^5)

and the first has what is left. Texture tells most where there are few strokes.

On disk a folder with describer.json (weights, calibration, the parts by name) and in it a folder
for each part, as :mod:`dgmp.classical` writes them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..classical import (
    DESCRIBER_FORMAT,
    HEAD,
    ClassicalDescriber,
    Contributions,
    joined,
    load_classical,
    read_head,
    save_describer,
)
from ..errors import DgmpError
from ..files import write_json
from ..hands import CALIBRATION_FORMAT, Calibration
from ..pixels import PageImage, Preparation

KIND = "fused"
_STEEP = 5  # the power above


@dataclass(frozen=True, eq=False)
class FusedDescriber:
    """Parts that prepare pages alike, and the weights of their cosines, which add up to one.

    Without ``halved_at`` all pages have these weights.
    """

    parts: tuple[ClassicalDescriber, ...]
    weights: tuple[float, ...]  # of a page of whose hand the first part sees nothing
    calibration: Calibration | None = None  # of the whole
    halved_at: float | None = None  # h at which the weights of all parts but the first are halved

    def __post_init__(self) -> None:
        if not self.parts or len(self.parts) != len(self.weights):
            raise ValueError(f"{len(self.parts)} parts, but {len(self.weights)} weights")
        if min(self.weights) <= 0 or abs(sum(self.weights) - 1) > 1e-6:
            raise ValueError(f"weights must be positive and add up to 1, got {self.weights}")
        if self.halved_at is not None and not self.halved_at > 0:
            raise ValueError(f"halved_at must be positive, got {self.halved_at}")
        if len({part.preparation for part in self.parts}) > 1:
            raise ValueError("parts must prepare pages alike")
        if len({part.kind for part in self.parts}) < len(self.parts):
            raise ValueError("parts must be of different kinds, their folders are named by them")

    @property
    def preparation(self) -> Preparation:
        """That of all parts."""
        return self.parts[0].preparation

    @property
    def dim(self) -> int:
        """The width of its vectors."""
        return sum(part.dim for part in self.parts)

    @property
    def spec(self) -> dict[str, Any]:
        """Weights, and everything of the parts."""
        return {
            "kind": KIND,
            "weights": list(self.weights),
            **({} if self.halved_at is None else {"halved_at": self.halved_at}),
            "parts": [part.spec for part in self.parts],
        }

    def describe_page(self, image: PageImage) -> NDArray[np.float32]:  # (dim,)
        """The vector of a page; an ImageError where a part has nothing to describe."""
        if self.halved_at is None:
            return self.fuse([part.describe_page(image) for part in self.parts], self.weights)
        return np.asarray(self.describe_halves(image)[0])

    def describe_halves(self, image: PageImage) -> NDArray[np.float32]:  # (3, dim)
        """The vectors of a page, of its upper and of its lower half.

        Zeros for a half in which a part has nothing to describe, an ImageError for such a page.
        """
        parts = [part.describe_halves(image) for part in self.parts]
        some = np.all([part.any(axis=1) for part in parts], axis=0)
        return np.where(some[:, None], self.fuse(parts, self.weigh(parts[0])), np.float32(0))

    def contributions(self, image: PageImage) -> Contributions | None:
        """The shares of keypoints in the vector of a page; None where no part has them.

        Parts that describe a page as a whole have none.
        """
        weights = self.weights
        if self.halved_at is not None:
            weights = self.weigh(self.parts[0].describe_halves(image))
        start, found = 0, []
        for part, weight in zip(self.parts, weights, strict=True):
            shares = part.contributions(image)
            if shares is not None:
                found.append(shares.placed(start, math.sqrt(weight)))
            start += part.dim
        return joined(found) if found else None

    def weigh(self, halves: NDArray[np.float32]) -> tuple[float, ...]:  # (3, first part's dim)
        """The weights of a page, by the vectors of it and of its halves in the first part."""
        if self.halved_at is None:
            return self.weights
        _, upper, lower = halves
        seen = max(float(upper @ lower), 0.0) / self.halved_at
        others = [weight / (1 + seen**_STEEP) for weight in self.weights[1:]]
        return (1 - sum(others), *others)

    def fuse(
        self, vectors: Sequence[NDArray[np.float32]], weights: Sequence[float]
    ) -> NDArray[np.float32]:  # (..., part.dim) each -> (..., dim)
        """The vectors of the parts as one."""
        scaled = [np.sqrt(w) * part for w, part in zip(weights, vectors, strict=True)]
        return np.concatenate(scaled, axis=-1).astype(np.float32)


def save_fused(describer: FusedDescriber, folder: Path | str) -> Path:
    """Write a fused describer; describer.json comes last, so half a folder is no describer."""
    folder = Path(folder)
    for part in describer.parts:
        save_describer(part, folder / part.kind)
    calibration = describer.calibration
    head = {
        "kind": KIND,
        "parts": [
            {"folder": part.kind, "weight": weight, "arrays": part.spec["arrays"]}
            for part, weight in zip(describer.parts, describer.weights, strict=True)
        ],
        "halved_at": describer.halved_at,
        "calibration": None if calibration is None else calibration.to_json(),
    }
    write_json(folder / HEAD, DESCRIBER_FORMAT, head)
    return folder


def load_fused(folder: Path | str) -> FusedDescriber:
    """Read what :func:`save_fused` wrote."""
    folder = Path(folder)
    head = read_head(folder)
    try:
        entries = head["parts"]
        parts = tuple(load_classical(folder / entry["folder"]) for entry in entries)
        for part, entry in zip(parts, entries, strict=True):
            if part.spec["arrays"] != entry["arrays"]:
                raise DgmpError(f"{folder / entry['folder']}: is not the part that was saved here")
        weights = tuple(float(entry["weight"]) for entry in entries)
        halved_at = head.get("halved_at")  # format 2 has none
        stored = head["calibration"]
        if stored is None or stored.get("version") in CALIBRATION_FORMAT.older:
            return FusedDescriber(
                parts, weights, None, halved_at
            )  # an earlier one says nothing here
        return FusedDescriber(parts, weights, Calibration.from_json(stored), halved_at)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DgmpError(f"{folder / HEAD}: does not describe a fused describer: {error}") from error

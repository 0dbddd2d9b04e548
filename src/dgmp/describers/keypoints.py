"""A network that looks at patches around keypoints, and how its activations describe a page.

    page → keypoints → patches → network (64 activations each) → VLAD → soft whitening → unit vector

The network was trained without labels (``dgmp learn``); all after it is what RootSIFT descriptors
get as well, see :mod:`dgmp.classical`. On disk one folder: the network as ``save_model`` writes it,
and beside it describer.json and arrays.npz with what was fitted to its activations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ..classical import (
    CLASSICAL,
    Contributions,
    Keypoints,
    Sift,
    SoftWhitening,
    VectorStep,
    Vlad,
    VladConfig,
    config_of,
    cut_keypoint_patches,
    encode_pages,
    fingerprint,
    finish_encoding,
    fit_pages_vlad,
    load_fitted,
    save_fitted,
    stored_classes,
    vlad_contributions,
)
from ..errors import CorpusError, DgmpError, ImageError
from ..hands import Calibration
from ..models import TrainedModel, load_model
from ..pixels import PageImage, Preparation
from ..records import Matrix, PageProgress, Rectangles
from .calibration_files import load_calibration
from .learned import as_input, find_device, packed_model, unpacked_model

KIND = "keypoints"
AT_A_TIME = 64  # patches shown to the network: more no longer fit into the cache of a core


@dataclass(frozen=True, eq=False)
class KeypointEncoding:
    """What becomes of a page around the network: where it looks, and what follows."""

    network: str  # SHA-256 of the weights whose activations are encoded
    sift: Sift
    vlad: Vlad
    whitening: VectorStep


class KeypointDescriber:
    """Pages to vectors by the activations of a network at keypoints."""

    def __init__(
        self,
        model: TrainedModel,
        encoding: KeypointEncoding,
        *,
        device: str = "cpu",
        calibration: Calibration | None = None,
    ) -> None:
        self.model = model
        self.calibration = calibration
        self.encoding = encoding
        self.device = find_device(device)
        model.network.to(self.device)

    def __reduce__(self) -> tuple[Any, ...]:
        """Weights travel to worker processes as arrays, see ``packed_model``."""
        packed = packed_model(self.model)
        return _rebuilt, (*packed, self.encoding, str(self.device), self.calibration)

    @property
    def preparation(self) -> Preparation:
        """That of the pages the network was trained on."""
        return self.model.input.preparation

    @property
    def dim(self) -> int:
        """The width of its vectors."""
        return self.encoding.whitening.dim

    @property
    def spec(self) -> Mapping[str, Any]:
        """The network, every setting of the encoding, and a SHA-256 of its arrays."""
        return {
            "kind": KIND,
            "config": config_of(self.encoding),
            "arrays": fingerprint(self.encoding),
            **self.model.describe(),
        }

    def describe_page(self, image: PageImage) -> Matrix:  # (dim,)
        """The vector of a page; an ImageError where it has no keypoint."""
        return self.encoding.whitening(self.encoding.vlad.encode(self._activations(image)))

    def contributions(self, image: PageImage) -> Contributions | None:
        """The shares of its keypoints in the vector of a page."""
        vlad, whitening = self.encoding.vlad, self.encoding.whitening
        if not isinstance(whitening, SoftWhitening):
            return None
        local = self._activations(image)
        vector, scale = finish_encoding(vlad.encode(local), whitening)
        positions = self.encoding.sift.detect(np.asarray(image.pixels)).positions
        return vlad_contributions(vlad, local, positions, self.model.input.side, vector, scale)

    def _activations(self, image: PageImage) -> Matrix:  # (keypoints, dim)
        local = activations(self.model, self.encoding.sift, image)
        if not len(local):
            raise ImageError(image.page.id, "too little ink: nothing on it can be described")
        return local


def keypoint_rectangles(keypoints: Keypoints, side: int) -> Rectangles:  # (keypoints, 4)
    """Where the patches lie that ``cut_keypoint_patches`` cuts."""
    corner = np.rint(keypoints.positions).astype(np.int32) - side // 2
    return np.concatenate([corner, corner + side], axis=1)


def activations(model: TrainedModel, sift: Sift, image: PageImage) -> Matrix:  # (keypoints, dim)
    """What the network pools at every keypoint of a page, from top to bottom."""
    network = model.network
    device = next(network.parameters()).device
    pixels = np.asarray(image.pixels)
    patches = cut_keypoint_patches(pixels, sift.detect(pixels), model.input.side)
    found = [np.zeros((0, network.pooled_channels), np.float32)]
    with torch.inference_mode():
        for start in range(0, len(patches), AT_A_TIME):
            part = as_input(model, patches[start : start + AT_A_TIME], device)
            found.append(network.pooling(network.features(part)).float().cpu().numpy())
    return np.concatenate(found)


def fit_keypoint_describer(
    model: TrainedModel,
    images: Iterable[PageImage],
    sift: Sift | None = None,
    vlad: VladConfig | None = None,
    *,
    seed: int = 0,
    device: str = "cpu",
    progress: PageProgress | None = None,
) -> KeypointDescriber:
    """Fit vocabularies and whitening to the activations of a saved network on pages.

    The whitening is that of RootSIFT with VLAD. Activations are kept in half precision until the
    end, a quarter of a megabyte for a page of 2000 keypoints.
    """
    if model.digest is None:
        raise ValueError("model must be one that was saved and loaded: its weights need a digest")
    sift = sift or Sift()
    model.network.to(find_device(device))
    local = []
    for image in images:
        found = activations(model, sift, image)
        if len(found):
            local.append(found.astype(np.float16))
        if progress is not None:
            progress(1)
    if len(local) < 2:
        raise CorpusError(f"fitting needs at least two pages with writing, got {len(local)}")
    like = CLASSICAL["rootsift-vlad"]
    fitted = fit_pages_vlad(local, vlad, seed=seed)
    vectors = encode_pages(fitted, local, like.bands)
    assert like.finish is not None
    vectors = vectors[vectors.any(axis=1)]  # a band may be empty
    encoding = KeypointEncoding(model.digest, sift, fitted, like.finish(vectors))
    return KeypointDescriber(model, encoding, device=device)


def save_keypoint_encoding(describer: KeypointDescriber, folder: Path | str) -> None:
    """Write what was fitted into the folder of the network, whole or not at all."""
    save_fitted(describer.encoding, folder, KIND)


def load_keypoint_describer(folder: Path | str, *, device: str = "cpu") -> KeypointDescriber:
    """Read a folder with a network and what :func:`save_keypoint_encoding` wrote beside it."""
    encoding = load_fitted(
        folder, {**stored_classes(), KeypointEncoding.__name__: KeypointEncoding}
    )
    if not isinstance(encoding, KeypointEncoding):
        raise DgmpError(f"{folder}: holds a {type(encoding).__name__}, no encoding of keypoints")
    model = load_model(folder)
    if model.digest != encoding.network:
        raise DgmpError(f"{folder}: its describer.json was fitted to another network")
    describer = KeypointDescriber(model, encoding, device=device)
    describer.calibration = load_calibration(describer, folder)
    return describer


def _rebuilt(
    about: dict[str, Any],
    state: dict[str, NDArray[Any]],
    encoding: KeypointEncoding,
    device: str,
    calibration: Calibration | None,
) -> KeypointDescriber:
    model = unpacked_model(about, state)
    return KeypointDescriber(model, encoding, device=device, calibration=calibration)

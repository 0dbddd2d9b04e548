"""Task 3, textures on frozen features: find other pictures of a texture that was never trained on.

A texture is a random spectrum (orientation, wavelength, spread) through a random curve into two
colours; a picture of it is another draw of the noise, turned, scaled and lit differently. The map
is that of an EfficientNet-Lite0 with ImageNet weights at stride 16, which stays as it is; only a
1×1 convolution to 64 channels and the pooling are trained.
"""

from __future__ import annotations

import numpy as np
import torch
from task import STREAMS, Split, Task, conv
from torch import Tensor, nn
from torch.nn import functional as F

from dgmp.models import efficientnet_lite0, lite0_weights, load_weights

SIDE, PICTURES = 128, 10
CLASSES = {"train": 60, "val": 25, "test": 60}
MAP_BLOCKS, MAP_CHANNELS = 11, 112


def picture(texture: int, rng: np.random.Generator) -> np.ndarray:  # (3, SIDE, SIDE)
    own = np.random.default_rng((77, texture))
    angle, log_wave = own.uniform(0, np.pi), own.uniform(np.log(6), np.log(20))
    narrow, wide, curve = own.uniform(0.05, 0.3), own.uniform(0.1, 0.8), own.uniform(0.3, 2.5)
    colours = own.uniform(0.35, 0.65, (2, 3)) + own.uniform(-0.15, 0.15, (2, 1))
    angle = angle + rng.normal(0, 0.2)
    wave = np.exp(log_wave + rng.normal(0, 0.1))
    fy, fx = np.fft.fftfreq(SIDE)[:, None], np.fft.fftfreq(SIDE)[None, :]
    length = np.hypot(fx, fy) + 1e-6
    turned = np.arctan2(fy, fx) - angle
    apart = np.arctan2(np.sin(2 * turned), np.cos(2 * turned)) / 2
    spectrum = np.exp(-((np.log(length * wave) / narrow) ** 2) / 8 - (apart / wide) ** 2 / 2)
    noise = np.fft.fft2(rng.standard_normal((SIDE, SIDE)))
    field = np.fft.ifft2(noise * spectrum).real
    field = np.tanh(curve * field / field.std())[..., None]
    light = rng.uniform(0.8, 1.2) * (1 + rng.uniform(-0.15, 0.15, 3))
    picture = (colours[0] * (1 + field) + colours[1] * (1 - field)) / 2 * light
    picture = picture + rng.normal(0, 0.15, picture.shape)
    return (2 * picture.clip(0, 1) - 1).transpose(2, 0, 1).astype(np.float32)


@torch.no_grad()
def frozen_maps(pictures: Tensor) -> Tensor:  # (n, 3, SIDE, SIDE) -> (n, 112, 8, 8)
    network = efficientnet_lite0(classes=None)
    load_weights(network, lite0_weights())
    network.eval()
    maps = []
    for x in pictures.split(32):
        x = F.relu6(network.bn0(network.conv_stem(x)))
        for block in network.blocks[:MAP_BLOCKS]:
            x = block(x)
        maps.append(x)
    return torch.cat(maps)


def textures(split: str, seed: int) -> Split:
    rng = np.random.default_rng((20 + STREAMS[split], 0))
    first = {"train": 0, "val": 1000, "test": 2000}[split]
    labels = np.repeat(np.arange(CLASSES[split]), PICTURES)
    pictures = np.stack([picture(first + int(label), rng) for label in labels])
    return Split(frozen_maps(torch.from_numpy(pictures)), torch.from_numpy(labels))


def trunk() -> nn.Module:
    return conv(MAP_CHANNELS, 64, 1, 1)


TASK = Task("textures", True, 64, steps=200, batch=32, trunk=trunk, data=textures, block=PICTURES)

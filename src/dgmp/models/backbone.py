"""What every backbone shares: an image in, a map, one pooled vector, perhaps class scores.

    images (B, channels, H, W) -> features -> map (B, map_channels, ⌈H/stride⌉, ⌈W/stride⌉)
                               -> pooling  -> (B, out_channels) -> fc, if there is one

A batch of pages of different sizes is padded to the right and below and given a mask of its
pixels; the mask becomes one of the map, so no position outside a page is pooled. The map itself
is still computed on the padded image: positions at the edge of a page have seen the padding,
as they would have seen the zeros beyond the border of the page alone.
"""

from __future__ import annotations

import math

from torch import Tensor, nn

from ..pooling import AveragePool, map_mask


class Backbone(nn.Module):
    """A network that gives a map of an image, pools it, and may score classes.

    A subclass builds its layers, then calls :meth:`attach_head`, so that the pooling and ``fc``
    are registered last, and fills in :meth:`features`.
    """

    stride: int  # pixels from one position of the map to the next
    map_channels: int
    in_channels: int
    mean: tuple[float, ...]  # of the images the weights were trained on, values in 0..1
    std: tuple[float, ...]
    pooling: nn.Module
    fc: nn.Linear | None  # None: the pooled vector is what comes out

    def attach_head(self, pooling: nn.Module | None, classes: int | None) -> None:
        """Put the pooling (``None``: average) and the classifier (``None``: none) at the end."""
        if classes is not None and classes < 1:
            raise ValueError(f"classes must be positive or None (no classifier), got {classes}")
        self.pooling = AveragePool() if pooling is None else pooling
        built_for = getattr(self.pooling, "channels", None)
        if built_for not in (None, self.map_channels):
            raise ValueError(
                f"pooling was built for {built_for} channels, "
                f"the map of this {type(self).__name__} has {self.map_channels}"
            )
        self.fc = None if classes is None else nn.Linear(self.pooled_channels, classes)
        if self.fc is not None and getattr(self.pooling, "normalize", False):
            # Scores of spread one from a vector of length one: torch's own start, meant for
            # entries of spread one, gives scores near zero, which take hundreds of steps to grow.
            nn.init.normal_(self.fc.weight)
            nn.init.zeros_(self.fc.bias)

    @property
    def pooled_channels(self) -> int:
        """The width of the pooled vector."""
        return int(getattr(self.pooling, "out_channels", None) or self.map_channels)

    def features(self, images: Tensor) -> Tensor:  # (B, in_channels, H, W) -> (B, C, h, w)
        """The last map of the network, before any pooling."""
        raise NotImplementedError

    def forward(
        self,
        images: Tensor,  # (B, in_channels, H, W), standardised
        mask: Tensor | None = None,  # (B, H, W), boolean: True where there is a page
    ) -> Tensor:  # (B, classes), or (B, out_channels) without a classifier
        if mask is not None and mask.shape != (images.shape[0], *images.shape[2:]):
            raise ValueError(
                f"mask must have one value per pixel of images {tuple(images.shape)}, "
                f"got {tuple(mask.shape)}"
            )
        features = self.features(images)
        if mask is None:
            pooled = self.pooling(features)
        else:
            pooled = self.pooling(features, map_mask(mask, self.stride))
        return pooled if self.fc is None else self.fc(pooled)

    def standardize(self, images: Tensor) -> Tensor:  # (B, in_channels, H, W), values in 0..1
        """Bring images to the mean and spread of those the weights were trained on.

        A net with one input channel uses the averages over the three colours.
        """
        mean, std = images.new_tensor(self.mean), images.new_tensor(self.std)
        if self.in_channels == 1:
            mean, std = mean.mean(), std.mean()
        return (images - mean.reshape(-1, 1, 1)) / std.reshape(-1, 1, 1)


def check_option(name: str, value: int, allowed: tuple[int, ...]) -> None:
    """Refuse a structural option outside its few values."""
    if value not in allowed:
        choices = " or ".join(map(str, allowed))
        raise ValueError(f"{name} must be {choices}, got {value!r}")


def start_weights(model: nn.Module) -> None:
    """Random weights that keep the variance from layer to layer of a ReLU net (He et al. 2015)."""
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            fan_out = module.weight[:, 0].numel() / module.groups
            nn.init.normal_(module.weight, std=math.sqrt(2 / fan_out))

"""From a mask of the image to a mask of its feature map."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor


def map_mask(
    image_mask: Tensor,  # (B, height, width), boolean: True where there is a page
    stride: int,
) -> Tensor:  # (B, ⌈height/stride⌉, ⌈width/stride⌉), boolean
    """The positions of a map of total stride ``stride`` that see any pixel of the image.

    One rule: position (i, j) looks at the ``stride`` × ``stride`` cell of pixels that starts at
    (i·stride, j·stride), and counts where at least one of them is on. An image padded to the
    right and below then has exactly as many positions on as the network gives it alone.
    """
    if image_mask.ndim != 3:
        raise ValueError(
            f"image_mask must be (batch, height, width), got {tuple(image_mask.shape)}"
        )
    cells = F.max_pool2d(image_mask.float(), stride, stride, ceil_mode=True)
    return cells > 0

"""Images for the tests of backbones."""

import torch


def images(height=40, width=70, channels=3):
    return torch.rand(2, channels, height, width, generator=torch.Generator().manual_seed(0))

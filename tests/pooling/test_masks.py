"""From a mask of the image to a mask of the map."""

import pytest
import torch

from dgmp.pooling import map_mask


@pytest.mark.parametrize("stride", [1, 7, 16, 32])
@pytest.mark.parametrize("size", [(1, 1), (31, 64), (32, 33), (100, 65)])
def test_a_padded_image_keeps_the_positions_it_has_alone(size, stride):
    mask = torch.zeros(1, 130, 100, dtype=torch.bool)
    mask[:, : size[0], : size[1]] = True
    rows, columns = (-(-side // stride) for side in size)
    expected = torch.zeros(1, -(-130 // stride), -(-100 // stride), dtype=torch.bool)
    expected[:, :rows, :columns] = True
    assert torch.equal(map_mask(mask, stride), expected)


def test_a_single_pixel_is_enough():
    mask = torch.zeros(1, 64, 64, dtype=torch.bool)
    mask[0, 40, 63] = True
    assert map_mask(mask, 32).tolist() == [[[False, False], [False, True]]]


def test_other_axes_are_refused():
    with pytest.raises(ValueError, match=r"\(batch, height, width\), got \(4, 4\)"):
        map_mask(torch.ones(4, 4, dtype=torch.bool), 2)

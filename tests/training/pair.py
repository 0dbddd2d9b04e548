"""The steps that two processes of one group take, and one alone; run as a file, it is the two."""

import os
import sys
from pathlib import Path

import torch
import torch.multiprocessing as mp
from torch import nn

from dgmp.models import ModelSpec
from dgmp.training.distributed import own_part, start_processes
from dgmp.training.gradient import backward_in_chunks
from dgmp.training.losses import make_loss
from dgmp.training.recipes import RECIPES
from dgmp.training.schedules import make_optimizer

LABELS = torch.arange(4).repeat_interleave(2)
WAYS = {"centred": (None, True), "in chunks": (2, False)}  # chunk, center


def three_steps(fabric, chunk, center):
    """Batch normalisation frozen; a centred pooling synchronises its mean over processes."""
    torch.manual_seed(0)
    options = {"relative": True, "center": center}
    model = ModelSpec("resnet20", "gmp", options, stem_stride=2).build().double()
    recipe = RECIPES["writer-small"]
    optimizer = make_optimizer(model, recipe)
    network, optimizer = fabric.setup(model, optimizer)
    network.train()
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.eval()
    generator = torch.Generator().manual_seed(1)
    losses = []
    for _ in range(3):
        images = torch.randn(8, 1, 32, 32, dtype=torch.float64, generator=generator)
        optimizer.zero_grad()
        value, _ = backward_in_chunks(
            network,
            own_part(images, fabric),
            own_part(LABELS, fabric),
            make_loss(recipe),
            fabric,
            chunk,
        )
        optimizer.step()
        losses.append(value.item())
    return losses, model.state_dict()


def one_of_two(rank, port, folder):
    os.environ |= {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "WORLD_SIZE": "2",
        "LOCAL_WORLD_SIZE": "2",
        "RANK": str(rank),
        "LOCAL_RANK": str(rank),
        "GROUP_RANK": "0",
        "TORCHELASTIC_RUN_ID": "test",
    }
    fabric = start_processes("cpu", 1, "32-true")
    found = {way: three_steps(fabric, *options) for way, options in WAYS.items()}
    torch.save(found, folder / f"{rank}.pt")


if __name__ == "__main__":
    port, folder = int(sys.argv[1]), Path(sys.argv[2])
    mp.start_processes(one_of_two, args=(port, folder), nprocs=2, start_method="fork")

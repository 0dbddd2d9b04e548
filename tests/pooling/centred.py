"""Steps of a network with a centred pooling; run as a file, two processes take them."""

import sys
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from dgmp.pooling import GeneralizedMaxPool

FEATURES = torch.randn(4, 6, 5, 5, generator=torch.Generator().manual_seed(0)).relu()
TARGET = torch.randn(4, 6, generator=torch.Generator().manual_seed(1))


def network():
    torch.manual_seed(2)
    pooling = GeneralizedMaxPool(0.1, relative=True, center=6)
    return nn.Sequential(nn.Conv2d(6, 6, 1), pooling)


def train(model, features, target):
    optimiser = torch.optim.SGD(model.parameters(), lr=0.5)
    for _ in range(3):
        optimiser.zero_grad()
        (model(features) * target).sum(1).mean().backward()
        optimiser.step()


def state_of_one(rank):
    model = DistributedDataParallel(network())
    part = slice(2 * rank, 2 * rank + 2)
    train(model, FEATURES[part], TARGET[part])
    return model.module.state_dict()


def one_of_two(rank, folder):
    meeting = (folder / "meeting").as_uri()  # a free port may be taken by another test
    dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=2)
    # The model ends before its group: the other way round torch may wait for itself for ever.
    torch.save(state_of_one(rank), folder / f"{rank}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.start_processes(one_of_two, args=(Path(sys.argv[1]),), nprocs=2, start_method="fork")

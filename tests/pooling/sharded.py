"""A step of every pooling in two processes whose parameters are sharded; run as a file."""

import os
import sys
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from small_poolings import CHANNELS, PAPER, make
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.testing import assert_close

from dgmp.pooling.zoo import POOLINGS


def model(name):
    torch.manual_seed(0)
    pooling = make(name, torch.float32)
    return nn.Sequential(nn.Conv2d(3, CHANNELS, 1), nn.ReLU(), pooling)


def step(module):
    """One step of SGD; the vectors before and after."""
    images = torch.randn(4, 3, 5, 5, generator=torch.Generator().manual_seed(1))
    optimiser = torch.optim.SGD(module.parameters(), lr=0.1)
    before = module(images)
    before.square().mean().backward()
    optimiser.step()
    return before.detach(), module(images).detach()


def one_of_two(rank, folder):
    store = dist.FileStore(str(folder / "store"), 2)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2)
    mesh = init_device_mesh("cpu", (2,))
    kinds = {
        "FSDP": lambda module: FullyShardedDataParallel(
            module, device_id=torch.device("cpu"), use_orig_params=True
        ),
        "fully_shard": lambda module: fully_shard(module, mesh=mesh),
    }
    faults = []
    for name in (*POOLINGS, PAPER):
        expected = step(model(name))
        for kind, shard in kinds.items():
            try:
                for got, wanted in zip(step(shard(model(name))), expected, strict=True):
                    assert_close(got, wanted, rtol=1e-4, atol=1e-5)
            except Exception as error:
                faults.append(f"{kind} {name}: {error!r}")
    (folder / f"faults{rank}").write_text("\n".join(faults))
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    mp.start_processes(one_of_two, args=(Path(sys.argv[1]),), nprocs=2, start_method="fork")

"""Every pooling in two processes whose parameters are sharded, by FSDP of either kind."""

import os
import tempfile
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.testing import assert_close

from dgmp.pooling.zoo import POOLINGS

from .small_poolings import CHANNELS, PAPER, make


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


def sharded(rank, folder):
    store = dist.FileStore(str(Path(folder) / "store"), 2)
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
    (Path(folder) / f"faults{rank}").write_text("\n".join(faults))
    dist.destroy_process_group()


@pytest.fixture(scope="module")
def faults():
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
        torch.multiprocessing.spawn(sharded, (folder,), nprocs=2)
        return "".join(file.read_text() for file in sorted(Path(folder).glob("faults*")))


def test_every_pooling_learns_the_same_when_it_is_sharded(faults):
    assert faults == ""

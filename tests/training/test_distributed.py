"""Two real processes do what one does with the whole batch."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
import torch.multiprocessing as mp
from lightning_fabric import Fabric
from torch import nn
from torch.testing import assert_close

from dgmp.errors import DgmpError
from dgmp.models import ModelSpec
from dgmp.training.distributed import own_part, start_processes
from dgmp.training.gradient import backward_in_chunks
from dgmp.training.losses import make_loss
from dgmp.training.recipes import RECIPES
from dgmp.training.schedules import make_optimizer

from .conftest import SMALL

LABELS = torch.arange(4).repeat_interleave(2)


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


def one_of_two(rank, port, chunk, center, folder):
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
    found = three_steps(start_processes("cpu", 1, "32-true"), chunk, center)
    torch.save(found, folder / f"{rank}.pt")


@pytest.mark.parametrize(
    ("chunk", "center"), [(None, True), (2, False)], ids=["centred", "in chunks"]
)
def test_two_processes_take_the_steps_of_one(chunk, center, tmp_path):
    losses, state = three_steps(Fabric(accelerator="cpu", devices=1), chunk, center)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    mp.spawn(one_of_two, args=(port, chunk, center, tmp_path), nprocs=2)
    for rank in range(2):
        their_losses, their_state = torch.load(tmp_path / f"{rank}.pt")
        assert_close(their_losses, losses, rtol=1e-9, atol=1e-12)
        for name, value in state.items():
            assert_close(their_state[name], value, rtol=1e-6, atol=1e-9, msg=name)


def test_a_killed_process_ends_the_run_which_then_goes_on(hands, tmp_path):
    command = [
        str(Path(sys.executable).with_name("dgmp")),
        *("train", "writer-small", "--data", str(hands.root), "--out", str(tmp_path / "run")),
        *("--device", "cpu", "--devices", "2"),
        *(part for change in [*SMALL, "epochs=60"] for part in ("--set", change)),
    ]
    started = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    deadline = time.monotonic() + 300
    while not (tmp_path / "run" / "checkpoint.pt").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    children = Path(f"/proc/{started.pid}/task/{started.pid}/children").read_text().split()
    other = [int(pid) for pid in children if b"dgmp" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    os.kill(other[-1], signal.SIGKILL)
    _, said = started.communicate(timeout=300)
    assert started.returncode == 1
    assert "another process of this run has ended; the last checkpoint is epoch" in said
    assert "Traceback" not in said
    state = torch.load(tmp_path / "run" / "checkpoint.pt", weights_only=True)
    assert 0 < state["epoch"] < 60


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("tpu", 1, "32-true"), "device must be auto, cpu or cuda"),
        (("cpu", 0, "32-true"), "at least 1"),
        (("cpu", 1, "8-bit"), "precision must be"),
    ],
)
def test_what_cannot_be_started_is_refused(arguments, words):
    with pytest.raises(DgmpError, match=words):
        start_processes(*arguments)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_missing_gpu_is_refused():
    with pytest.raises(DgmpError, match="no usable GPU"):
        start_processes("cuda", 1, "32-true")

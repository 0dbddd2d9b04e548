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
from lightning_fabric import Fabric
from torch.testing import assert_close

from dgmp.errors import DgmpError
from dgmp.training.distributed import start_processes

from . import pair
from .conftest import SMALL


def test_two_processes_take_the_steps_of_one_centred_and_in_chunks(tmp_path, forks):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    done = forks.run(pair.__file__, port, tmp_path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    both = [torch.load(tmp_path / f"{rank}.pt") for rank in range(2)]
    for way, options in pair.WAYS.items():
        losses, state = pair.three_steps(Fabric(accelerator="cpu", devices=1), *options)
        for their_losses, their_state in (found[way] for found in both):
            assert_close(their_losses, losses, rtol=1e-9, atol=1e-12)
            for name, value in state.items():
                assert_close(their_state[name], value, rtol=1e-6, atol=1e-9, msg=f"{way} {name}")


def test_a_killed_process_ends_the_run_which_then_goes_on(hands, tmp_path):
    command = [
        str(Path(sys.executable).with_name("dgmp")),
        *("train", "writer-small", "--data", str(hands.root), "--out", str(tmp_path / "run")),
        *("--device", "cpu", "--devices", "2"),
        *(part for change in [*SMALL, "epochs=60", "epoch_steps=1"] for part in ("--set", change)),
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

"""Processes of this machine end with the program that began them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = """
from engines.work import process_id_slowly
from dgmp.engines import Processes

if __name__ == "__main__":
    for _, worker in Processes(2).map(process_id_slowly, range(1000)):
        print(worker, flush=True)
"""


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(done):
    deadline = time.monotonic() + 60
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGTERM], ids=lambda kill: kill.name)
def test_a_program_that_is_killed_leaves_no_process_and_no_file(tmp_path, kill):
    program, temporary = tmp_path / "program.py", tmp_path / "temporary"
    program.write_text(PROGRAM)
    temporary.mkdir()
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    process = subprocess.Popen(
        [sys.executable, program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        text=True,
    )
    workers = {int(process.stdout.readline()) for _ in range(20)}
    process.send_signal(kill)
    process.communicate()
    wait_until(lambda: not any(map(is_running, workers)))
    wait_until(lambda: not list(temporary.iterdir()))

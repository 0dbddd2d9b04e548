"""Programs as processes that begin at once: forked from one that has imported what is slow.

Nothing of dgmp is imported before, so that a program imports all that it names.
"""

import gc
import json
import os
import runpy
import signal
import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

# Not lancedb and pyarrow, which start threads: a fork has none but the one that forked.
SLOW = ("torch", "cv2", "lightning_fabric", "matplotlib.figure", "scipy.optimize",
        "skimage.filters", "sklearn.cluster")  # fmt: skip
LONGEST = 300  # seconds: a program that takes longer is ended by SIGALRM


@dataclass(frozen=True)
class Ended:
    """How a program ended, and what it said."""

    returncode: int
    stdout: str
    stderr: str


class Forks:
    """Runs one program at a time as ``python FILE ARGUMENTS`` does, in a process of its own."""

    def __init__(self):
        self._server = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            text=True,
        )

    def run(self, program, *arguments, cwd):
        with TemporaryDirectory() as folder:
            outcome = [Path(folder, name) for name in ("stdout", "stderr")]
            request = [str(word) for word in (cwd, *outcome, program, *arguments)]
            self._server.stdin.write(f"{json.dumps(request)}\n")
            self._server.stdin.flush()
            status = self._server.stdout.readline()
            assert status, "the process that forks programs has ended"
            return Ended(int(status), *(said.read_text() for said in outcome))

    def close(self):
        self._server.stdin.close()
        self._server.wait()


@pytest.fixture(scope="session")
def forks():
    """What runs programs."""
    found = Forks()
    yield found
    found.close()


def serve():
    gc.disable()
    for name in SLOW:
        import_module(name)
    gc.enable()
    gc.freeze()  # at its end a program would go through all that was imported, and copy it
    assert len(list(Path("/proc/self/task").iterdir())) == 1, "an import has started a thread"
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    while line := requests.readline():
        cwd, stdout, stderr, program, *arguments = json.loads(line)
        pid = os.fork()
        if not pid:
            requests.close()
            answers.close()
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            for number, path in ((1, stdout), (2, stderr)):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
            os.chdir(cwd)
            signal.alarm(LONGEST)
            sys.argv[:] = [program, *arguments]
            sys.path[0] = str(Path(program).parent)
            runpy.run_path(program, run_name="__main__")
            return  # and end as every program does
        _, status = os.waitpid(pid, 0)
        answers.write(f"{os.waitstatus_to_exitcode(status)}\n".encode())


if __name__ == "__main__":
    serve()

"""Commands as processes that begin at once: forked from one that has imported what is slow.

Of a command that works for two seconds five would be spent on imports, and most kills would fall
there.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

# What commands import; not lancedb and pyarrow, which start threads.
SLOW = ("cv2", "lance_namespace", "matplotlib.figure", "scipy.optimize", "skimage.filters",
        "sklearn.cluster", "dgmp.training", "dgmp.tasks", "dgmp.experiments")  # fmt: skip


@dataclass(frozen=True)
class Ended:
    """How a command ended; ``code`` is negative for the signal that ended it."""

    code: int
    errors: str
    peak: int  # MB
    group: int  # of the command and all its workers


class Nursery:
    """Runs one command at a time in a process, session and process group of its own."""

    def __init__(self, slow: Sequence[str] = SLOW) -> None:
        self._errors = Path(tempfile.mkstemp(prefix="attack-")[1])
        self._server = subprocess.Popen(
            [sys.executable, "-c", "import forking; forking.serve()", *slow],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parent,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )
        self._pid = 0

    def begin(self, *arguments: object) -> None:
        request = json.dumps([str(self._errors), *map(str, arguments)])
        assert self._server.stdin is not None
        self._server.stdin.write(f"{request}\n".encode())
        self._server.stdin.flush()
        self._pid = int(self._answer())

    def end(self, kill_after: float | None = None) -> Ended:
        """Wait for it, at most that many seconds; then it is killed."""
        assert self._server.stdout is not None
        if (
            kill_after is not None
            and not select.select([self._server.stdout], [], [], kill_after)[0]
        ):
            os.kill(self._pid, signal.SIGKILL)
        code, peak = json.loads(self._answer())
        return Ended(code, self._errors.read_text(errors="replace"), peak, self._pid)

    def run(self, *arguments: object, kill_after: float | None = None) -> Ended:
        self.begin(*arguments)
        return self.end(kill_after)

    def close(self) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait()
        self._errors.unlink(missing_ok=True)

    def _answer(self) -> bytes:
        assert self._server.stdout is not None
        line = b""
        while not line.endswith(b"\n"):  # unbuffered, so that select knows what is left
            byte = os.read(self._server.stdout.fileno(), 1)
            if not byte:
                raise RuntimeError("the process that forks commands has ended")
            line += byte
        return line


def serve() -> None:
    """In the process that forks: a JSON list of the file for errors and the arguments per line."""
    for name in sys.argv[1:]:
        import_module(name)
    from dgmp.cli import main

    gc.freeze()  # at its end a command would go through all that was imported, and copy it
    # A child has no threads but the one that forked, so that none may run here.
    assert len(list(Path("/proc/self/task").iterdir())) == 1, "an import has started a thread"
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    while line := requests.readline():
        errors, *arguments = json.loads(line)
        pid = os.fork()
        if not pid:
            requests.close()
            answers.close()
            os.setsid()
            nothing = os.open(os.devnull, os.O_RDWR)
            os.dup2(nothing, 0)
            os.dup2(nothing, 1)
            os.dup2(os.open(errors, os.O_WRONLY | os.O_TRUNC), 2)
            sys.argv = ["dgmp", *arguments]
            main()
            return
        answers.write(f"{pid}\n".encode())
        _, status, usage = os.wait4(pid, 0)
        ended = [os.waitstatus_to_exitcode(status), usage.ru_maxrss // 1024]
        answers.write(f"{json.dumps(ended)}\n".encode())

"""``dgmp learn``, killed in each of its stages and begun again; run as a file.

Importing takes longer than learning, so one process imports and forks those that are killed.
"""

import gc
import os
import signal
import sys

from matplotlib.backends import backend_agg  # noqa: F401

import dgmp.cli.progress
import dgmp.training

STAGES = ("preparing", "finding", "epoch 2/4", "describing")

if __name__ == "__main__":
    gc.freeze()  # the children end sooner
    for stage in (*STAGES, None):
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            sys.stderr = os.fdopen(writing, "w", buffering=1)
            dgmp.cli.app(["learn", *sys.argv[1:]])  # ends the process
        os.close(writing)
        with os.fdopen(reading) as said:
            for line in said:
                if stage is not None and line.startswith(stage):
                    os.kill(child, signal.SIGKILL)
                    break
            said.read()
        _, status = os.waitpid(child, 0)
        print(stage, os.waitstatus_to_exitcode(status), flush=True)

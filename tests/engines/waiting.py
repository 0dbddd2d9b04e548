"""Work for a process of its own that does not end by itself."""

import os
import time
from pathlib import Path


def note_and_wait(folder):
    """Leave the number of this process in a folder, and stay."""
    (Path(folder) / f"{os.getpid()}.pid").touch()
    time.sleep(600)

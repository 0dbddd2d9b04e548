"""Where ``dgmp`` begins: what to install where there is only the layer."""

from __future__ import annotations

import atexit
import gc
import sys

LACKING = ("typer", "msgspec")  # in the bare install
BARE = """dgmp {version}: the layer is installed, the command line is not.

The layer:      from dgmp import GeneralizedMaxPool, replace_global_pooling

  pip install 'dgmp[pages]'                     describe, compare and group pages of writing
  pip install 'dgmp[pages,web,sources,tables]'  and the page in the browser, PDF, IIIF, spreadsheets
  pip install 'dgmp[learning]'                  train networks
  pip install 'dgmp[learning,export]'                    ONNX files
"""


def main() -> None:
    """Run the command line on the arguments of the process."""
    try:
        from .app import main as run
    except ModuleNotFoundError as error:
        if error.name not in LACKING:
            raise
        from .. import __version__

        asked = {"-h", "--help", "--version"} & set(sys.argv[1:])
        print(BARE.format(version=__version__), file=sys.stdout if asked else sys.stderr)
        raise SystemExit(0 if asked else 1) from None
    atexit.register(gc.freeze)  # nothing is searched for garbage when all ends: half a second
    run()

"""``dgmp`` where only the layer is installed."""

import subprocess
import sys

import pytest

# As if these were not installed: whatever tries to import one finds nothing.
BARE = """
import sys

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"typer", "msgspec", "cv2", "PIL", "safetensors"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Nothing())
"""
LAYER = """
import torch
from dgmp import GeneralizedMaxPool, replace_global_pooling
from dgmp.models import resnet18
model = replace_global_pooling(resnet18(classes=3), GeneralizedMaxPool())
assert model(torch.randn(1, 3, 64, 64)).shape == (1, 3)
"""


def bare(code, *arguments):
    return subprocess.run(
        [sys.executable, "-c", BARE + code, *arguments], capture_output=True, text=True
    )


@pytest.mark.parametrize(("argument", "code"), [("--help", 0), ("describe", 1)])
def test_without_typer_it_says_what_to_install(argument, code):
    done = bare("from dgmp.cli import main; main()", argument)
    assert done.returncode == code
    told = done.stdout if code == 0 else done.stderr
    assert "pip install 'dgmp[pages]'" in told
    assert "Traceback" not in done.stderr


def test_the_layer_and_surgery_need_torch_and_numpy_only():
    done = bare(LAYER)
    assert done.returncode == 0, done.stderr

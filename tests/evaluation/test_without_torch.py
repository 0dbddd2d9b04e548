"""Metrics need numpy and nothing else."""

import subprocess
import sys

CODE = """
import sys
import dgmp.evaluation, dgmp.records
from dgmp.evaluation import retrieval_scores
retrieval_scores([[1, 0], [1, 0], [0, 1]], "aab")
heavy = {"torch", "scipy", "sklearn", "matplotlib", "skimage", "PIL"} & set(sys.modules)
sys.exit(", ".join(sorted(heavy)) or 0)
"""


def test_neither_torch_nor_any_extra_is_imported():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr

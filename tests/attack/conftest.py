"""The attacks live in ``benchmarks/attack``; here is a small, fixed part of them."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks" / "attack"))

from ground import make_ground


@pytest.fixture(scope="session")
def ground(tmp_path_factory):
    return make_ground(tmp_path_factory.mktemp("ground"))

"""Surgery on the models of timm and torchvision, where they are installed."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from surgery import TIMM, TORCHVISION, trial  # noqa: E402

CASES = [("timm", name) for name in TIMM] + [("torchvision", name) for name in TORCHVISION]
FOUND = [case for case in CASES if find_spec(case[0])]


@pytest.mark.skipif(not FOUND, reason="needs timm or torchvision")
@pytest.mark.parametrize(("library", "name"), FOUND or [("timm", "")])
def test_model_is_what_it_was_but_for_its_pooling_or_refused_with_a_reason(library, name):
    found = trial(library, name)
    assert found.faults == ()
    assert bool(found.where) != bool(found.refused)

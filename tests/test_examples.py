"""Every example runs as it stands and has something to say."""

from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_and_prints(example, tmp_path, forks):
    run = forks.run(example, cwd=tmp_path)  # nothing may depend on where it is started
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()
    assert run.stderr == ""


def test_every_example_says_what_it_shows():
    assert EXAMPLES
    assert all(path.read_text(encoding="utf-8").startswith('"""') for path in EXAMPLES)

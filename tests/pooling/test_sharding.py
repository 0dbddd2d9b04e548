"""Every pooling in two processes whose parameters are sharded, by FSDP of either kind."""

from pathlib import Path


def test_every_pooling_learns_the_same_when_it_is_sharded(tmp_path, forks):
    done = forks.run(Path(__file__).with_name("sharded.py"), tmp_path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [(tmp_path / f"faults{rank}").read_text() for rank in range(2)] == ["", ""]

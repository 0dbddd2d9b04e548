"""`dgmp synth` writes a corpus."""

import pytest
from typer.testing import CliRunner

from dgmp.cli import app


@pytest.mark.parametrize("workers", [1, 2])
def test_a_corpus_is_written(tmp_path, workers):
    folder = tmp_path / "corpus"
    arguments = [folder, "--writers", 1, "--pages", 1, "--workers", workers]
    done = CliRunner().invoke(app, ["synth", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    assert "1 pages by 1 writers" in done.stdout.replace("\n", " ")
    assert (folder / "pages.csv").exists()

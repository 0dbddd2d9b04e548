"""Commands as they are typed, and how they end."""

from typer.testing import CliRunner

from dgmp.cli import app


def run(*arguments):
    """The result of a command."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def done(*arguments):
    """The result of a command that must succeed."""
    result = run(*arguments)
    assert result.exit_code == 0, (result.stderr, result.exception)
    return result


def refused(result, reason):
    """Check that it ended with one line that says why, and nothing a programmer would need."""
    assert result.exit_code == 1, (result.stdout, result.stderr, result.exception)
    last = result.stderr.splitlines()[-1]
    assert last.startswith("dgmp: ")
    assert reason in last
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    others = result.stderr.splitlines()[:-1]
    assert all(line.startswith("left out: ") for line in others), others


def misused(result):
    """Check that it ended as wrong usage does."""
    assert result.exit_code == 2
    assert "Usage" in result.stderr

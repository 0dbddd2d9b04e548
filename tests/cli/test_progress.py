"""Progress: on stderr alone, a bar on terminals, a line per epoch elsewhere."""

import io
from types import SimpleNamespace

import pytest

from dgmp.cli.progress import page_bar, page_bars, page_lines, stages, training_line

STEP = SimpleNamespace(
    epoch=0,
    epochs=2,
    step=5,
    steps=10,
    loss=0.25,
    active=0.5,
    ridge=None,
    relative_ridge=None,
    per_second=40.0,
    seconds_left=125.0,
    validation=None,
    epoch_done=False,
)


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def open_terminal(monkeypatch):
    """A function that makes stderr a terminal; pytest puts its own there until a test begins."""

    def opened():
        monkeypatch.setenv("TERM", "xterm")
        stream = Terminal()
        monkeypatch.setattr("sys.stderr", stream)
        return stream

    return opened


def replaced(**changes):
    return SimpleNamespace(**(vars(STEP) | changes))


def test_a_bar_is_shown_on_a_terminal(open_terminal):
    terminal = open_terminal()
    with page_bar("reading pages", 2) as advance:
        advance(1)
    assert "reading pages" in terminal.getvalue()
    assert "1/2" in terminal.getvalue()


def test_a_bar_appears_with_the_first_page(open_terminal):
    terminal = open_terminal()
    with page_bar("reading pages", 2):
        pass
    assert terminal.getvalue() == ""


def test_work_of_a_moment_says_nothing_where_there_is_no_terminal(capsys):
    with page_bar("reading pages", 2) as advance:
        advance(2)
    told = capsys.readouterr()
    assert (told.out, told.err.strip()) == ("", "")


def test_a_log_has_a_line_every_ten_seconds(capsys):
    seconds = iter(range(0, 1000, 4))
    advance = page_lines("describing pages", 100, clock=lambda: next(seconds))
    for _ in range(8):
        advance(1)
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines() == [
        "describing pages: 3 of 100 (3%), 15 a minute, 6:28 left",
        "describing pages: 6 of 100 (6%), 15 a minute, 6:16 left",
    ]


def test_the_last_line_of_a_log_has_no_time_left(capsys):
    seconds = iter([0, 30])
    page_lines("reading pages", 5, clock=lambda: next(seconds))(5)
    assert capsys.readouterr().err == "reading pages: 5 of 5 (100%), 10 a minute\n"


def test_every_stage_has_a_bar_of_its_own(open_terminal):
    terminal = open_terminal()
    with page_bars() as stage:
        stage("fitting", 3)(3)
        stage("describing", 4)(4)
    assert "fitting" in terminal.getvalue()
    assert "4/4" in terminal.getvalue()


def test_training_is_one_line_per_epoch_where_there_is_no_terminal(capsys):
    with training_line() as show:
        show(STEP)
        show(replaced(epoch_done=True, validation=0.5))
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines() == [
        "epoch 1/2  step 5/10  loss 0.2500  active 50%  40/s  2:05 left  validation 0.500"
    ]


def test_the_ridge_is_shown_where_there_is_one(capsys):
    with training_line() as show:
        show(replaced(epoch_done=True, ridge=1000.0, relative_ridge=0.1))
    assert "λ 1e+03 ρ 0.1" in capsys.readouterr().err


def test_a_line_that_is_alive_is_ended_before_anything_else_is_written(open_terminal):
    terminal = open_terminal()
    with training_line() as show:
        show(STEP)
    assert terminal.getvalue().endswith("\r\n")


def test_hours_are_shown_where_there_are_any(capsys):
    with training_line() as show:
        show(replaced(epoch_done=True, seconds_left=3725.0))
    assert "1:02:05 left" in capsys.readouterr().err


def test_stages_announce_on_stderr(capsys):
    with stages(2) as (announce, watch, prepared):
        announce("drawing …")
        prepared(2)
        watch(replaced(epoch_done=True))
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("drawing …\n")
    assert "epoch 1/2" in told.err

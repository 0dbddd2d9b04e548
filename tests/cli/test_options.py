"""Options that mean the same in every command."""

import inspect
import json
import math
from pathlib import Path
from typing import Annotated

import pytest
from typer import Option
from typer.main import get_command

from dgmp.cli import app
from dgmp.cli.app import COMMANDS
from dgmp.cli.options import CorpusOptions, print_json, say_left_out, takes_corpus
from dgmp.errors import CorpusError

PROGRAM = get_command(app).commands
TAKE_A_CORPUS = ("calibrate", "corpus", "describe", "evaluate", "learn", "reproduce", "train")
OPTIONS = ("--kind", "--labels", "--variant", "--split-file")


def options_of(command):
    return {option: each for each in PROGRAM[command].params for option in each.opts}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_takes_a_corpus_takes_all_of_its_options_and_others_none(command):
    named = [option for option in OPTIONS if option in options_of(command)]
    assert named == (list(OPTIONS) if command in TAKE_A_CORPUS else [])


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_of_a_corpus_has_the_same_help_everywhere(option):
    assert len({options_of(command)[option].help for command in TAKE_A_CORPUS}) == 1


def test_a_command_gets_the_options_as_one_record():
    got = []

    @takes_corpus
    def count(folder: Path, options: CorpusOptions, number: int = 3) -> None:
        got.append((folder, options, number))

    count(folder=Path("scans"), number=4, kind="csv", labels=None, variant="x", split_file=None)
    assert got == [(Path("scans"), CorpusOptions(kind="csv", variant="x"), 4)]


def test_required_arguments_come_before_the_options():
    @takes_corpus
    def count(
        folder: Path, options: CorpusOptions, number: Annotated[int, Option(min=1)] = 3
    ) -> None:
        pass

    parameters = inspect.signature(count).parameters
    assert list(parameters) == ["folder", "number", "kind", "labels", "variant", "split_file"]


def test_the_options_open_the_corpus(hands, tmp_path):
    (tmp_path / "split.csv").write_text("# dgmp split 1\nid,split\nw0_p0.png,val\n")
    corpus = CorpusOptions(split_file=tmp_path / "split.csv").open(hands)
    assert [page.id for page in corpus.in_split("val")] == ["w0_p0.png"]
    assert CorpusOptions(kind="plain").open(hands).kind == "plain"


def test_files_that_are_left_out_are_told_when_a_corpus_is_opened(hands, tmp_path, capsys):
    (tmp_path / "a.png").write_bytes((hands / "w0_p0.png").read_bytes())
    (tmp_path / "b.png").write_bytes(b"")
    assert len(CorpusOptions().open_and_say(tmp_path)) == 1
    assert capsys.readouterr().err == "left out: b.png: empty: the file has no bytes\n"


def test_a_corpus_of_which_nothing_is_left_is_refused(tmp_path):
    (tmp_path / "b.png").write_bytes(b"")
    with pytest.raises(CorpusError, match="none of its files can be used"):
        CorpusOptions().open_and_say(tmp_path)


def test_of_many_files_left_out_the_first_are_named_and_the_rest_counted(capsys):
    say_left_out([(f"{number}.png", "empty") for number in range(12)])
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines()[9:] == [
        "left out: 9.png: empty",
        "left out: 2 more; `dgmp corpus` lists all",
    ]


def test_what_is_no_number_is_null_in_json(capsys):
    print_json({"loss": math.nan, "steps": [1, math.inf, 2.5], "name": "ρ"})
    line = capsys.readouterr().out
    assert json.loads(line, parse_constant=pytest.fail) == {
        "loss": None, "steps": [1, None, 2.5], "name": "ρ",
    }  # fmt: skip

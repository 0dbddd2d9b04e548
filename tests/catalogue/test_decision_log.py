"""The log of decisions: added to, never lost, read whole."""

import os
import signal
import subprocess
import sys
import time

import pytest

from dgmp.catalogue import decision_log
from dgmp.catalogue.decision_log import (
    FILE,
    add_decisions,
    add_stored_decisions,
    in_force,
    read_decision_file,
    read_decisions,
    taken_back,
    write_decision_file,
)
from dgmp.errors import CatalogueError
from dgmp.records import Decision

SAME = Decision("same", ("a",), ("b",), person="Märta", note="the same g")


def add(folder, decision=SAME):
    return add_decisions(folder, lambda log: [decision])[0]


def undone(folder, decision):
    return add(folder, Decision("undo", (), replaces=decision.id))


def test_a_folder_without_a_log_has_no_decisions(tmp_path):
    assert read_decisions(tmp_path) == ()


def test_what_was_added_is_read_with_id_and_time(tmp_path):
    stored = add(tmp_path)
    assert read_decisions(tmp_path) == (stored,)
    assert (stored.verdict, stored.first, stored.person) == ("same", ("a",), "Märta")
    assert stored.time.endswith("+00:00")


def test_ids_differ_and_rise(tmp_path):
    ids = [add(tmp_path).id for _ in range(30)]
    assert ids == sorted(set(ids))
    assert [decision.id for decision in read_decisions(tmp_path)] == ids


def test_ids_rise_where_the_clock_was_set_back(tmp_path):
    later = Decision("same", ("a",), ("b",), id="29990101T000000000000-aa", time="2999")
    write_decision_file([later], tmp_path / FILE)
    assert add(tmp_path).id > later.id


def test_decisions_of_the_future_are_not_taken_over(tmp_path):
    stored = add(tmp_path)
    future = Decision("same", ("a",), ("b",), id="99991231T235959999999-aa", time="9999")
    with pytest.raises(CatalogueError, match=r"99991231T235959999999-aa.*clock"):
        add_stored_decisions(tmp_path, [future])
    assert read_decisions(tmp_path) == (stored,)


def test_a_check_sees_the_log_and_what_it_refuses_is_not_stored(tmp_path):
    first = add(tmp_path)
    seen = []

    def refuse(log):
        seen.extend(log)
        raise CatalogueError("no")

    with pytest.raises(CatalogueError, match="no"):
        add_decisions(tmp_path, refuse)
    assert seen == [first] == list(read_decisions(tmp_path))


def test_an_undo_takes_back_and_its_undo_brings_back(tmp_path):
    decision = add(tmp_path)
    undo = undone(tmp_path, decision)
    assert in_force(read_decisions(tmp_path)) == ()
    assert taken_back(read_decisions(tmp_path)) == {decision.id: undo}
    undone(tmp_path, undo)
    assert in_force(read_decisions(tmp_path)) == (decision,)
    assert len(read_decisions(tmp_path)) == 3


@pytest.mark.parametrize("left", [b'{"verdict":"same","fir', b'{"verdict":"same"}', b"\xff"])
def test_the_beginning_of_a_line_that_a_kill_left_is_never_read_and_goes(tmp_path, left):
    first = add(tmp_path)
    with (tmp_path / FILE).open("ab") as file:
        file.write(left)
    assert read_decisions(tmp_path) == (first,)
    assert read_decisions(tmp_path) == (first,)
    second = add(tmp_path)
    assert read_decisions(tmp_path) == (first, second)
    assert left not in (tmp_path / FILE).read_bytes().splitlines()


@pytest.mark.parametrize("kept", range(0, 45, 5))
def test_a_log_cut_off_anywhere_in_its_head_is_empty_and_can_be_added_to(tmp_path, kept):
    (tmp_path / FILE).write_bytes(decision_log._HEAD[:kept])
    assert read_decisions(tmp_path) == ()
    stored = add(tmp_path)
    assert read_decisions(tmp_path) == (stored,)


WRITER = """
import sys
from pathlib import Path
from dgmp.catalogue import add_decisions
from dgmp.records import Decision
folder, name, number = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for i in range(number):
    pages = tuple(f"{name}{i}-{page}" for page in range(400))  # long lines
    print(add_decisions(folder, lambda log: [Decision("same", pages)])[0].id, flush=True)
"""


def writer(folder, name, number):
    command = [sys.executable, "-c", WRITER, str(folder), name, str(number)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_of_two_processes_at_once_all_decisions_are_there(tmp_path):
    writers = [writer(tmp_path, name, 25) for name in "ab"]
    printed = [process.communicate(timeout=300)[0].split() for process in writers]
    assert [len(ids) for ids in printed] == [25, 25]
    assert {decision.id for decision in read_decisions(tmp_path)} == {*printed[0], *printed[1]}


@pytest.mark.parametrize("wait", [0.002, 0.011, 0.037])
def test_a_killed_process_loses_nothing_that_was_returned(tmp_path, wait):
    process = writer(tmp_path, "a", 100_000)
    lines = [process.stdout.readline() for _ in range(5)]
    time.sleep(wait)
    os.kill(process.pid, signal.SIGKILL)
    lines += process.communicate(timeout=300)[0].splitlines()
    returned = [line.strip() for line in lines if line.strip()]
    stored = [decision.id for decision in read_decisions(tmp_path)]
    assert returned[:-1] == stored[: len(returned) - 1]
    assert len(stored) >= len(returned)
    assert read_decisions(tmp_path)[-1].first[-1].endswith("-399")
    assert add(tmp_path) in read_decisions(tmp_path)


def test_a_file_of_decisions_comes_back_as_it_was(tmp_path):
    first = add(tmp_path)
    undone(tmp_path, first)
    write_decision_file(read_decisions(tmp_path), tmp_path / "out.jsonl")
    assert read_decision_file(tmp_path / "out.jsonl") == read_decisions(tmp_path)
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / FILE).read_bytes()


def test_decisions_of_another_log_are_there_once_and_in_their_order(tmp_path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir()
    theirs.mkdir()
    order = [add(folder) for folder in (ours, theirs, ours, theirs)]
    assert add_stored_decisions(ours, read_decisions(theirs)) == (order[1], order[3])
    assert add_stored_decisions(ours, read_decisions(theirs)) == ()
    assert list(read_decisions(ours)) == order


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("nothing\n", "does not begin with the head"),
        ('{"format":"\udcc1"}\n', "does not begin with the head"),
        ('{"format":"dgmp-hands","version":1}\n', 'no "format": "dgmp-decisions"'),
        ('{"format":"dgmp-decisions","version":9}\n', "has format version 9"),
        ('{"format":"dgmp-decisions","version":1}\n{"verdict":"same"}\n', "line 2 is no decision"),
        (
            '{"format":"dgmp-decisions","version":1}\n'
            '{"verdict":"maybe","first":["a"],"id":"20260101T000000000000-0"}\n',
            "line 2 is no decision: verdict must be one of",
        ),
    ],
)
def test_a_file_that_is_no_log_is_refused_by_name(tmp_path, text, what):
    (tmp_path / "file.jsonl").write_text(text, errors="surrogateescape")
    with pytest.raises(CatalogueError, match=what) as caught:
        read_decision_file(tmp_path / "file.jsonl")
    assert "file.jsonl" in str(caught.value)


def test_a_file_that_is_not_there_is_refused_by_name(tmp_path):
    with pytest.raises(CatalogueError, match=r"none\.jsonl: cannot be read"):
        read_decision_file(tmp_path / "none.jsonl")

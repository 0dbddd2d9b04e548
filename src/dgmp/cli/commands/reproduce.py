"""``dgmp reproduce``: the tables and the figure of the paper, on the data there is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, BadParameter, Option

from ..options import (
    AsJson,
    CorpusOptions,
    Device,
    print_json,
    say,
    say_left_out,
    takes_corpus,
)


@takes_corpus
def reproduce(
    table: Annotated[str, Argument(help="margins, poolings, scripts, curves or words.")],
    data: Annotated[
        Path,
        Option(
            help="The corpus to train on: an official set, your own, or a synthetic one; for words "
            "a table file,x,y,w,h,text, or a folder with one or with ALTO or PAGE files."
        ),
    ],
    out: Annotated[Path, Option(help="Folder of runs and tables; one begun earlier goes on.")],
    options: CorpusOptions,
    test_data: Annotated[
        Path | None, Option(help="The corpus to test on, where --data has no test pages.")
    ] = None,
    recipe: Annotated[
        str | None,
        Option(help="Recipe of all rows; else the paper's on its own sets, a small one elsewhere."),
    ] = None,
    seeds: Annotated[int | None, Option(min=1, help="Runs of every row.")] = None,
    rows: Annotated[
        str | None, Option(help="Run these rows only, as avg-l2,dgmp; the table shows all.")
    ] = None,
    change: Annotated[
        list[str] | None,
        Option("--set", help="Change a value of the recipe: epochs=10, model.backbone=resnet18."),
    ] = None,
    weights: Annotated[
        Path | None,
        Option(
            help="What every run begins with: a weight file, the folder of a run, or of a table "
            "with a run of each row."
        ),
    ] = None,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Train and test the rows of a TABLE of the paper, and write it with the paper's figures."""
    from ...experiments import Setting, find_table
    from ...experiments import reproduce as reproduce_table
    from ...training import Watchers
    from ..progress import stages

    names = None if rows is None else [name.strip() for name in rows.split(",")]
    if table == "words":
        if recipe is not None or options != CorpusOptions():
            raise BadParameter(
                "--test-data, --seeds, --rows, --set, --weights and --json go with words"
            )
        paths = _words(data, test_data, out, seeds, names, change or [], weights)
        _print(paths, table, as_json)
        return
    chosen = find_table(table)
    chosen.chosen(names)
    corpus = options.open_and_say(data)
    setting = Setting.choose(
        chosen,
        corpus,
        test=None if test_data is None else CorpusOptions().open_and_say(test_data),
        recipe=recipe,
        changes=change or [],
        weights=weights,
        device=device,
    )
    with stages(len(corpus)) as told:
        paths = reproduce_table(
            chosen, setting, out, seeds=seeds, rows=names, watchers=Watchers(*told)
        )
    _print(paths, chosen.name, as_json)


def _words(
    data: Path,
    test_data: Path | None,
    out: Path,
    runs: int | None,
    rows: list[str] | None,
    changes: list[str],
    weights: Path | None,
) -> list[Path]:
    from ...experiments import WordSetting, reproduce_words
    from ...spotting import WordModel, open_words
    from ...training import Watchers
    from ..progress import stages

    words = open_words(data)
    say_left_out(words.left_out)
    test = None if test_data is None else open_words(test_data)
    start = None if weights is None else WordModel.load(str(weights))
    setting = WordSetting.choose(words, test, changes, start)
    with stages(len(words.pages)) as told:
        return reproduce_words(setting, out, runs=runs, rows=rows, watchers=Watchers(*told))


def _print(paths: list[Path], table: str, as_json: bool) -> None:
    if as_json:
        print_json({"table": table, "files": [str(path) for path in paths]})
        return
    print(paths[0].read_text(encoding="utf-8"))
    for path in paths:
        say(str(path))

"""``dgmp synth``: synthetic handwriting."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, BadParameter, Option

from ..options import say_left_out


def synth(
    folder: Annotated[
        Path, Argument(metavar="DIR", help="Folder to write, new or taken up again.")
    ],
    writers: Annotated[int, Option(min=1, help="Number of writers.")] = 100,
    pages: Annotated[int, Option(min=1, help="Pages by each writer, or of each book.")] = 5,
    seed: Annotated[int, Option(min=0, help="Same seed, same corpus, bit for bit.")] = 1,
    scripts: Annotated[
        bool, Option("--scripts", help="Write the twelve script types in turn and label them.")
    ] = False,
    books: Annotated[
        int | None,
        Option(
            min=1,
            help="Write that many books instead, whose scribes change at known lines; --writers "
            "does not count.",
        ),
    ] = None,
    words: Annotated[
        bool,
        Option(
            "--words", help="Write pages of which words.csv has the box and text of every word."
        ),
    ] = False,
    fonts: Annotated[
        Path | None,
        Option(help="With --words: a folder of font files that the writers use in turn."),
    ] = None,
    workers: Annotated[int, Option(min=1, help="Processes that draw.")] = 1,
) -> None:
    """Write a corpus of synthetic handwriting into DIR."""
    from ...engines import engine_for
    from ...synthetic import find_fonts, synthesize, synthesize_books, synthesize_words
    from ..progress import page_bar

    engine = engine_for(workers if workers > 1 else 0)
    if fonts is not None and not words:
        raise BadParameter("--fonts goes with --words")
    if words:
        if scripts or books is not None:
            raise BadParameter("--words does not go with --scripts or --books")
        usable, left_out = ([], []) if fonts is None else find_fonts(fonts)
        say_left_out(left_out)
        with page_bar("writing pages", writers * pages) as done:
            table = synthesize_words(
                folder,
                writers=writers,
                pages=pages,
                seed=seed,
                fonts=usable,
                engine=engine,
                progress=done,
            )
        print(f"{table}: the words of {writers * pages} pages by {writers} writers")
        return
    if books is not None:
        if scripts:
            raise BadParameter("--scripts does not go with --books, of which each has one script")
        with page_bar("writing pages", books * pages) as done:
            table = synthesize_books(
                folder, books=books, pages=pages, seed=seed, engine=engine, progress=done
            )
        print(f"{table}: {books * pages} pages of {books} books")
        return
    with page_bar("writing pages", writers * pages) as done:
        table = synthesize(
            folder,
            writers=writers,
            pages=pages,
            seed=seed,
            scripts=scripts,
            engine=engine,
            progress=done,
        )
    print(f"{table}: {writers * pages} pages by {writers} writers")

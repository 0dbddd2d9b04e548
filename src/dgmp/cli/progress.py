"""What a person sees while a command works; nothing of it goes to stdout."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from ..records import PageProgress, Stage
from .options import say

SECONDS_BETWEEN_LINES = 10.0  # in a log, where there is no bar


@contextmanager
def page_bar(title: str, total: int) -> Iterator[PageProgress]:
    """A bar that appears with the first page and goes when all are done; in a log lines."""
    if not sys.stderr.isatty():
        yield page_lines(title, total)
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Speed(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(_speed(task.speed) if task.speed else "")

    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Speed(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    task = bar.add_task(title, total=total)
    started = False

    def advance(number: int) -> None:
        nonlocal started
        if not started:
            bar.start()
            started = True
        bar.advance(task, number)
        if bar.finished:
            bar.stop()

    try:
        yield advance
    finally:
        if started:
            bar.stop()


def page_lines(title: str, total: int, clock: Callable[[], float] = time.monotonic) -> PageProgress:
    """A line for a log every ten seconds: pages done, how fast, how long still."""
    began = said = clock()
    done = 0

    def advance(number: int) -> None:
        nonlocal done, said
        done += number
        now = clock()
        if now - said < SECONDS_BETWEEN_LINES:
            return
        said = now
        speed = done / (now - began)
        left = f", {_clock((total - done) / speed)} left" if done < total else ""
        say(f"{title}: {done} of {total} ({done / total:.0%}), {_speed(speed)}{left}")

    return advance


@contextmanager
def page_bars() -> Iterator[Stage]:
    """Bars for a task that works in stages; each begins where the one before is done."""
    with ExitStack() as bars:

        def stage(title: str, pages: int) -> PageProgress:
            bars.close()
            return bars.enter_context(page_bar(title, pages))

        yield stage


@contextmanager
def training_line() -> Iterator[Callable[[Any], None]]:
    """One line per epoch, alive on a terminal while the epoch lasts."""
    alive = sys.stderr.isatty()
    width = 0

    def show(progress: Any) -> None:
        nonlocal width
        if not alive and not progress.epoch_done:
            return
        text = _words(progress)
        end = "\n" if progress.epoch_done else "\r"
        sys.stderr.write(text.ljust(width) + end)
        sys.stderr.flush()
        width = 0 if progress.epoch_done else len(text)

    try:
        yield show
    finally:
        if width:
            sys.stderr.write("\n")


@contextmanager
def stages(
    pages: int,
) -> Iterator[tuple[Callable[[str], None], Callable[[Any], None], Callable[[int], None]]]:
    """Words at the head of a part, a line while it trains, a bar while pages are prepared.

    The bar goes as soon as something else is said, whether or not it came to its end.
    """
    with ExitStack() as bars, training_line() as line:
        bar: Callable[[int], None] | None = None

        def close() -> None:
            nonlocal bar
            bars.close()
            bar = None

        def announce(text: str) -> None:
            close()
            say(text)

        def step(progress: Any) -> None:
            close()
            line(progress)

        def prepared(number: int) -> None:
            nonlocal bar
            if bar is None:
                bar = bars.enter_context(page_bar("pages", pages))
            bar(number)

        yield announce, step, prepared


def _words(progress: Any) -> str:
    parts = [
        f"epoch {progress.epoch + 1}/{progress.epochs}",
        f"step {progress.step}/{progress.steps}",
        f"loss {progress.loss:.4f}",
        f"active {progress.active:.0%}",
    ]
    if progress.ridge is not None:
        parts.append(f"λ {progress.ridge:.3g} ρ {progress.relative_ridge:.2g}")
    parts += [f"{progress.per_second:.0f}/s", f"{_clock(progress.seconds_left)} left"]
    if progress.validation is not None:
        parts.append(f"validation {progress.validation:.3f}")
    return "  ".join(parts)


def _speed(per_second: float) -> str:
    return f"{per_second:.1f} a second" if per_second >= 1 else f"{60 * per_second:.0f} a minute"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"

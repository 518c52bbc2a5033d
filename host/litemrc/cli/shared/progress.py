# SPDX-License-Identifier: BSD-2-Clause
"""Progress of long work on stderr: a bar on a terminal, otherwise a line from time to time."""

import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from litemrc.cli.shared.messages import is_quiet
from litemrc.texts import printable_lines

if TYPE_CHECKING:  # rich and the trace formats take long to load: `--help` needs neither
    from litemrc.traces import Chunk, Trace

LINE_EVERY_S = 5.0
Part = TypeVar("Part")


class PlainLines:
    """Prints lines on stderr, at most one every `LINE_EVERY_S` seconds."""

    def __init__(self) -> None:
        self._due = time.monotonic() + LINE_EVERY_S

    def show(self, line: str) -> None:
        """Print the line if the last one is old enough."""
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + LINE_EVERY_S
            print(printable_lines(line), file=sys.stderr, flush=True)


def shown(trace: "Trace", doing: str) -> "Generator[Chunk, None, None]":
    """Yield the chunks of a trace and show how many references, and which part of the trace, are done.

    Close the generator when leaving it early, or the bar stays on the terminal.
    """
    done = 0

    def state() -> tuple[str, float | None]:
        return f"{done:,} references", trace.fraction

    for chunk in reported(trace, doing, state):
        done += len(chunk)
        yield chunk


def reported(
    parts: Iterable[Part], doing: str, state: Callable[[], tuple[str, float | None]]
) -> Generator[Part, None, None]:
    """Yield the parts; `state` returns the progress as text and as a fraction from 0 to 1 (None: unknown)."""
    if is_quiet():
        yield from parts
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield from _with_lines(parts, doing, state)
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[text]}", markup=False),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(printable_lines(doing), total=None, text="")
        for part in parts:
            yield part
            text, fraction = state()
            bar.update(task, text=text, completed=fraction or 0, total=None if fraction is None else 1)


def _with_lines(
    parts: Iterable[Part], doing: str, state: Callable[[], tuple[str, float | None]]
) -> Iterator[Part]:
    lines = PlainLines()
    for part in parts:
        yield part
        text, fraction = state()
        lines.show(f"{doing}: {text}" + ("" if fraction is None else f" ({fraction:.0%})"))


@contextmanager
def counting(what: str, total: int | None) -> Iterator[Callable[[int, str], None]]:
    """Yield a function that shows how many of `total` are done, and prints a text unless it is empty.

    Parameters
    ----------
    what
        the things counted, such as "epochs".
    total
        None: unknown; then only the texts are printed where there is no terminal.
    """
    if is_quiet():
        yield lambda done, text: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        lines = PlainLines()

        def show_line(done: int, text: str) -> None:
            if text:
                print(printable_lines(text), file=sys.stderr, flush=True)
            if total is not None:
                lines.show(f"{done} of {total} {what}")

        yield show_line
        return
    description = TextColumn("{task.description}", markup=False)
    columns = description, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(what, total=total)

        def show_bar(done: int, text: str) -> None:
            bar.update(task, completed=done)
            if text:
                bar.console.print(printable_lines(text), markup=False, highlight=False)

        yield show_bar

"""Progress of long work: a bar on a terminal, else a line now and then; both on stderr."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from litemrc.traces import Chunk, Trace

LINE_EVERY_S = 5.0
Part = TypeVar("Part")


def shown(trace: Trace, doing: str) -> Iterator[Chunk]:
    """The chunks of a trace; how many references and which part of it are done is shown.

    Close it when leaving it early, or a bar stays on the terminal.
    """
    done = 0

    def tell() -> tuple[str, float | None]:
        return f"{done:,} references", trace.fraction

    for chunk in reported(trace, doing, tell):
        done += len(chunk)
        yield chunk


def reported(
    chunks: Iterable[Part], doing: str, tell: Callable[[], tuple[str, float | None]]
) -> Iterator[Part]:
    """The chunks, or other parts; now and then `tell` is asked how far it is (a text, and 0 to 1 or None)."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield from _lines(chunks, doing, tell)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[told]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(doing, total=None, told="")
        for chunk in chunks:
            yield chunk
            told, fraction = tell()
            bar.update(task, told=told, completed=fraction or 0, total=None if fraction is None else 1)


def _lines(
    chunks: Iterable[Part], doing: str, tell: Callable[[], tuple[str, float | None]]
) -> Iterator[Part]:
    due = time.monotonic() + LINE_EVERY_S
    for chunk in chunks:
        yield chunk
        if time.monotonic() >= due:
            due = time.monotonic() + LINE_EVERY_S
            told, fraction = tell()
            part = "" if fraction is None else f" ({fraction:.0%})"
            print(f"{doing}: {told}{part}", file=sys.stderr, flush=True)

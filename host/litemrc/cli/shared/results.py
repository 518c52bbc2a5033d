# SPDX-License-Identifier: BSD-2-Clause
"""Results on stdout as a table, JSON or CSV; pictures that are checked before the work and drawn after it."""

import argparse
import csv
import io
import json
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, TypeVar

from litemrc.errors import UserError
from litemrc.extras import require
from litemrc.files.outputs import PICTURE_SUFFIXES, check_output_path
from litemrc.texts import spreadsheet_text

Part = TypeVar("Part")
Row = Mapping[str, object]


def check_pictures(*paths: Path | None) -> None:
    """Check, before the work, that pictures can be drawn and written; None: not requested.

    Raises
    ------
    UserError
        matplotlib is missing, a path cannot be written, or two pictures have the same path.
    """
    given = [path for path in paths if path is not None]
    for path in given:
        check_output_path(path, PICTURE_SUFFIXES)
    if given:
        require("plot")
    if len({path.resolve() for path in given}) < len(given):
        raise UserError("two pictures have the same file", where=str(given[0]), remedy="name two files")


def csv_text(rows: Iterable[Row]) -> str:
    """Return rows as CSV; the keys of the first row are the header, None is an empty field.

    Texts are cells that no terminal and no spreadsheet executes.
    """
    text = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(text, list(row), lineterminator="\n")
            writer.writerow({name: spreadsheet_text(name) for name in row})
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return text.getvalue().removesuffix("\n")


def _cell(value: object) -> object:
    return spreadsheet_text(value) if isinstance(value, str) else value


def print_results(
    args: argparse.Namespace,
    *,
    table: Callable[[], str],
    document: Callable[[], dict[str, Any]],
    rows: Callable[[], Iterable[Row]],
    stopped: BaseException | None = None,
) -> None:
    """Print the results in the format that `args` selects, and flush them: a later failure keeps them.

    Parameters
    ----------
    document
        the object of --json; it gets the key "interrupted".
    rows
        of --csv.
    stopped
        what ended the work early; the output is marked as interrupted.

    Where `args` has `take_rows`, as in a sweep, it receives the rows, and nothing is printed.
    """
    if hasattr(args, "take_rows"):
        args.take_rows(rows())
        return
    if args.json:
        text = json.dumps({**document(), "interrupted": stopped is not None}, allow_nan=False)
    elif args.csv:
        text = csv_text(rows())
    else:
        text = table() + ("\ninterrupted: the results are incomplete" if stopped else "")
    print(text, flush=True)


def until_stopped(parts: Iterable[Part]) -> tuple[list[Part], BaseException | None]:
    """Return the parts that were completed, and what ended them early: Ctrl-C, bad input, or None.

    The caller prints the parts, then raises the second value.

    Raises
    ------
    KeyboardInterrupt, UserError
        no part was completed.
    """
    done: list[Part] = []
    try:
        for part in parts:
            done.append(part)
    except (KeyboardInterrupt, UserError) as error:
        if not done:
            raise
        return done, error
    return done, None


class Interruption:
    """Notes the first Ctrl-C of a block, so that the work ends at a place where its results are whole.

    The second Ctrl-C raises KeyboardInterrupt. Threads other than the main one receive no Ctrl-C.

    Attributes
    ----------
    noted
        whether Ctrl-C was pressed.
    """

    def __init__(self) -> None:
        self.noted = False

    def __enter__(self) -> "Interruption":
        self._main = threading.current_thread() is threading.main_thread()
        if self._main:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._main:
            signal.signal(signal.SIGINT, self._before)

    def until_noted(self, parts: Iterable[Part]) -> Iterator[Part]:
        """Yield the parts, but none after Ctrl-C."""
        for part in parts:
            yield part
            if self.noted:
                return

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.noted:
            raise KeyboardInterrupt
        self.noted = True

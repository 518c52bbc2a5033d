"""The page bitmaps that a heat map shows: of a trace, or from a file."""

import argparse
from contextlib import closing
from typing import TYPE_CHECKING

from litemrc.cli.shared.messages import note
from litemrc.cli.shared.progress import shown
from litemrc.cli.shared.results import until_stopped
from litemrc.cli.traces.arguments import opened
from litemrc.cli.traces.contexts import contexts_noted, no_references
from litemrc.errors import UserError

if TYPE_CHECKING:
    from litemrc.pages.page_bitmaps import PageBitmaps

EPOCH = 10_000  # references of an epoch of a trace


def read_bitmaps(args: argparse.Namespace) -> "tuple[PageBitmaps, BaseException | None]":
    """Return the bitmaps of all epochs, and the Ctrl-C that ended the reading of a trace early, or None.

    Raises:
        UserError: the file is damaged or has no epoch, or an option is not for it.
        KeyboardInterrupt: before the first epoch ended.
    """
    from litemrc.pages.files import holds_page_bitmaps, read_page_bitmaps

    if args.trace.lower().endswith(".parquet") and holds_page_bitmaps(args.trace):
        for option in ("epoch", "context", "format", "columns", "page_size"):
            if getattr(args, option) is not None:
                name = "--" + option.removesuffix("s").replace("_", "-")
                raise UserError(
                    f"{name} is for traces, but the file holds page bitmaps",
                    where=args.trace,
                    remedy=f"omit {name}",
                )
        bitmaps = read_page_bitmaps(args.trace)
        if not bitmaps.epoch.size:
            raise UserError("the file has no epoch", where=args.trace, remedy="name another file")
        return bitmaps, None

    from litemrc.api.trace_bitmaps import bitmaps_of, trace_epochs

    with opened(args) as trace:
        chunks = shown(trace, "reading")
        with closing(chunks):
            parts = trace_epochs(contexts_noted(chunks, args), args.epoch or EPOCH, args.context)
            epochs, stopped = until_stopped(parts)
        if isinstance(stopped, UserError):  # a map of what is no trace would mislead
            raise stopped
        if not epochs:
            raise no_references(args)
        for text in trace.notes:
            note(text)
        return bitmaps_of(
            epochs, trace.page_bytes, source=args.trace, interrupted=stopped is not None
        ), stopped

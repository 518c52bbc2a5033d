# SPDX-License-Identifier: BSD-2-Clause
"""The page bitmaps that a heat map shows: of a trace, or from a file."""

import argparse
from contextlib import closing
from typing import TYPE_CHECKING

from litemrc.cli.shared.messages import note
from litemrc.cli.shared.progress import shown
from litemrc.cli.shared.results import until_stopped
from litemrc.cli.traces.arguments import opened
from litemrc.cli.traces.contexts import contexts_noted
from litemrc.errors import UserError

if TYPE_CHECKING:
    from litemrc.pages.page_bitmaps import PageBitmaps


def read_bitmaps(args: argparse.Namespace) -> "tuple[PageBitmaps, BaseException | None]":
    """Return the bitmaps of all epochs, and the Ctrl-C that ended the reading of a trace early, or None.

    Raises
    ------
    UserError
        the file is damaged or has no epoch, or an option is not for it.
    KeyboardInterrupt
        before the first epoch ended.
    """
    from litemrc.api.epochs import no_references  # loads numpy
    from litemrc.api.heat import (
        EPOCH,
        bitmaps_of,
        is_bitmap_file,
        not_of_bitmaps,
        stored_bitmaps,
        trace_epochs,
    )

    if is_bitmap_file(args.trace):
        for option in ("epoch", "context", "format", "columns", "page_size"):
            if getattr(args, option) is not None:
                raise not_of_bitmaps("--" + option.removesuffix("s").replace("_", "-"), args.trace)
        return stored_bitmaps(args.trace), None

    with opened(args) as trace:
        chunks = shown(trace, "reading")
        with closing(chunks):
            parts = trace_epochs(contexts_noted(chunks, args), args.epoch or EPOCH, args.context)
            epochs, stopped = until_stopped(parts)
        if isinstance(stopped, UserError):  # a map of what is no trace would mislead
            raise stopped
        if not epochs:
            raise no_references(args.context, args.trace)
        for text in trace.notes:
            note(text)
        return bitmaps_of(
            epochs, trace.page_bytes, source=args.trace, interrupted=stopped is not None
        ), stopped

# SPDX-License-Identifier: BSD-2-Clause
"""The references of one context of a trace, or of all contexts together."""

import argparse
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from litemrc.cli.shared.arguments import natural
from litemrc.cli.shared.messages import note

if TYPE_CHECKING:
    from litemrc.traces.chunk import Chunk


def add_context_argument(parser: argparse._ActionsContainer) -> None:
    """Declare the context whose references count; `args.context` is None for all."""
    parser.add_argument("--context", metavar="C", type=natural, help="count the references of one context")


def contexts_noted(chunks: "Iterable[Chunk]", args: argparse.Namespace) -> "Iterator[Chunk]":
    """Return the chunks; print a note if contexts that share page numbers are counted together.

    Raises
    ------
    UserError
        a context was chosen, but the trace has none.
    """
    from litemrc.api.epochs import MERGED, of_one_context  # loads numpy

    return of_one_context(
        chunks, args.context, args.trace, lambda: note(f"{MERGED} (--context)"), "omit --context"
    )

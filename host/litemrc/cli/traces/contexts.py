"""The references of one context of a trace, or of all contexts together."""

import argparse
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from litemrc.cli.shared.arguments import natural
from litemrc.cli.shared.messages import note
from litemrc.errors import UserError

if TYPE_CHECKING:
    from litemrc.traces.chunk import Chunk


def add_context_argument(parser: argparse._ActionsContainer) -> None:
    """Declare the context whose references count; `args.context` is None for all."""
    parser.add_argument("--context", metavar="C", type=natural, help="count the references of one context")


def contexts_noted(chunks: "Iterable[Chunk]", args: argparse.Namespace) -> "Iterator[Chunk]":
    """Yield the chunks; print a note if contexts that share page numbers are counted together.

    Raises:
        UserError: a context was chosen, but the trace has none.
    """
    contexts: set[int] = set()
    for chunk in chunks:
        if args.context is not None and chunk.contexts is None:
            raise UserError("the trace has no contexts", where=args.trace, remedy="omit --context")
        if args.context is None and chunk.contexts is not None and len(contexts) < 2:
            contexts.update(chunk.contexts.tolist())
            if len(contexts) > 1:
                note("the trace has several contexts: pages with one number are counted together (--context)")
        yield chunk


def no_references(args: argparse.Namespace) -> UserError:
    """Return the error of a trace, or a context, without a reference."""
    remedy = "choose another context" if args.context is not None else "name another trace"
    return UserError("there is no reference to count", where=args.trace, remedy=remedy)

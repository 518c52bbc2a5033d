# SPDX-License-Identifier: BSD-2-Clause
"""The epochs of a trace: its references, or those of one context, in parts of n references."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.traces.chunk import Chunk

MERGED = "the trace has several contexts: pages with one number are counted together"


class EpochPart(NamedTuple):
    """Consecutive references of one epoch.

    Attributes
    ----------
    pages
        uint64[n], page numbers.
    writes
        bool[n], true: a write; None if unknown.
    ends
        they are the last ones of their epoch.
    """

    pages: NDArray[np.uint64]
    writes: NDArray[np.bool_] | None
    ends: bool


def epoch_parts(
    chunks: Iterable[Chunk], epoch_accesses: int, context: int | None = None
) -> Iterator[EpochPart]:
    """Yield the references of all epochs in parts; the last epoch may be shorter, and its last part is empty.

    Parameters
    ----------
    epoch_accesses
        references of an epoch.
    context
        only its references make up epochs; None: all.
    """
    left = epoch_accesses
    writes: NDArray[np.bool_] | None = None
    for chunk in chunks:
        pages, writes = chunk.pages, chunk.writes
        if context is not None and chunk.contexts is not None:
            chosen = chunk.contexts == context
            pages, writes = pages[chosen], None if writes is None else writes[chosen]
        start = 0
        while start < pages.size:
            part = slice(start, start + left)
            taken = pages[part].size
            start += taken
            left -= taken
            yield EpochPart(pages[part], None if writes is None else writes[part], not left)
            left = left or epoch_accesses
    if left < epoch_accesses:
        yield EpochPart(np.zeros(0, np.uint64), None if writes is None else writes[:0], True)


def of_one_context(
    chunks: Iterable[Chunk],
    context: int | None,
    where: str,
    on_several: Callable[[], None],
    remedy: str = "omit context",
) -> Iterator[Chunk]:
    """Yield the chunks; call `on_several` once if contexts that share page numbers are counted together.

    Parameters
    ----------
    context
        only its references are counted; None: all.
    where, remedy
        name of the trace, and what to do without contexts, for messages.

    Raises
    ------
    UserError
        a context is chosen, but the trace has none.
    """
    contexts: set[int] = set()
    for chunk in chunks:
        if context is not None and chunk.contexts is None:
            raise UserError("the trace has no contexts", where=where, remedy=remedy)
        if context is None and chunk.contexts is not None and len(contexts) < 2:
            contexts.update(chunk.contexts.tolist())
            if len(contexts) > 1:
                on_several()
        yield chunk


def no_references(context: int | None, where: str) -> UserError:
    """Return the error of a trace, or a context, without a reference."""
    remedy = "choose another context" if context is not None else "name another trace"
    return UserError("there is no reference to count", where=where, remedy=remedy)

# SPDX-License-Identifier: BSD-2-Clause
"""LRU stacks of a trace, of any engine: for all references, or for each context."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Generic, Literal, Protocol, TypedDict, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.curves.curve import Curve
from litemrc.errors import UserError
from litemrc.native.arrays import PageNumbers
from litemrc.native.engines import DEFAULT_GROUPS, ENGINES, Engine
from litemrc.native.hls_engine import compiled_sizes
from litemrc.native.os_tracker import scaled_defaults
from litemrc.traces.chunk import Chunk

MOST_CONTEXTS = 1 << 14  # each takes some 13 KB
Context = int | Literal["each", "all"]
Stack = TypeVar("Stack", bound="Taker")


class EngineParameters(TypedDict, total=False):
    """Parameters of `make_engine` besides the engine's name."""

    by: str
    threads: int | None
    sample_rate: float | None
    sample_pages: int | None
    band: bool | None
    frames: int | None
    groups: int | None
    scan_list: int | None
    period: int | None
    group_pages: int | None
    seen_only: bool | None
    reference_ns: float | None


def has_frames(engine: str) -> bool:
    """Return whether an engine has a fixed number of page frames."""
    return "frames" in ENGINES.get(engine, ())


def lacks_tracker_sizes(engine: str, parameters: EngineParameters) -> bool:
    """Return whether a tracker's sizes are to follow from the number of pages of the trace."""
    return engine == "os" and any(parameters.get(name) is None for name in scaled_defaults(1))


def with_tracker_sizes(parameters: EngineParameters, pages: int) -> EngineParameters:
    """Return the parameters of engine os with those that are missing, for a trace of n pages."""
    found: dict[str, Any] = {**parameters}
    for name, value in scaled_defaults(pages).items():
        if found.get(name) is None:
            found[name] = value
    return cast(EngineParameters, found)


def frames_for(pages: int, groups: int | None, where: str) -> int:
    """Return the smallest number of frames, of those compiled, that holds n pages.

    Raises
    ------
    UserError
        there is none.
    """
    wanted = DEFAULT_GROUPS if groups is None else groups
    for frames, compiled in sorted(compiled_sizes().items()):
        if frames >= pages and wanted in compiled:
            return frames
    raise UserError(
        f"no engine of the hardware with {wanted} groups was compiled for {pages:,} pages",
        where=where,
        remedy=f"choose engine exact; the largest has {max(compiled_sizes()):,} frames",
    )


def count_pages(chunks: Iterable[Chunk]) -> int:
    """Return the number of distinct pages."""
    numbers = PageNumbers()
    for chunk in chunks:
        numbers.number(chunk.pages)
    return len(numbers)


class PageOwners:
    """Assigns each access to the context that first accessed its page, as the monitor does.

    Source: `litemrc.golden.monitor.bucket_stack`.
    """

    def __init__(self) -> None:
        self._numbers = PageNumbers()
        self._owners = np.empty(0, np.uint32)

    def of(self, pages: NDArray[np.uint64], contexts: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the owner of each access's page, uint32[n]; a new page belongs to the access's context."""
        known = len(self._numbers)
        numbers = self._numbers.number(pages)
        count = len(self._numbers)
        if count > self._owners.size:
            self._owners = np.resize(self._owners, max(2 * self._owners.size, count))
        new = np.flatnonzero(numbers >= known)
        _, first = np.unique(numbers[new], return_index=True)  # numbers count up in the order of first access
        self._owners[known:count] = contexts[new[first]]
        return self._owners[numbers]


class Taker(Protocol):
    """What takes the accesses of a context: an engine, or a `WindowedStack`."""

    def access(self, pages: ArrayLike, sizes: ArrayLike | None = None) -> None:
        """Process a chunk of accesses; `sizes`: bytes of each page, where the chunk has them."""


class ContextStacks(Generic[Stack]):
    """A stack for all references, or for those of each context.

    Parameters
    ----------
    make
        returns a new engine or `WindowedStack`.
    context
        "all": one stack for all references; "each": one for each context that owns pages; a number:
        one for that context. A page belongs to the context that first accessed it.
    """

    def __init__(self, make: Callable[[], Stack], context: Context) -> None:
        self._make, self._context = make, context
        self._stacks: dict[int | None, Stack] = {}
        self._owners = PageOwners()
        self._seen: set[int] = set()

    def access(self, chunk: Chunk) -> None:
        """Process a chunk.

        Raises
        ------
        UserError
            a context is selected, but the chunk has none.
        """
        for context, part in self._split(chunk):
            if context not in self._stacks:
                if len(self._stacks) >= MOST_CONTEXTS:
                    raise UserError(
                        f"the trace has more than {MOST_CONTEXTS:,} contexts, each with a stack of its own",
                        remedy="measure one stack of all: --context all (context='all')",
                    )
                self._stacks[context] = self._make()
            sizes = None if chunk.sizes is None else chunk.sizes[part]
            self._stacks[context].access(chunk.pages[part], sizes)

    def _split(self, chunk: Chunk) -> Iterator[tuple[int | None, slice | NDArray[np.bool_]]]:
        """Yield each context whose stack takes part of a chunk, and which part."""
        if not len(chunk):
            return
        if self._context == "all":
            yield None, slice(None)
            return
        if chunk.contexts is None:
            if self._context != "each":
                what = f"the trace has no contexts: none has the number {self._context}"
                raise UserError(what, remedy="omit the context")
            yield None, slice(None)
            return
        owners = self._owners.of(chunk.pages, chunk.contexts)
        present = np.unique(owners).tolist()
        self._seen.update(present)
        for context in present:
            if self._context in ("each", context):
                yield context, slice(None) if len(present) == 1 else owners == context

    def by_context(self) -> dict[int | None, Stack]:
        """Return the stacks by context, in order; the key is None without contexts. Empty without references.

        Raises
        ------
        UserError
            the selected context owns no page.
        """
        if isinstance(self._context, int) and self._seen and not self._stacks:
            raise UserError(
                f"no page belongs to context {self._context}",
                remedy=f"choose from contexts {', '.join(map(str, sorted(self._seen)))}",
            )
        ordered = sorted(self._stacks, key=lambda context: -1 if context is None else context)
        return {context: self._stacks[context] for context in ordered}


def curves_of(stacks: ContextStacks[Engine], page_bytes: int) -> dict[int | None, Curve]:
    """Return the curve of each context, named by it; the key is None without contexts."""
    found = {context: engine.curve(page_bytes) for context, engine in stacks.by_context().items()}
    return {
        context: curve
        if context is None
        else replace(curve, name=f"context {context}", aliases=(str(context),))
        for context, curve in found.items()
    }

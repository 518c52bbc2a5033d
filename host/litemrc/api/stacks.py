"""LRU stacks of a trace, of any engine: for all references, for each context, over windows of references."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Generic, Literal, Protocol, TypedDict, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.curves.curve import Curve
from litemrc.errors import UserError
from litemrc.native.engines import DEFAULT_GROUPS, ENGINES, Engine
from litemrc.native.hls_engine import compiled_sizes
from litemrc.native.page_numbers import PageNumbers
from litemrc.traces.chunk import Chunk

Context = int | Literal["each", "all"]
Stack = TypeVar("Stack", bound="Taker")
MOST_WINDOWS = 100_000
_PER_OCTAVE = 8  # memory sizes of windows
_OCTAVES = 40
_ROUNDING = 1e-3


class EngineParameters(TypedDict, total=False):
    """Parameters of `make_engine` besides the engine's name."""

    by: str
    threads: int | None
    sample_rate: float | None
    sample_pages: int | None
    band: bool | None
    frames: int | None
    groups: int | None


def for_windows(engine: str, parameters: EngineParameters) -> EngineParameters:
    """Return the parameters of an engine that measures windows: its curves need no confidence band.

    Raises:
        UserError: an engine by bytes, whose resolution changes as it runs.
    """
    if parameters.get("by", "pages") != "pages":
        raise UserError("windows are measured by pages only", remedy="omit the window, or measure by pages")
    return {**parameters, "band": False} if engine == "shards" else parameters


def has_frames(engine: str) -> bool:
    """Return whether an engine has a fixed number of page frames."""
    return "frames" in ENGINES.get(engine, ())


def frames_for(pages: int, groups: int | None, where: str) -> int:
    """Return the smallest number of frames, of those compiled, that holds so many pages.

    Raises:
        UserError: there is none.
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

    Parameters:
        make: returns a new engine or `WindowedStack`.
        context: "all": one stack for all references; "each": one for each context that owns pages; a number:
            one for that context. A page belongs to the context that first accessed it.
    """

    def __init__(self, make: Callable[[], Stack], context: Context) -> None:
        self._make, self._context = make, context
        self._stacks: dict[int | None, Stack] = {}
        self._owners = PageOwners()
        self._seen: set[int] = set()

    def access(self, chunk: Chunk) -> None:
        """Process a chunk.

        Raises:
            UserError: a context is selected, but the chunk has none.
        """
        for context, part in self._split(chunk):
            if context not in self._stacks:
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

        Raises:
            UserError: the selected context owns no page.
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


class WindowedStack:
    """Curves of consecutive windows of references over one continuing LRU stack.

    Counters start at 0 in each window, the stack does not: the first access of a window to a page that was
    accessed before is a hit in a memory that still holds the page. Only first accesses of the whole trace are
    cold misses.

    Parameters:
        engine: a new engine.
        window: references in a window; the last one may have fewer.
        sizes_pages: memory sizes of the curves; None: 8 in each power of two.

    Raises:
        UserError: a window below 1 reference.
    """

    def __init__(self, engine: Engine, window: int, sizes_pages: Iterable[int] | None = None) -> None:
        if window < 1:
            raise UserError(
                f"a window must have at least 1 reference (got {window})", remedy="give 1 or more"
            )
        self._engine, self._window = engine, window
        self._sizes = None if sizes_pages is None else np.unique(np.asarray(list(sizes_pages), np.int64))
        self._in_window = 0
        self._accesses = 0
        self._misses = np.zeros(0)
        self._windows: list[tuple[int, NDArray[np.float64]]] = []
        self._largest = self._resolution_pages = 1

    def access(self, pages: ArrayLike, sizes: ArrayLike | None = None) -> None:
        """Process a chunk; sizes are not used.

        Raises:
            UserError: as the engine, or more than `MOST_WINDOWS` windows.
        """
        array = np.asarray(pages)
        while array.size:
            part, array = np.split(array, [self._window - self._in_window])
            self._engine.access(part)
            self._in_window += part.size
            if self._in_window == self._window:
                self._end_window()

    def _end_window(self) -> None:
        if len(self._windows) == MOST_WINDOWS:
            raise UserError(
                f"the trace has more than {MOST_WINDOWS:,} windows of {self._window:,} references",
                remedy="give a larger window",
            )
        curve = self._engine.curve()
        if self._sizes is None:
            self._sizes = _grid(curve.resolution_pages)
        misses = curve.exactly_at(self._sizes) * curve.accesses
        whole = np.rint(misses)
        misses = np.where(np.abs(misses - whole) < _ROUNDING, whole, misses)  # counts, unless sampled
        before = self._misses if self._misses.size else np.zeros(misses.size)
        self._windows.append((curve.accesses - self._accesses, misses - before))
        self._misses, self._accesses, self._in_window = misses, curve.accesses, 0
        self._largest = int(curve.sizes_pages[-1])
        self._resolution_pages = curve.resolution_pages

    def curves(self, page_bytes: int, *, known_from_pages: int = 1, all_sizes: bool = False) -> list[Curve]:
        """Return the curve of each window, in order, all with the same sizes.

        Parameters:
            known_from_pages: smallest memory whose misses are known.
            all_sizes: keep the sizes beyond the footprint, where curves are flat.
        """
        if self._in_window:
            self._end_window()
        if self._sizes is None:
            return []
        last = int(np.searchsorted(self._sizes, self._largest)) + 1
        kept = self._sizes >= known_from_pages
        kept[self._sizes.size if all_sizes else last :] = False
        return [
            Curve(
                self._sizes[kept],
                np.minimum.accumulate(np.clip(misses[kept] / accesses, 0, 1)),
                accesses,
                max(round(float(misses[kept][-1])), 0),
                page_bytes,
                f"window {number}",
                resolution_pages=self._resolution_pages,
                known_from_pages=known_from_pages if known_from_pages > 1 else 0,
            )
            for number, (accesses, misses) in enumerate(self._windows, 1)
        ]


def _grid(resolution_pages: int) -> NDArray[np.int64]:
    """Return 8 memory sizes for each power of two, at multiples of the resolution."""
    sizes = resolution_pages * 2 ** (np.arange(_OCTAVES * _PER_OCTAVE) / _PER_OCTAVE)
    return np.unique(np.round(sizes / resolution_pages).astype(np.int64)) * resolution_pages

"""The engines that measure a trace in parts, by the names and parameters of `make_engine`."""

from typing import Any, Protocol, Self

from numpy.typing import ArrayLike

from litemrc.curves.curve import Curve
from litemrc.curves.sizes import PAGE_BYTES
from litemrc.errors import UserError
from litemrc.native.engines import DEFAULT_RATE, make_engine
from litemrc.native.exact_part import ExactPart
from litemrc.native.shards_part import ShardsPart
from litemrc.native.shards_size_part import ShardsSizePart, SmallestPages, SmallestPagesPart


class PartState(Protocol):
    """The state of a part of a trace; neighbours are joined in any grouping, with one result."""

    @property
    def accesses(self) -> int:
        """Return the number of accesses."""
        ...

    @property
    def nbytes(self) -> int:
        """Return the bytes of the arrays, which are those that travel."""
        ...

    def join(self, later: Self) -> Self:
        """Return the state of this part and the one that follows it."""
        ...

    def only_counts(self) -> Self:
        """Return what a curve needs; it cannot be joined."""
        ...

    def curve(self, page_bytes: int = PAGE_BYTES) -> Curve:
        """Return the curve of the accesses, equal to that of one engine that took all of them."""
        ...


class PartEngine(Protocol):
    """An engine that measures a part of a trace."""

    def access(self, pages: ArrayLike) -> None:
        """Process a chunk of accesses."""

    def state(self) -> PartState:
        """Return the state after the accesses so far."""
        ...


def make_first_reading(name: str, **parameters: Any) -> SmallestPagesPart | None:
    """Return what reads a part before its engine does; None: nothing needs to.

    The states of the first readings of all earlier parts, joined, are what the engine takes as `before`.

    Parameters:
        name, parameters: as `make_engine` takes them.

    Raises:
        UserError: as `make_part_engine`.
    """
    make_part_engine(name, **parameters)  # checks them
    sample_pages = parameters.get("sample_pages")
    return None if sample_pages is None else SmallestPagesPart(sample_pages)


def make_part_engine(name: str, before: SmallestPages | None = None, **parameters: Any) -> PartEngine:
    """Return an engine for a part of a trace.

    Parameters:
        name, parameters: as `make_engine` takes them.
        before: as `make_first_reading` describes; None for the first part.

    Raises:
        UserError: as `make_engine`, or an engine or parameter whose parts cannot be joined.
    """
    make_engine(name, **parameters)  # checks them
    if parameters.get("by", "pages") != "pages":
        raise UserError("parts of a trace are joined by pages only", where="--by", remedy="omit it")
    if parameters.get("threads") is not None:
        raise UserError(
            "a worker measures its parts with one thread",
            where="--threads",
            remedy="omit it, and start a worker for each core",
        )
    if name == "exact":
        return ExactPart()
    if name != "shards":
        raise UserError(
            f"the parts of engine {name} cannot be joined", where="--engine", remedy="choose exact or shards"
        )
    band = parameters.get("band") is not False
    if (sample_pages := parameters.get("sample_pages")) is not None:
        return ShardsSizePart(sample_pages, band=band, before=before)
    rate = parameters.get("sample_rate")
    return ShardsPart(DEFAULT_RATE if rate is None else rate, band=band)

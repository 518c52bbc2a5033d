"""What a worker found of consecutive parts of a trace, joined to what another found of the following ones."""

from dataclasses import dataclass, replace

from litemrc.errors import UserError
from litemrc.native.part_engines import PartState


@dataclass(frozen=True)
class Facts:
    """What is known of consecutive references besides their curve.

    Attributes:
        begins: the section of the first reference, for messages.
        page_bytes: bytes of a page, by the first section.
        stored_page_bytes: those that a file has; None: none has them.
        first_time, last_time: of the references; None without times.
        minimum_pages: smallest memory whose misses are known, as `Trace.minimum_pages`.
        complete: whether these are all references of the sections, not stopped before their end.
        notes: of the readers, with their place.
    """

    begins: str
    page_bytes: int
    stored_page_bytes: int | None = None
    first_time: int | None = None
    last_time: int | None = None
    minimum_pages: int = 1
    complete: bool = True
    notes: tuple[str, ...] = ()

    def join(self, later: "Facts") -> "Facts":
        """Return the facts of these references and the following ones.

        Raises:
            UserError: time falls between them, or their pages have several sizes.
        """
        self._check_order(later)
        stored, theirs = self.stored_page_bytes, later.stored_page_bytes
        if stored and theirs and stored != theirs:
            raise UserError(
                f"pages of {theirs} bytes come after pages of {stored} bytes",
                where=later.begins,
                remedy="measure the files of each page size by themselves",
            )
        return replace(
            self,
            stored_page_bytes=stored or theirs,
            first_time=later.first_time if self.first_time is None else self.first_time,
            last_time=self.last_time if later.last_time is None else later.last_time,
            minimum_pages=max(self.minimum_pages, later.minimum_pages),
            complete=self.complete and later.complete,
            notes=self.notes + later.notes,
        )

    def _check_order(self, later: "Facts") -> None:
        before, after = self.last_time, later.first_time
        if before is not None and after is not None and after < before:
            raise UserError(
                f"time {after} comes after time {before}, at which the part before it ends",
                where=later.begins,
                remedy="rename the parts so that their natural order is that of time",
            )


@dataclass(frozen=True, eq=False)
class PartResult:
    """The state and the facts of consecutive parts."""

    state: PartState
    facts: Facts

    def __sizeof__(self) -> int:
        """Return the bytes in memory, by which Dask decides what to spill and to send."""
        return object.__sizeof__(self) + self.state.nbytes

    def join(self, later: "PartResult") -> "PartResult":
        """Return the result of these parts and the following ones.

        Raises:
            UserError: as `Facts.join`, or the engine cannot hold the pages of both.
        """
        facts = self.facts.join(later.facts)  # before the work
        return PartResult(self.state.join(later.state), facts)

    def only_counts(self) -> "PartResult":
        """Return what the client needs; it cannot be joined."""
        return PartResult(self.state.only_counts(), self.facts)

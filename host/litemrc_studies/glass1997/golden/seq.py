# SPDX-License-Identifier: BSD-2-Clause
"""SEQ (Glass and Cao 1997, section 4.1): LRU, but MRU on long sequences of faults to consecutive pages.

Decisions where the paper is silent:
- A fault that extends a sequence and lies inside another one extends the first and deletes the second.
- Sequences of length >= L are eligible (the paper says both "greater than L" and ">= L").
- A sequence of direction nil grows either way and takes its direction from the first growth.
- The remainder of a split sequence keeps its direction and fault times. An empty remainder is deleted, and
  the pages beyond the fault page are forgotten.
- The recency of a sequence with fewer than N recorded faults is that of its oldest. The head is at distance
  0.
- A fault is recorded in the sequences before the victim is chosen.
- When the limit is reached, the oldest sequence of length below L is deleted, otherwise below 2 L, 3 L ...
- LRU also applies if no eligible sequence has a resident page at least M from its head.
- With several programs (section 5), each has its own sequences and limit.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from itertools import count


@dataclass
class Sequence:
    """Faults to consecutive pages `low_end` to `high_end`.

    Attributes
    ----------
    direction
        "up", "down" or None, the paper's nil.
    fault_times
        times of its faults, the latest last.
    refaults
        faults that are evidence of a sweep that comes again; for `seq_adaptive`.
    reused
        pages of it that were referred to again while they were in memory; for `seq_adaptive`.
    """

    low_end: int
    high_end: int
    direction: str | None
    fault_times: list[int] = field(default_factory=list)
    refaults: int = 0
    reused: int = 0

    def __len__(self) -> int:
        return self.high_end - self.low_end + 1

    def __contains__(self, page: int) -> bool:
        return self.low_end <= page <= self.high_end

    def is_extended_by(self, page: int) -> bool:
        """Return whether a fault on this page extends the sequence."""
        return (page == self.high_end + 1 and self.direction in ("up", None)) or (
            page == self.low_end - 1 and self.direction in ("down", None)
        )

    def extend(self, page: int) -> None:
        """Add the page as the new head."""
        self.direction = "up" if page > self.high_end else "down"
        self.low_end, self.high_end = min(self.low_end, page), max(self.high_end, page)

    def cut(self, page: int) -> None:
        """Keep only the pages before this one, in the direction of growth."""
        if self.direction == "up":
            self.high_end = page - 1
        elif self.direction == "down":
            self.low_end = page + 1
        else:
            self.high_end = self.low_end - 1

    def from_head(self, distance: int) -> range:
        """Return the pages at least `distance` from the head, nearest first."""
        if self.direction == "down":
            return range(self.low_end + distance, self.high_end + 1)
        return range(self.high_end - distance, self.low_end - 1, -1)


class Sequences:
    """The sequences of one program.

    Attributes
    ----------
    made
        sequences that were begun.
    most
        the most sequences held at one time.
    """

    def __init__(self, length: int, limit: int) -> None:
        self._length = length
        self._limit = limit
        self._sequences: list[Sequence] = []
        self.made = self.most = 0

    def __iter__(self) -> Iterator[Sequence]:
        return iter(self._sequences)

    def fault(self, page: int, time: int, refault: bool = False) -> None:
        """Record a page fault; `refault`: it is evidence of a sweep that comes again."""
        extended = [sequence for sequence in self._sequences if sequence.is_extended_by(page)]
        inside = [sequence for sequence in self._sequences if page in sequence]
        if extended:
            newest = max(extended, key=lambda sequence: sequence.fault_times[-1])
            for sequence in extended + inside:
                if sequence is not newest:
                    self._sequences.remove(sequence)
            newest.extend(page)
            newest.fault_times.append(time)
            newest.refaults += refault
            return
        for sequence in inside:
            sequence.refaults += refault * self._length
            sequence.cut(page)
            if not len(sequence):
                self._sequences.remove(sequence)
        if len(self._sequences) == self._limit:
            self._delete_oldest()
        self._sequences.append(Sequence(page, page, None, [time], int(refault)))
        self.made += 1
        self.most = max(self.most, len(self._sequences))

    def _delete_oldest(self) -> None:
        for multiple in count(1):
            short = [sequence for sequence in self._sequences if len(sequence) < multiple * self._length]
            if short:
                self._sequences.remove(min(short, key=lambda sequence: sequence.fault_times[-1]))
                return


class Seq:
    """A memory under SEQ replacement, shared by one or more programs.

    Parameters
    ----------
    memory_pages
        size of the memory.
    length
        L, minimum length of a sequence whose pages are evicted.
    distance
        M, number of pages at the head of a sequence that are not evicted.
    recent
        N; the recency of a sequence is the time of its N-th last fault.
    limit
        number of sequences per program.

    Attributes
    ----------
    victim
        the (program, page) that the last fault evicted; None if a frame was free.
    from_sequence
        the last victim was chosen from a sequence, not by LRU.
    sequences
        those of each program that runs.
    """

    def __init__(
        self, memory_pages: int, length: int = 20, distance: int = 20, recent: int = 5, limit: int = 200
    ) -> None:
        self._size = memory_pages
        self._length, self._distance, self._recent, self._limit = length, distance, recent, limit
        self.sequences: dict[Hashable, Sequences] = {}
        self._pages: list[tuple[Hashable, int]] = []  # (program, page), least recently used first
        self._faults = 0
        self.victim: tuple[Hashable, int] | None = None
        self.from_sequence = False

    def reference(self, page: int, program: Hashable = 0) -> bool:
        """Refer to a page of a program; return whether that is a page fault."""
        fault = (program, page) not in self._pages
        if fault:
            self._faults += 1
            of_program = self.sequences.setdefault(program, Sequences(self._length, self._limit))
            self._record(of_program, page, program)
            self.victim, self.from_sequence = None, False
            if len(self._pages) == self._size:
                self.victim = self._victim()
                self._pages.remove(self.victim)
        else:
            self._pages.remove((program, page))
        self._pages.append((program, page))
        return fault

    def release(self, program: Hashable) -> None:
        """Free a program's pages and forget its sequences, as at its end."""
        self._pages = [entry for entry in self._pages if entry[0] != program]
        self.sequences.pop(program, None)

    def _record(self, of_program: Sequences, page: int, program: Hashable) -> None:
        of_program.fault(page, self._faults)

    def _is_eligible(self, sequence: Sequence) -> bool:
        return len(sequence) >= self._length

    def _victim(self) -> tuple[Hashable, int]:
        eligible = [
            (sequence.fault_times[-self._recent :][0], program, sequence)
            for program, sequences in self.sequences.items()
            for sequence in sequences
            if self._is_eligible(sequence)
        ]
        for _, program, sequence in sorted(eligible, key=lambda entry: entry[0], reverse=True):
            for page in sequence.from_head(self._distance):
                if (program, page) in self._pages:
                    self.from_sequence = True
                    return program, page
        return self._pages[0]

# SPDX-License-Identifier: BSD-2-Clause
"""A memory that imitates LRU, careful SEQ or SEQ, whichever faults least (not in the paper).

SEQ is far worse than LRU where LRU would have kept the pages that SEQ evicts: a sweep that fits into memory
beside other pages, a new array that is used at once, write-backs that trail a sweep. Careful SEQ evicts from
fewer sequences:

- Evidence. A sequence of first faults may be a new array. Pages of a sequence are evicted only if it is swept
  again: L of its faults, or a fault that split it, were refaults that LRU has as well; or it grew while the
  sequences of at least L pages together were not smaller than memory, which cannot hold what was swept.
- Reuse. Once half as many pages as these sequences have are referred to without a fault of LRU, what was
  swept is in memory and in use. It no longer counts as swept; pages that the sequences gain later do.
- Distance. A fault that LRU does not have, at distance d behind the head of a sequence, makes M = d + 1, if
  that is more and d is below 4 M (of the start) and a quarter of memory: the page came back too early.

The adaptive memory of C pages runs the three candidates beside it, with its references and size. It evicts a
page that the imitated candidate does not hold, the one that this candidate evicted first; so it comes to hold
what the candidate holds (Subramanian, Smaragdakis, Loh: Adaptive Caches, MICRO 2006, have two candidates).

- Choice. Each candidate is behind by its faults minus those of the best, at most C. If the imitated one is
  behind by C / SWITCH, the one that is least behind is imitated. Careful SEQ is the first.
- Credit. A hit that LRU does not have earns one fault, a fault that LRU does not have costs one, and each
  fault of LRU earns 1 / EXTRA. From when the credit is negative until it reaches C / EXTRA, LRU is imitated;
  the credit then also earns half a fault for each fault of LRU that the chosen candidate does not have, and
  loses half a fault for the reverse. Credit starts at C / EXTRA and is at most C / 4. As memory may lack all
  C pages of LRU's when the credit ends, there are at most LRU + (LRU + C) / EXTRA + C + G / 2 faults, where
  G is what the chosen candidate had fewer than LRU during debts; G is at most LRU.
"""

from collections.abc import Hashable

from litemrc_studies.glass1997.golden.replacement import Lru
from litemrc_studies.glass1997.golden.seq import Seq, Sequence, Sequences

EXTRA = 50
SWITCH = 100
Entry = tuple[Hashable, int]  # program, page


class CarefulSeq(Seq):
    """SEQ with the rules of evidence and distance; `lru_fault` must be set before each reference."""

    def __init__(self, memory_pages: int, length: int, distance: int, recent: int, limit: int) -> None:
        super().__init__(memory_pages, length, distance, recent, limit)
        self.lru_fault = True
        self._most = 4 * distance
        self._faulted: set[Entry] = set()
        self._swept = 0  # pages of sequences of at least L pages, without those in use
        self._since_fault: set[Entry] = set()  # pages referred to since the last fault of LRU

    def reference(self, page: int, program: Hashable = 0) -> bool:
        """Refer to a page of a program; return whether that is a page fault."""
        if self.lru_fault:
            self._since_fault.clear()
        else:
            self._since_fault.add((program, page))
            if self._swept and 2 * len(self._since_fault) >= self._swept:
                for sequence in self._long():
                    sequence.reused = len(sequence)
                self._swept = 0
        return super().reference(page, program)

    def _record(self, of_program: Sequences, page: int, program: Hashable) -> None:
        if not self.lru_fault:
            self._spare(of_program, page)
        of_program.fault(page, self._faults, self.lru_fault and (program, page) in self._faulted)
        self._faulted.add((program, page))
        long = self._long()
        self._swept = sum(max(0, len(sequence) - sequence.reused) for sequence in long)
        newest = max(of_program, key=lambda sequence: sequence.fault_times[-1])
        if newest in long and self._swept >= self._size:
            newest.refaults = max(newest.refaults, self._length)

    def _long(self) -> list[Sequence]:
        return [each for some in self.sequences.values() for each in some if len(each) >= self._length]

    def _spare(self, of_program: Sequences, page: int) -> None:
        for sequence in of_program:
            if page in sequence:
                behind = page - sequence.low_end if sequence.direction == "down" else sequence.high_end - page
                if behind < self._most and 4 * behind < self._size:
                    self._distance = max(self._distance, behind + 1)

    def _is_eligible(self, sequence: Sequence) -> bool:
        return sequence.refaults >= self._length and super()._is_eligible(sequence)


class SeqAdaptive:
    """A memory under adaptive SEQ replacement; parameters and attributes are those of `Seq`."""

    def __init__(
        self, memory_pages: int, length: int = 20, distance: int = 20, recent: int = 5, limit: int = 200
    ) -> None:
        self._size = memory_pages
        self._lru = Lru(memory_pages)
        self._careful = CarefulSeq(memory_pages, length, distance, recent, limit)
        self._seq = Seq(memory_pages, length, distance, recent, limit)
        self._pages: set[Entry] = set()
        # For each candidate the pages that it evicted and this memory holds, and whether from a sequence.
        self._strays: list[dict[Entry, bool]] = [{}, {}, {}]
        self._behind = [0, 0, 0]
        self._imitated = 1
        self._credit = memory_pages  # in units of 1 / EXTRA faults
        self._in_debt = False
        self.victim: Entry | None = None
        self.from_sequence = False

    @property
    def sequences(self) -> dict[Hashable, Sequences]:
        """The sequences of SEQ, of each program that runs."""
        return self._seq.sequences

    def reference(self, page: int, program: Hashable = 0) -> bool:
        """Refer to a page of a program; return whether that is a page fault."""
        entry = (program, page)
        lru_fault = self._careful.lru_fault = self._lru.reference(entry)
        faults = [lru_fault, self._careful.reference(page, program), self._seq.reference(page, program)]
        victims = [
            (self._lru.victim, False),
            (self._careful.victim, self._careful.from_sequence),
            (self._seq.victim, self._seq.from_sequence),
        ]
        for strays, fault, (victim, from_sequence) in zip(self._strays, faults, victims, strict=True):
            if fault:
                strays.pop(entry, None)
                if victim in self._pages:
                    strays[victim] = from_sequence
        self._compare(faults)
        fault = entry not in self._pages
        self._account(faults, fault)
        if fault:
            self._load(entry)
        return fault

    def release(self, program: Hashable) -> None:
        """Free a program's pages and forget its sequences, as at its end."""
        self._lru.release([entry for entry in self._careful._faulted if entry[0] == program])
        self._careful.release(program)
        self._seq.release(program)
        for entry in [entry for entry in self._pages if entry[0] == program]:
            self._remove(entry)

    def _compare(self, faults: list[bool]) -> None:
        behind = [before + fault for before, fault in zip(self._behind, faults, strict=True)]
        self._behind = [min(each - min(behind), self._size) for each in behind]
        if SWITCH * self._behind[self._imitated] >= self._size:
            self._imitated = self._behind.index(min(self._behind))

    def _account(self, faults: list[bool], fault: bool) -> None:
        lru_fault = faults[0]
        if self._in_debt:
            self._credit += (lru_fault - faults[self._imitated]) * EXTRA // 2
        self._credit += lru_fault * (EXTRA + 1) - fault * EXTRA
        self._credit = min(self._credit, EXTRA * self._size // 4)
        if self._credit < 0:
            self._in_debt = True
        elif self._credit >= self._size:
            self._in_debt = False

    def _load(self, entry: Entry) -> None:
        self.victim, self.from_sequence = None, False
        if len(self._pages) == self._size:
            strays = self._strays[0 if self._in_debt else self._imitated]
            self.victim, self.from_sequence = next(iter(strays.items()))
            self._remove(self.victim)
        self._pages.add(entry)

    def _remove(self, entry: Entry) -> None:
        self._pages.remove(entry)
        for strays in self._strays:
            strays.pop(entry, None)

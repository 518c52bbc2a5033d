"""SEQ that falls back to LRU while LRU would fault less (not in the paper).

SEQ is far worse than LRU where LRU would have kept the pages that SEQ evicts: a sweep that fits into memory
beside other pages, a new array that is used at once, write-backs that trail a sweep. Four rules mend this.
LRU's memory of the same size, C pages, is simulated beside this one.

- Credit. A hit that LRU does not have earns one fault, a fault that LRU does not have costs one, and each
  fault of LRU earns 1 / EXTRA. While the credit is negative, victims are LRU's. Credit starts at C / EXTRA,
  is at most FULL * C / EXTRA, and must reach C / (2 EXTRA) before sequences are used again. As memory may
  lack all C pages of LRU's when the credit ends, there are at most LRU + LRU / EXTRA + C / EXTRA + C faults.
- Risk. A victim from a sequence is at risk while LRU holds it, and lost if it faults by then. The victim is
  LRU's if CAUTION times the number of victims at risk, times the share of lost ones, exceeds the credit. The
  share is that of all victims from sequences that LRU held; both counts are halved at 2 C victims.
- Evidence. A sequence of first faults may be a new array. Pages of a sequence are evicted only if it is swept
  again: L of its faults, or a fault that split it, were refaults that LRU has as well; or it grew while the
  sequences of at least L pages together were not smaller than memory, which cannot hold what was swept.
- Distance. M grows to spare a page that came back too early: a fault that LRU does not have, at distance d
  behind the head of a sequence, makes M = d + 1, if that is more, d is below C / 4, and the credit is below
  half its maximum.
"""

from collections.abc import Hashable

from litemrc.golden.machines.replacement import Lru
from litemrc.golden.machines.seq import Seq, Sequence, Sequences

EXTRA = 50
FULL = 5
CAUTION = 2


class SeqAdaptive(Seq):
    """A memory under adaptive SEQ replacement; parameters and attributes are those of `Seq`."""

    def __init__(
        self, memory_pages: int, length: int = 20, distance: int = 20, recent: int = 5, limit: int = 200
    ) -> None:
        super().__init__(memory_pages, length, distance, recent, limit)
        self._lru = Lru(memory_pages)
        self._lru_fault = False
        self._credit = memory_pages  # in units of 1 / EXTRA faults
        self._trusted = True
        self._at_risk: set[tuple[Hashable, int]] = set()
        self._lost = self._tried = 0
        self._faulted: set[tuple[Hashable, int]] = set()

    def reference(self, page: int, program: Hashable = 0) -> bool:
        entry = (program, page)
        fault = entry not in self._pages
        self._lru_fault = self._lru.reference(entry)
        if entry in self._at_risk:
            self._at_risk.remove(entry)
            self._lost += 1
        self._account(fault)
        if fault and not self._lru_fault and 2 * self._credit < FULL * self._size:
            self._spare(page, program)
        super().reference(page, program)
        self._faulted.add(entry)
        if fault and self.from_sequence and self.victim and self._lru.holds(self.victim):
            self._at_risk.add(self.victim)
            self._tried += 1
            if self._tried == 2 * self._size:
                self._tried, self._lost = self._tried // 2, self._lost // 2
        self._at_risk = {entry for entry in self._at_risk if self._lru.holds(entry)}
        return fault

    def release(self, program: Hashable) -> None:
        self._lru.release([entry for entry in self._faulted if entry[0] == program])
        self._at_risk = {entry for entry in self._at_risk if entry[0] != program}
        super().release(program)

    def _account(self, fault: bool) -> None:
        self._credit += (self._lru_fault - fault) * EXTRA + self._lru_fault
        self._credit = min(self._credit, FULL * self._size)
        if self._credit < 0:
            self._trusted = False
        elif 2 * self._credit >= self._size:
            self._trusted = True

    def _spare(self, page: int, program: Hashable) -> None:
        for sequence in self.sequences.get(program, ()):
            if page in sequence:
                head = sequence.low_end if sequence.direction == "down" else sequence.high_end
                if 4 * abs(page - head) < self._size:
                    self._distance = max(self._distance, abs(page - head) + 1)

    def _record(self, of_program: Sequences, page: int, program: Hashable) -> None:
        of_program.fault(page, self._faults, self._lru_fault and (program, page) in self._faulted)
        long = [each for some in self.sequences.values() for each in some if len(each) >= self._length]
        newest = max(of_program, key=lambda sequence: sequence.fault_times[-1])
        if newest in long and sum(map(len, long)) >= self._size:
            newest.refaults = max(newest.refaults, self._length)

    def _is_eligible(self, sequence: Sequence) -> bool:
        feared = CAUTION * len(self._at_risk) * self._lost * EXTRA
        trusted = self._trusted and feared <= self._credit * self._tried
        return trusted and sequence.refaults >= self._length and super()._is_eligible(sequence)

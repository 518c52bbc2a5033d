# SPDX-License-Identifier: BSD-2-Clause
"""Hit counters per context and epoch (HitCtrs of zhou2004, section 3.1)."""

from dataclasses import dataclass

from litemrc.golden.monitor.positions import Position, PositionKind


@dataclass(frozen=True)
class EpochCounters:
    """Counters of one finished epoch.

    For every context c: sum(hits[c]) + misses[c] == accesses[c], unless `overflow`.
    """

    epoch: int  # epoch number, from 0
    hits: list[list[int]]  # [context][group]: accesses whose LRU position lay in that group
    misses: list[int]  # [context]: accesses to invalid pages
    accesses: list[int]  # [context]
    touched: list[int]  # [context]: distinct pages touched: the working-set size
    overflow: bool  # a counter saturated, or one of those below is at its limit
    dropped: int = 0  # accesses lost before the filter, all contexts
    outside: int = 0  # accesses outside the address range
    unsampled: int = 0  # accesses in range to pages that are not sampled


class HitCounters:
    """Counts positions in saturating counters.

    Parameters
    ----------
    groups, contexts
        as in the stack engine.
    counter_bits
        width of every counter.
    """

    def __init__(self, groups: int, contexts: int, counter_bits: int = 32) -> None:
        self._groups, self._contexts = groups, contexts
        self._limit = (1 << counter_bits) - 1
        self._epoch = 0
        self.clear()

    def count(self, position: Position, first_touch: bool = False) -> None:
        """Count the position of an access for its context; ignore those of other operations."""
        if not position.counts:
            return
        self._add(self._accesses, position.context)
        if position.kind == PositionKind.HIT:
            self._add(self._hits[position.context], position.group)
        else:
            self._add(self._misses, position.context)
        if first_touch:
            self._add(self._touched, position.context)

    def clear(self) -> None:
        """Restart the running epoch from zero without publishing it."""
        self._hits = [[0] * self._groups for _ in range(self._contexts)]
        self._misses, self._accesses, self._touched = ([0] * self._contexts for _ in range(3))
        self._overflow = False

    def end_epoch(self, **uncounted: int) -> EpochCounters:
        """Publish the running epoch's counters and begin the next epoch from zero.

        Parameters
        ----------
        uncounted
            `dropped`, `outside` and `unsampled`, as counted by the earlier units.
        """
        finished = EpochCounters(
            self._epoch,
            self._hits,
            self._misses,
            self._accesses,
            self._touched,
            self._overflow or self._limit in uncounted.values(),
            **uncounted,
        )
        self._epoch += 1
        self.clear()
        return finished

    def _add(self, counters: list[int], index: int) -> None:
        if counters[index] == self._limit:
            self._overflow = True
        else:
            counters[index] += 1

# SPDX-License-Identifier: BSD-2-Clause
"""Faults of the hit counters."""

from tests.formal.faults.mutant import Mutant
from tests.formal.hit_counters import HitCountersProof

HITS = "counters.hit_counters.HitCounters"
TOTALS = "counters.totals.CounterTotals"
_WORD = "hits of a group in the window = those taken in its epoch, saturated"
_TOTALS = "the same of misses, accesses, pages touched, and zeros"

MUTANTS = (
    Mutant(
        HitCountersProof, _WORD, HITS, "chosen.eq(ahead & -ahead),", "chosen.eq(ahead & -ahead & 0b1110),"
    ),
    Mutant(
        HitCountersProof,
        _WORD,
        HITS,
        "buffer.zero.eq(zeroing[number] & ~zero_adr[-1]),",
        "buffer.zero.eq(zeroing[number]),",
    ),
    Mutant(HitCountersProof, _WORD, HITS, "NextValue(zeroing, active),", "NextValue(zeroing, 0),"),
    Mutant(HitCountersProof, _WORD, HITS, "NextValue(spare, window),", "NextValue(spare, active),"),
    Mutant(HitCountersProof, _WORD, HITS, "grows.eq(~old[-1])", "grows.eq(1)"),
    Mutant(
        HitCountersProof, _TOTALS, HITS, "totals.first.eq(fetched.first),", "totals.first.eq(fetched.valid),"
    ),
    Mutant(
        HitCountersProof,
        _TOTALS,
        TOTALS,
        "If(self.zero, *(flag.eq(0) for flag in known)),",
        "If(self.zero, known[0].eq(0)),",
        "counters.hit_counters",
    ),
    Mutant(
        HitCountersProof,
        "an epoch is published once, and only when its end was taken",
        HITS,
        "NextValue(clear, sink.kind == PositionKind.CLEAR),",
        "",
    ),
    Mutant(
        HitCountersProof,
        "no second end is taken before the epoch is published",
        HITS,
        'sink.epoch_end,\n                    NextState("COPY"),',
        'sink.epoch_end & (sink.kind != PositionKind.NONE),\n                    NextState("COPY"),',
    ),
    Mutant(
        HitCountersProof,
        "epoch counts published epochs",
        HITS,
        "If(publishing, self.epoch.eq(self.epoch + 1)),",
        "If(publishing | clear, self.epoch.eq(self.epoch + 1)),",
    ),
    Mutant(
        HitCountersProof,
        "idle: every epoch that ended is in the window",
        HITS,
        'self.idle.eq(fsm.ongoing("COUNT") &',
        "self.idle.eq(",
    ),
    Mutant(
        HitCountersProof,
        "a counter of the epoch goes above its limit only if the accesses of its context do",
        TOTALS,
        "& grown[-1]),",
        "& grown[0]),",
        "counters.hit_counters",
    ),
    Mutant(
        HitCountersProof,
        "accesses above the limit are known before the epoch is published",
        TOTALS,
        '(number != TOTALS.index("touched"))',
        '(number == TOTALS.index("misses"))',
        "counters.hit_counters",
    ),
    Mutant(
        HitCountersProof,
        "overflow: a counter of the epoch in the window saturated",
        HITS,
        "NextValue(overflow, 0),",
        "",
    ),
)

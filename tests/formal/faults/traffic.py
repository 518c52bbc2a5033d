# SPDX-License-Identifier: BSD-2-Clause
"""Faults of the counts of DRAM commands, and of their tallies."""

from tests.formal.dram_traffic import DRAMTrafficProof, OneEpoch
from tests.formal.faults.mutant import Mutant

TRAFFIC = "counters.dram_traffic.DRAMTraffic"
TALLY = "counters.tally.Tally"
_COUNT = "a count of a bank in the window = its commands in the finished epoch, up to its limit"
_HEAD = "cycles, refreshes and most waiting requests are those of the finished epoch; other words are 0"


def _fault(*texts: str) -> Mutant:
    return Mutant(DRAMTrafficProof, *texts, runs=OneEpoch)


MUTANTS = (
    _fault(_COUNT, TRAFFIC, "hit.eq(Array(accessed)[now.access_bank]),", "hit.eq(1),"),
    _fault(_COUNT, TRAFFIC, "high.eq(1 << above)", "high.eq(-1)"),
    _fault(_COUNT, TRAFFIC, " | (now.clear & (area == number)), each", ", each"),
    _fault(
        _COUNT,
        TALLY,
        "(word[count_bits:] != third.tag) | third.empty",
        "third.empty",
        "counters.dram_traffic",
    ),
    _fault(_COUNT, TALLY, "copy.eq(copy + 1),", "", "counters.dram_traffic"),
    _fault(
        _HEAD,
        TRAFFIC,
        "Cat(conflict, now.activate_bank[:counted_bits]), 2 * counted",
        "Cat(conflict, now.activate_bank[:counted_bits]), 0",
    ),
    _fault(
        _HEAD,
        TRAFFIC,
        "If(self.epoch_end | self.clear | (level > peak)",
        "If((level > peak)",
    ),
    _fault(
        "overflow: the finished epoch had 2^cycle_bits cycles or more",
        TRAFFIC,
        "(self.count & ~cycles[-1])",
        "self.count",
    ),
    _fault(
        "reads + writes = row hits + first accesses after an ACTIVATE, in a finished epoch",
        TRAFFIC,
        "accessed[bank].eq(0), opened",
        "opened",
    ),
)

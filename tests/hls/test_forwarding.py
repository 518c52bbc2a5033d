# SPDX-License-Identifier: BSD-2-Clause
"""Forwarded memories of hls/: on memories that write late, each missing register is found.

`make -C hls` runs the sources without a fault on these memories (test_hls_csim.py).
"""

import pytest

from tests.hls.faults import Fault, simulated

LATE = "-DLITEMRC_LATE_WRITES"


# One register fewer than the memory's latency, for each memory.
FEWER = [
    Fault(unit, f"{unit}/{unit}.hpp", f"InFlight<{words}, {cycles}>", f"InFlight<{words}, {cycles} - 1>")
    for unit, words, cycles in (
        ("hit_counters", "counter_t, CONTEXTS * GROUPS", "HIT_CYCLES"),
        ("working_set", "word_t, SET_WORDS", "WORD_CYCLES"),
        ("page_bitmap", "word_t, 2 * BANK_WORDS", "BITMAP_CYCLES"),
        ("dram_traffic", "counter_t, 2 * COUNTED_BANKS", "TRAFFIC_CYCLES"),
        ("ref_counters", "word_t, ROWS", "PAGE_CYCLES"),
        ("ref_counters", "tag_t, ROWS", "PAGE_CYCLES"),
        ("ref_counters", "entry_t, EVENT_QUEUE", "EVENT_CYCLES + 1"),
    )
]
# Faults of the registers.
WRONG = {
    "newest_is_not_compared": ("age >= 0; --age", "age >= 1; --age"),
    "oldest_has_priority": (
        "int age = CYCLES - 1; age >= 0; --age",
        "int age = 0; age < CYCLES; ++age",
    ),
    "lowest_bit_is_not_compared": (
        "(addresses_[age] == address)",
        "((addresses_[age] >> 1) == address >> 1)",
    ),
    "words_stay_in_their_register": ("words_[age] = words_[age - 1];", ""),
}
FAULTS = FEWER + [Fault("working_set", "common/forwarding.hpp", old, new) for old, new in WRONG.values()]
NAMES = [f"{fault.unit}: {fault.new or fault.old}" for fault in FAULTS]
TWO_READS = Fault(
    "hit_counters",
    "hit_counters/hit_counters.cpp",
    "hits(counter), hit",
    "hits(counter) | hits(counter), hit",
)


@pytest.mark.parametrize("fault", FAULTS, ids=NAMES)
def test_a_write_that_is_not_forwarded_is_found(tmp_path, fault):
    done = simulated(tmp_path, fault, LATE)
    assert done.returncode == 1
    assert f"{fault.unit}_tb" in done.stderr


def test_software_forwards_nothing(tmp_path):
    assert simulated(tmp_path, FEWER[0]).returncode == 0


def test_a_memory_that_is_read_twice_in_a_cycle_is_found(tmp_path):
    done = simulated(tmp_path, TWO_READS, LATE)
    assert done.returncode == 1
    assert "is read twice in cycle" in done.stderr

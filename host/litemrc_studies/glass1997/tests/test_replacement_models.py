# SPDX-License-Identifier: BSD-2-Clause
"""The models of replacement against examples worked by hand, and Glass and Cao 1997, section 4.1."""

import pytest
from litemrc_studies.glass1997.golden.replacement import Clock, Lru, Opt, faults
from litemrc_studies.glass1997.golden.round_robin import Program, run_together
from litemrc_studies.glass1997.golden.seq import Seq, Sequences

# Belady's string. Of three frames: OPT replaces 3, 4 for 1 2 5 (faults 1 2 3 4 5 3 4); LRU hits only 1 2
# behind 5; CLOCK: 4, 1, 2 replace 1, 2, 3 as all bits were set; 5 replaces 4; 3 and 4 replace 1 and 2; the
# rest are hits.
BELADY = [1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "memory, lru, clock, opt", [(3, 10, 9, 7), (4, 8, 10, 6), (5, 5, 5, 5), (1, 12, 12, 12)]
)
def test_faults_on_beladys_string(memory, lru, clock, opt):
    assert faults(Lru(memory), BELADY) == lru
    assert faults(Clock(memory), BELADY) == clock
    assert faults(Opt(memory, BELADY), BELADY) == opt


def test_clock_spares_what_was_used_since_the_hand_came_by():
    clock = Clock(3)
    assert faults(clock, [1, 2, 3, 4]) == 4  # 4 replaces 1; the hand stands at 2, all bits clear but 4's
    assert not clock.reference(2)
    assert clock.reference(5)  # 2 is spared, 3 goes
    assert [page for page in (2, 4, 5) if not clock.reference(page)] == [2, 4, 5]


def sequences_of(*pages: int, length: int = 20, limit: int = 200) -> list[tuple[int, int, str | None]]:
    sequences = Sequences(length, limit)
    for time, page in enumerate(pages):
        sequences.fault(page, time)
    return sorted((s.low_end, s.high_end, s.direction) for s in sequences)


def test_sequences_grow_in_one_direction():
    assert sequences_of(7) == [(7, 7, None)]
    assert sequences_of(7, 8, 9) == [(7, 9, "up")]
    assert sequences_of(7, 6, 5) == [(5, 7, "down")]
    assert sequences_of(7, 8, 6) == [(6, 6, None), (7, 8, "up")]
    assert sequences_of(7, 6, 8) == [(6, 7, "down"), (8, 8, None)]


def test_a_fault_in_the_middle_splits_a_sequence():
    assert sequences_of(1, 2, 3, 4, 5, 3) == [(1, 2, "up"), (3, 3, None)]
    assert sequences_of(5, 4, 3, 2, 1, 3) == [(3, 3, None), (4, 5, "down")]


def test_a_fault_at_the_tail_leaves_nothing_of_a_sequence():
    assert sequences_of(1, 2, 3, 1) == [(1, 1, None)]
    assert sequences_of(3, 2, 1, 3) == [(3, 3, None)]
    assert sequences_of(4, 4) == [(4, 4, None)]


def test_of_two_sequences_that_could_grow_the_newer_does_and_the_older_is_deleted():
    assert sequences_of(1, 2, 5, 4, 3) == [(3, 5, "down")]
    assert sequences_of(5, 4, 1, 2, 3) == [(1, 3, "up")]


def test_a_sequence_that_would_be_overlapped_is_deleted():
    assert sequences_of(3, 4, 5, 1, 2) == [(1, 2, "up"), (3, 5, "up")]
    assert sequences_of(3, 4, 5, 1, 2, 3) == [(1, 3, "up")]


def test_beyond_the_limit_the_oldest_short_sequence_is_deleted():
    # Long ones (length 2 and more) survive, however old they are.
    assert sequences_of(1, 2, 10, 20, 30, length=2, limit=3) == [(1, 2, "up"), (20, 20, None), (30, 30, None)]
    # None is below 2: the oldest below 4, which is not the oldest of all.
    assert sequences_of(1, 2, 3, 4, 11, 12, 21, 22, 30, length=2, limit=3) == [
        (1, 4, "up"), (21, 22, "up"), (30, 30, None),
    ]  # fmt: skip


def test_a_sweep_keeps_the_bottom_of_the_region_in_memory():
    """Section 4.1's example: 100 pages, memory of 60. Pages 60 ... 99 replace those 20 behind them."""
    seq = Seq(60)
    assert faults(seq, range(100)) == 100
    # A hit changes nothing but LRU order, so all others may be asked as well.
    assert [page for page in (*range(40), *range(80, 100)) if seq.reference(page)] == []
    assert seq.reference(40)


def test_seq_takes_the_sequence_whose_nth_most_recent_fault_is_the_latest():
    """Two sequences of 3 in a memory of 6. With N = 1 the second is the latest, with N = 3 the first.

    Times of faults: 0 1 2 3 4 5 on pages 10 50 51 52 11 12. Recent faults of (10 11 12): 5 4 0, of
    (50 51 52): 3 2 1. Page 90 then replaces the page at distance 1 from the head.
    """
    for recent, gone in ((1, 11), (2, 11), (3, 51)):
        seq = Seq(6, length=3, distance=1, recent=recent)
        assert faults(seq, [10, 50, 51, 52, 11, 12, 90]) == 7
        assert [page for page in (10, 11, 12, 50, 51, 52) if (0, page) not in seq._pages] == [gone]


def test_seq_has_the_papers_parameters_by_default():
    """Section 4.1: L = 20, M = 20, N = 5, and 200 sequences."""
    chosen = Seq(9)
    assert (chosen._length, chosen._distance, chosen._recent, chosen._limit) == (20, 20, 5, 200)


def test_a_program_that_ended_leaves_no_page_and_no_sequence():
    seq, lru, clock = Seq(3, length=2, distance=0), Lru(3), Clock(3)
    for page in (1, 2):
        seq.reference(page, "a")
        lru.reference(("a", page))
        clock.reference(("a", page))
    seq.reference(9, "b")
    seq.release("a")
    seq.release("c")
    assert [seq.reference(page, "b") for page in (9, 5, 7)] == [False, True, True]  # both frames are free
    assert seq.reference(3, "a") and not seq.reference(5, "b")  # 9 goes: no sequence of a is left
    lru.release([("a", 1), ("b", 1)])
    clock.release([("a", 1), ("b", 1)])
    for memory in (lru, clock):
        assert [memory.reference(page) for page in (("a", 2), 3, 4)] == [False, True, True]
        assert not memory.reference(("a", 2)), "two frames were left"


def test_without_a_sequence_seq_is_lru():
    assert faults(Seq(3), BELADY) == faults(Lru(3), BELADY)


def run(memory: Lru, *references: list[tuple[int, int]], quantum: int, service: int) -> list[Program]:
    programs = [Program(list(of_program)) for of_program in references]
    run_together(
        programs,
        lambda program, page: memory.reference((program, page)),
        lambda program: memory.release([(program, page) for _, page in references[program]]),
        quantum=quantum,
        service=service,
    )
    return programs


def test_programs_take_turns_of_a_quantum():
    # First 0 to 10; second 10 to 13 and its end; first again, from 10 to 12 of its time.
    programs = run(Lru(9), [(0, 1), (4, 2), (12, 1)], [(0, 1), (3, 2)], quantum=10, service=5)
    assert [program.end for program in programs] == [15, 13]
    assert [(program.faults, program.cold_faults) for program in programs] == [(2, 2), (2, 2)]


def test_a_fault_from_disk_suspends_a_program_and_a_cold_one_does_not():
    (program,) = run(Lru(1), [(7, 1), (8, 2), (9, 1)], quantum=10, service=5)
    assert (program.faults, program.cold_faults, program.end) == (3, 2, 2 + 5)


def test_others_run_while_a_program_waits():
    # The first waits from 2 to 102; meanwhile the second runs to its end, at 52, and gives its page back.
    programs = run(Lru(1), [(0, 1), (1, 2), (2, 1)], [(0, 1), (50, 1)], quantum=1000, service=100)
    assert [program.end for program in programs] == [102, 52]
    assert [(program.faults, program.cold_faults) for program in programs] == [(3, 2), (1, 1)]

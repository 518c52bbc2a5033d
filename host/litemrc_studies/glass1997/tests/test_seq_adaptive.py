# SPDX-License-Identifier: BSD-2-Clause
"""Adaptive SEQ: the golden model's rules by hand, its bound, and what it makes of sweeps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.traces import Chunk, Trace, open_trace
from litemrc_studies.glass1997 import policies
from litemrc_studies.glass1997.golden.replacement import Lru, faults
from litemrc_studies.glass1997.golden.round_robin import Program, run_together
from litemrc_studies.glass1997.golden.seq import Seq
from litemrc_studies.glass1997.golden.seq_adaptive import EXTRA, CarefulSeq, SeqAdaptive
from litemrc_studies.glass1997.machine.memories import replay
from litemrc_studies.glass1997.machine.round_robin import Scheduling
from litemrc_studies.glass1997.machine.round_robin import run_together as run_native
from litemrc_studies.glass1997.tests.reference_strings import PAGES, TRACES

exhaustive = settings(max_examples=100, deadline=None)


@exhaustive
@given(TRACES, st.integers(1, PAGES + 1), st.integers(1, 6), st.integers(1, 6))
def test_faults_exceed_those_of_lru_by_the_granted_ones_and_a_memory_at_most(pages, memory, length, distance):
    """Repeated, so that a loss would add up."""
    pages = 3 * pages
    lru = faults(Lru(memory), pages)
    bound = lru + (lru + memory) / EXTRA + memory + lru / 2
    assert faults(SeqAdaptive(memory, length, distance, 1, 8), pages) <= bound


class Careful:
    """Careful SEQ beside the LRU memory whose faults it needs."""

    def __init__(self, memory: int, length: int = 20, distance: int = 20) -> None:
        self.lru, self.seq = Lru(memory), CarefulSeq(memory, length, distance, 5, 200)

    def reference(self, page: int) -> bool:
        self.seq.lru_fault = self.lru.reference((0, page))
        return self.seq.reference(page)

    @property
    def eligible(self) -> list[bool]:
        return [self.seq._is_eligible(sequence) for sequence in self.seq.sequences[0]]


def test_an_array_that_fits_is_not_evicted_while_it_is_filled():
    """8 old pages, then an array of 40, used twice, in a memory of 41.

    LRU and careful SEQ evict 7 old pages; SEQ evicts 7 of the array, 20 behind its head, which fault again.
    """
    pages = [*range(1000, 1008), *range(40), *range(40)]
    assert faults(Lru(41), pages) == faults(Careful(41), pages) == faults(SeqAdaptive(41), pages) == 48
    assert faults(Seq(41), pages) == 48 + 7


def test_a_loop_in_use_is_no_part_of_a_sweep_that_is_larger_than_memory():
    """Two loops of 40 pages, one after the other, in a memory of 60: LRU evicts 20 pages of the first one.

    The sequences have 80 pages together. Counted so, the second loop would be evicted behind its head.
    """
    pages = [*range(40)] * 3 + [*range(100, 140)] * 3
    assert faults(Lru(60), pages) == faults(Careful(60), pages) == faults(SeqAdaptive(60), pages) == 80
    assert faults(Seq(60), pages) > 80


def test_a_sweep_that_comes_again_is_evicted_although_it_is_shorter_than_memory():
    """40 pages among 8 others in use, in a memory of 40; victims are SEQ's from the 20th refault on."""
    others = [2 * number + 1000 for number in range(8)]
    sweep = [page for place in range(40) for page in (place, others[place % 8])]
    careful, lru = Careful(40, distance=1), Lru(40)
    assert faults(careful, sweep) == faults(lru, sweep) == 48
    assert faults(careful, sweep) < faults(lru, sweep) == 40


def test_evidence_is_a_split_or_l_refaults_or_growth_while_sequences_are_as_large_as_memory():
    careful = Careful(6, length=3, distance=1)
    faults(careful, [1, 2, 3])
    assert careful.eligible == [False]
    faults(careful, [11, 12, 13])  # 3 + 3 pages
    assert careful.eligible == [False, True]
    careful = Careful(6, length=3, distance=1)
    faults(careful, [1, 2, 3, 21, 31, 41, 51, 61, 71, 3])  # 3 had left LRU's memory
    first = next(iter(careful.seq.sequences[0]))
    assert (first.low_end, first.high_end, first.refaults) == (1, 2, 3)


@pytest.mark.parametrize(("behind", "distance"), [(30, 31), (49, 50), (50, 20), (90, 20)])
def test_a_page_that_trails_a_sweep_widens_the_distance(behind, distance):
    """Each page is used again n pages later, when M = 20 has evicted it. A quarter of 200 is 50."""
    trailing = [page for place in range(behind, 400) for page in (place, place - behind)]
    careful = Careful(200)
    filled = 2 * (200 - behind)  # pages 0 to 199 are in memory
    faults(careful, [*range(behind), *trailing[:filled]])
    assert careful.seq._distance == 20
    faults(careful, trailing[filled:])
    assert careful.seq._distance == distance


def test_the_distance_is_below_four_times_its_start():
    trailing = [page for place in range(10, 400) for page in (place, place - 10)]
    for start, distance in ((2, 2), (3, 11)):
        careful = Careful(200, distance=start)
        faults(careful, [*range(10), *trailing])
        assert careful.seq._distance == distance


def test_the_candidate_that_is_least_behind_is_imitated_when_the_other_is_behind_by_a_hundredth_of_memory():
    adaptive = SeqAdaptive(300)
    rounds = [([True, True, False], 1)] * 2 + [([True, True, False], 2), ([False, True, True], 2)]
    for number, (faulted, imitated) in enumerate(rounds, 1):
        adaptive._compare(faulted)
        assert adaptive._imitated == imitated, f"after {number} faults"
    assert adaptive._behind == [2, 3, 0]
    for _ in range(400):
        adaptive._compare([False, False, True])
    assert adaptive._behind == [0, 1, 300] and adaptive._imitated == 0


def test_credit_is_earned_and_spent_in_faults():
    """A memory of 20 begins with 20 / 50 faults, and has at most 250 / 50; in debt until it has 20 / 50."""
    adaptive = SeqAdaptive(20)
    adaptive._imitated = 0
    for lru_fault, fault, credit, in_debt in (
        (True, True, 21, False),
        (False, True, -29, True),
        (True, False, 22, False),
        (False, True, -28, True),
        (True, True, -27, True),
        (False, False, -27, True),
        (True, False, 24, False),
    ):
        adaptive._account([lru_fault, True, True], fault)
        assert (adaptive._credit, adaptive._in_debt) == (credit, in_debt)
    for _ in range(9):
        adaptive._account([True, True, True], False)
    assert adaptive._credit == 250


def test_in_debt_the_lead_of_the_chosen_candidate_counts_half():
    """Beside the 1 / 50 for a fault of LRU; both have it, or only one."""
    adaptive = SeqAdaptive(500)
    adaptive._imitated, adaptive._credit, adaptive._in_debt = 2, -1000, True
    for faulted, credit in (
        ([True, True, True], -999),
        ([True, True, False], -973),
        ([False, True, True], -998),
    ):
        adaptive._account(faulted, faulted[0])
        assert adaptive._credit == credit


def test_in_debt_the_victims_are_those_of_lru():
    """A sweep in a memory of 60: SEQ evicts 20 pages behind page 100, LRU has evicted page 0 first."""
    for in_debt, victim in ((False, 100 - 20), (True, 0)):
        adaptive = SeqAdaptive(60)
        faults(adaptive, range(100))
        adaptive._in_debt, adaptive._credit = in_debt, -1000 if in_debt else 100
        adaptive.reference(100)
        assert adaptive.victim == (0, victim) and adaptive.from_sequence != in_debt


@pytest.mark.parametrize("seed", range(3))
def test_the_native_core_is_the_golden_model_on_long_traces(seed):
    """The paper's parameters: sweeps over up to 300 pages, twice each, and scattered and trailing pages."""
    random = np.random.default_rng(seed)
    pages: list[int] = []
    for _ in range(6):
        low, span, behind = random.integers(0, 1000), random.integers(20, 300), random.integers(1, 60)
        sweep = (low + np.arange(span)).tolist()[:: random.choice([-1, 1])]
        pages += 2 * [page for place in range(span) for page in (sweep[place], sweep[max(0, place - behind)])]
        pages += (3 * random.integers(0, 2000, random.integers(0, 60))).tolist()
    for memory in (64, 250):
        trace = Given(pages)
        (count,) = replay(trace, trace, [policies.SeqAdaptive()], [memory]).counts
        assert count.faults == faults(SeqAdaptive(memory), pages)


@pytest.mark.parametrize("memory", [250, 500, 900])
def test_a_sweep_larger_than_memory_costs_what_seq_needs(memory):
    trace = open_trace("gen:sweeps?pages=1000&regions=1&n=20000")
    seq, adaptive = replay(trace, trace, [policies.Seq(), policies.SeqAdaptive()], [memory]).counts
    assert adaptive.faults <= 1.03 * seq.faults


@pytest.mark.parametrize("memory", [3000, 3500, 4500])
def test_a_sweep_that_fits_beside_a_zipf_mix_is_left_to_lru(memory):
    trace = open_trace("gen:zipf+stream?pages=4000&loop_pages=1000&period=4&n=100000")
    each = [policies.Lru(), policies.Seq(), policies.SeqAdaptive()]
    lru, seq, adaptive = (count.faults for count in replay(trace, trace, each, [memory]).counts)
    assert seq > 1.1 * lru and adaptive <= 1.03 * lru


class Given(Trace):
    """References at hand, one per unit of time."""

    def __init__(self, pages: list[int]) -> None:
        super().__init__("given")
        self._pages = pages

    def __iter__(self):
        return iter([Chunk(np.array(self._pages, "u8"))])


@exhaustive
@given(st.lists(TRACES, min_size=2, max_size=3), st.integers(1, PAGES), st.integers(1, 9))
def test_programs_in_one_memory_are_those_of_the_golden_model(traces, memory, quantum):
    """Programs that end free pages and ghosts."""
    parameters = (3, 2, 2, 8)
    model = SeqAdaptive(memory, *parameters)
    programs = [Program(list(enumerate(pages))) for pages in traces]
    run_together(
        programs,
        lambda program, page: model.reference(page, program),
        model.release,
        quantum=quantum,
        service=5,
    )
    openers = [lambda pages=pages: Given(pages) for pages in traces]
    native = run_native(openers, policies.SeqAdaptive(*parameters), memory, Scheduling(quantum, 5, 0))
    assert [(each.faults, each.end) for each in native.programs] == [
        (each.faults, each.end) for each in programs
    ]

"""Adaptive SEQ: the golden model's rules by hand, its bound, and what it makes of sweeps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.golden.machines.replacement import Lru, faults
from litemrc.golden.machines.round_robin import Program, run_together
from litemrc.golden.machines.seq import Seq
from litemrc.golden.machines.seq_adaptive import EXTRA, SeqAdaptive
from litemrc.machines.replacement.memories import replay
from litemrc.machines.replacement.round_robin import Scheduling
from litemrc.machines.replacement.round_robin import run_together as run_native
from litemrc.policies import replacement as policies
from litemrc.traces import Chunk, Trace, open_trace
from reference_strings import PAGES, TRACES

exhaustive = settings(max_examples=100, deadline=None)


@exhaustive
@given(TRACES, st.integers(1, PAGES + 1), st.integers(1, 6), st.integers(1, 6))
def test_faults_exceed_those_of_lru_by_the_granted_ones_and_a_memory_at_most(pages, memory, length, distance):
    """Repeated, so that a loss would add up."""
    pages = 3 * pages
    lru = faults(Lru(memory), pages)
    assert faults(SeqAdaptive(memory, length, distance, 1, 8), pages) <= lru + (lru + memory) / EXTRA + memory


def test_an_array_that_fits_is_not_evicted_while_it_is_filled():
    """8 old pages, then an array of 40, used twice, in a memory of 41.

    LRU and adaptive SEQ evict 7 old pages; SEQ evicts 7 of the array, 20 behind its head, which fault again.
    """
    pages = [*range(1000, 1008), *range(40), *range(40)]
    assert faults(Lru(41), pages) == faults(SeqAdaptive(41), pages) == 48
    assert faults(Seq(41), pages) == 48 + 7


def test_a_sweep_that_comes_again_is_evicted_although_it_is_shorter_than_memory():
    """40 pages among 8 others in use, in a memory of 40; victims are SEQ's from the 20th refault on."""
    others = [2 * number + 1000 for number in range(8)]
    sweep = [page for place in range(40) for page in (place, others[place % 8])]
    adaptive, lru = SeqAdaptive(40, distance=1), Lru(40)
    assert faults(adaptive, sweep) == faults(lru, sweep) == 48
    assert faults(adaptive, sweep) < faults(lru, sweep) == 40


def test_evidence_is_a_split_or_l_refaults_or_growth_while_sequences_are_as_large_as_memory():
    adaptive = SeqAdaptive(6, length=3, distance=1)
    first = faults(adaptive, [1, 2, 3]) and next(iter(adaptive.sequences[0]))
    assert not adaptive._is_eligible(first)
    assert faults(adaptive, [11, 12, 13])  # 3 + 3 pages
    assert [adaptive._is_eligible(sequence) for sequence in adaptive.sequences[0]] == [False, True]
    adaptive = SeqAdaptive(6, length=3, distance=1)
    assert faults(adaptive, [1, 2, 3, 21, 31, 41, 51, 61, 71, 3]) == 10  # 3 had left LRU's memory
    first = next(iter(adaptive.sequences[0]))
    assert (first.low_end, first.high_end, first.refaults) == (1, 2, 3)


def test_victims_are_those_of_lru_while_too_much_is_at_risk():
    """2 * 4 pages at risk, of which a quarter will be lost: 2 faults; the credit must be 100 / 50."""
    adaptive = SeqAdaptive(40, length=2)
    faults(adaptive, range(40))
    (sequence,) = adaptive.sequences[0]
    adaptive._at_risk, adaptive._lost, adaptive._tried = set(range(4)), 1, 4
    for credit in (99, 100):
        adaptive._credit = credit
        assert adaptive._is_eligible(sequence) == (credit == 100)


def test_credit_is_earned_and_spent_in_faults():
    """A memory of 2 begins with 2 / 50 faults; each fault of LRU adds 1 / 50, up to 10 / 50."""
    adaptive = SeqAdaptive(2)
    for page, credit in ((1, 3), (2, 4), (1, 4), (3, 5), (4, 6)):
        adaptive.reference(page)
        assert adaptive._credit == credit
    faults(adaptive, range(10, 30))
    assert adaptive._credit == 10
    adaptive._pages.remove((0, 29))  # as if SEQ had evicted it: LRU has it
    adaptive.reference(29)
    assert (adaptive._credit, adaptive._trusted) == (10 - EXTRA, False)


def test_a_page_that_trails_a_sweep_widens_the_distance():
    """Each page is used again 30 pages later: with M = 20 it has been evicted, and M becomes 31."""
    pages = [*range(30), *(page for place in range(30, 400) for page in (place, place - 30))]
    adaptive = SeqAdaptive(200)
    filled = 30 + 2 * 170  # pages 0 to 199 are in memory
    faults(adaptive, pages[:filled])
    assert adaptive._distance == 20
    faults(adaptive, pages[filled:])
    assert adaptive._distance == 31


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

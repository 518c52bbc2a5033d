# SPDX-License-Identifier: BSD-2-Clause
"""Results of a replay, and replays of IN/OUT records."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.traces import Chunk, Trace, open_trace
from litemrc.traces.formats.interval_records import smallest_opt_memory
from litemrc.traces.opening import WriteOptions, create_trace
from litemrc_studies.glass1997.golden import replacement as golden
from litemrc_studies.glass1997.golden.seq import Seq as GoldenSeq
from litemrc_studies.glass1997.machine import memories
from litemrc_studies.glass1997.machine.memories import replay
from litemrc_studies.glass1997.machine.round_robin import (
    GlobalResult,
    ProgramResult,
    Scheduling,
    run_together,
)
from litemrc_studies.glass1997.policies import Clock, Lru, Opt, Policy, Seq
from numpy import array

STEPS = st.lists(st.tuples(st.integers(0, 9), st.sampled_from([1, 1, 1, 2, 9, 40])), min_size=1, max_size=120)
exhaustive = settings(max_examples=100, deadline=None)


class Given(Trace):
    """Chunks of (page, time) at hand."""

    def __init__(self, *chunks, contexts=None, unit="", timed=True, minimum=1, interval=0):
        super().__init__("given")
        self._chunks, self._contexts, self._timed = chunks, contexts, timed
        self.time_unit, self.minimum_pages, self.interval = unit, minimum, interval

    def __iter__(self) -> Iterator[Chunk]:
        for number, rows in enumerate(self._chunks):
            pages, times = (np.array([row[place] for row in rows], np.uint64) for place in (0, 1))
            context = self._contexts[number] if self._contexts else 0
            yield Chunk(
                pages,
                times=times if self._timed else None,
                contexts=None if self._contexts is None else np.full(pages.size, context, np.uint32),
            )


def result(trace, policies=(), sizes=(1,)):
    return replay(trace, trace, policies, sizes)


@pytest.mark.parametrize(
    ("trace", "duration", "unit"),
    [
        (Given([(1, 5), (2, 9)], [], [(1, 20)], unit="cycles"), 16, "cycles"),  # 5 to 20, both included
        (Given([(1, 5), (2, 9)]), 5, "units of time"),
        (Given([(1, 7)], [(2, 7), (3, 7)], unit="cycles"), 3, "references"),
        (Given([(1, 0)], [(2, 0)], timed=False), 2, "references"),
    ],
)
def test_a_trace_lasts_from_its_first_to_its_last_reference(trace, duration, unit):
    found = result(trace)
    assert (found.duration, found.time_unit) == (duration, unit)


def test_chunks_are_one_trace_and_empty_ones_are_passed_over():
    """1 2 | | 2 3 1 in two pages: LRU misses 1, 2, 3 and 1; CLOCK too; OPT keeps 1."""
    trace = Given([(1, 0), (2, 1)], [], [(2, 2), (3, 3), (1, 4)])
    found = result(trace, [Lru(), Clock(), Opt()], [2, 3])
    assert [each.faults for each in found.counts] == [4, 3, 4, 3, 3, 3]
    assert [(each.memory_pages, each.cold_faults) for each in found.counts] == [(2, 3), (3, 3)] * 3
    assert found.references == 5


def test_contexts_are_merged_with_a_note_if_there_are_several():
    for contexts, notes in (([3, 3], 0), ([3, 4], 1)):
        trace = Given([(1, 0)], [(1, 1)], contexts=contexts)
        assert result(trace, [Lru()]).counts[0].faults == 1
        assert len(trace.notes) == notes


def test_opt_keeps_so_many_references_of_changing_pages_and_no_more(monkeypatch):
    monkeypatch.setattr(memories, "MAX_OPT_REFERENCES", 4)
    assert result(Given([(1, 0), (2, 1)], [(2, 2), (3, 3), (1, 4)]), [Opt()], [2]).counts[0].faults == 3
    with pytest.raises(UserError, match="more than 4 references"):
        result(Given([(1, 0), (2, 1)], [(3, 2), (3, 3), (1, 4), (2, 5)]), [Opt()])


def test_intervals_are_numbered_by_time(monkeypatch):
    """Beyond 2^32 intervals they merge, and so OPT is not exact there."""
    told = []
    trace = Given([(1, 0), (2, 19), (2, 20)], [(3, 20), (1, 10 << 32), (2, 20 << 32)], interval=10)
    opt = memories.OptTrace

    class Recorded(opt):
        def append(self, numbers, intervals):
            told.append(intervals.tolist())
            super().append(numbers, intervals)

    monkeypatch.setattr(memories, "OptTrace", Recorded)
    runs = memories._Runs(trace, [Opt()], [9])
    for chunk in trace:
        runs.add(chunk)
    assert told == [[0, 1], [2, 2**32 - 1, 2**32 - 1]]


def test_times_of_scheduling_are_the_papers_and_fit_into_53_bits():
    """10 ms and 4 ms at 100 MIPS."""
    assert Scheduling() == Scheduling(10 * 100_000, 4 * 100_000, 0)
    Scheduling(2**53 - 1, 2**53 - 1, 2**53 - 1)
    Scheduling(1, 0, 0)
    for name in ("quantum", "service", "cold_service"):
        with pytest.raises(UserError, match=f"{name.replace('_', ' ')} cannot be {2**53}"):
            Scheduling(**{name: 2**53})


def test_programs_together_are_the_sum_of_each():
    programs = [ProgramResult("a", 9, 5, 2, 7, 4), ProgramResult("b", 8, 3, 1, 6, 2)]
    both = GlobalResult(Lru(), 3, 7, programs)
    assert (both.faults, both.cold_faults, both.computed) == (8, 3, 6)


def together(memory, *traces):
    return run_together([lambda each=trace: each for trace in traces], Lru(), memory, Scheduling(9, 5, 2))


def test_traces_without_times_take_a_unit_each_over_all_their_chunks():
    """Three cold faults of 2, each behind its reference at 0, 1 and 2; then one at 3."""
    found = together(5, Given([(1, 9), (2, 9)], [], [(3, 9), (1, 9)], timed=False))
    assert (found.time, found.programs[0].computed, found.programs[0].references) == (3 * 2 + 3, 3, 4)


def test_memories_below_the_sum_of_the_minimums_are_refused_if_order_is_unknown():
    def pair(interval):
        return Given([(1, 0)], minimum=2), Given([(1, 0)], minimum=3, interval=interval)

    assert together(5, *pair(10)).faults == 2
    assert together(4, *pair(0)).faults == 2
    with pytest.raises(UserError, match="a memory of 4 pages cannot be simulated") as error:
        together(4, *pair(10))
    assert error.value.remedy.startswith("give at least 5 pages")


@pytest.mark.parametrize("policy", [Lru(), Clock(), Opt()], ids=lambda policy: policy.name)
def test_a_memory_without_pages_is_refused_before_the_trace_is_read(policy):
    trace = Given([(1, 0)])
    unread = iter(trace)
    with pytest.raises(UserError, match=r"at least 1 page \(got 0\)"):
        replay(trace, unread, [policy], [3, 0])
    assert len(next(unread)) == 1


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("intervals") / "t.inout"


def record(path, steps: list[tuple[int, int]], interval: int) -> list[int]:
    """Write references as intervals; steps are pages and the time passed before each."""
    pages = [page for page, _ in steps]
    times = [sum(step for _, step in steps[: index + 1]) for index in range(len(steps))]
    with create_trace(path, options=WriteOptions(interval=interval)) as writer:
        writer.write(Chunk(array(pages, "u8"), times=array(times, "u8")))
    return pages


def faults(path, policy: Policy, memory: int) -> int:
    with open_trace(path) as trace:
        return replay(trace, trace, [policy], [memory]).counts[0].faults


@exhaustive
@given(STEPS, st.integers(1, 12), st.integers(1, 11))
def test_opt_and_lru_are_those_of_all_references_or_refused(path, steps, interval, memory):
    pages = record(path, steps, interval)
    with open_trace(path) as trace:
        list(trace)
        lru_minimum = trace.minimum_pages
    for policy, model, minimum in (
        (Opt(), golden.Opt(memory, pages), smallest_opt_memory(path)),
        (Lru(), golden.Lru(memory), lru_minimum),
    ):
        if memory >= minimum:
            assert faults(path, policy, memory) == golden.faults(model, pages)
        else:
            with pytest.raises(UserError, match=f"a memory of {memory} pages cannot be simulated"):
                faults(path, policy, memory)


@exhaustive
@given(STEPS, st.integers(1, 12))
def test_seq_is_the_golden_model_on_the_promised_references(path, steps, interval):
    record(path, steps, interval)
    with open_trace(path) as trace:
        promised = [page for chunk in trace for page in chunk.pages.tolist()]
        memory = trace.minimum_pages
    assert faults(path, Seq(3, 1, 2, 8), memory) == golden.faults(GoldenSeq(memory, 3, 1, 2, 8), promised)
    if memory > 1:
        with pytest.raises(UserError, match="cannot be simulated"):
            faults(path, Seq(3, 1, 2, 8), memory - 1)


def test_clock_is_refused(path):
    record(path, [(1, 0), (2, 5)], 10)
    with pytest.raises(UserError, match="CLOCK cannot be simulated on IN/OUT records"):
        faults(path, Clock(), 5)

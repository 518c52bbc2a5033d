# SPDX-License-Identifier: BSD-2-Clause
"""Several programs in one memory: the native machine is the golden one."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.traces import Chunk, Trace
from litemrc_studies.glass1997.golden import replacement as golden
from litemrc_studies.glass1997.golden.round_robin import Program
from litemrc_studies.glass1997.golden.round_robin import run_together as golden_run
from litemrc_studies.glass1997.golden.seq import Seq as GoldenSeq
from litemrc_studies.glass1997.machine.round_robin import GlobalResult, Scheduling, run_together
from litemrc_studies.glass1997.policies import Clock, Lru, OnlinePolicy, Seq
from litemrc_studies.glass1997.tests.reference_strings import TRACES

GAPS = st.lists(st.sampled_from([0, 0, 1, 1, 2, 7, 30]), min_size=1, max_size=5)
exhaustive = settings(max_examples=60, deadline=None)


def timed(pages: list[int], gaps: list[int], begin: int) -> list[tuple[int, int]]:
    times = begin + np.cumsum(np.resize(gaps, len(pages)))
    return list(zip(times.tolist(), pages, strict=True))


PROGRAMS = st.lists(st.builds(timed, TRACES, GAPS, st.integers(0, 50)), min_size=1, max_size=3)
SCHEDULING = st.builds(Scheduling, st.integers(1, 40), st.integers(0, 30), st.sampled_from([0, 0, 11]))


class Given(Trace):
    """References at hand as a trace of several chunks."""

    def __init__(self, references: list[tuple[int, int]]) -> None:
        super().__init__("given")
        self._references = references

    def __iter__(self) -> Iterator[Chunk]:
        for start in range(0, len(self._references), 17):
            times, pages = zip(*self._references[start : start + 17], strict=True)
            yield Chunk(np.array(pages, np.uint64), times=np.array(times, np.uint64))


def run(
    programs: list[list[tuple[int, int]]], policy: OnlinePolicy, memory: int, scheduling: Scheduling
) -> GlobalResult:
    return run_together([lambda p=program: Given(p) for program in programs], policy, memory, scheduling)


def expected(
    references: list[list[tuple[int, int]]], policy: OnlinePolicy, memory: int, scheduling: Scheduling
) -> list[tuple[int, int, int]]:
    """End, faults and cold faults of each program, of the golden models."""
    touched: list[dict[int, None]] = [{} for _ in references]  # in the order of first touch

    def shared(program: int, page: int) -> bool:
        touched[program][page] = None
        return model.reference((program, page))

    if isinstance(policy, Seq):
        model = GoldenSeq(memory, policy.length, policy.distance, policy.recent, policy.limit)
        reference, release = (lambda program, page: model.reference(page, program)), model.release
    else:
        model = golden.Lru(memory) if isinstance(policy, Lru) else golden.Clock(memory)
        reference = shared

        def release(program: int) -> None:
            model.release([(program, page) for page in touched[program]])

    programs = [Program(list(of_program)) for of_program in references]
    golden_run(
        programs,
        reference,
        release,
        quantum=scheduling.quantum,
        service=scheduling.service,
        cold_service=scheduling.cold_service,
    )
    return [(program.end, program.faults, program.cold_faults) for program in programs]


@pytest.mark.parametrize("policy", [Lru(), Clock(), Seq(3, 2, 2, 6)], ids=lambda policy: policy.name)
@exhaustive
@given(programs=PROGRAMS, memory=st.integers(1, 200), scheduling=SCHEDULING)
def test_programs_fare_as_in_the_golden_model(policy, programs, memory, scheduling):
    result = run(programs, policy, memory, scheduling)
    got = [(program.end, program.faults, program.cold_faults) for program in result.programs]
    assert got == expected(programs, policy, memory, scheduling)
    assert result.time == max(program.end for program in result.programs)
    assert [program.computed for program in result.programs] == [p[-1][0] - p[0][0] for p in programs]


@exhaustive
@given(program=st.builds(timed, TRACES, GAPS, st.just(0)), memory=st.integers(1, 100))
def test_a_program_alone_faults_as_often_as_without_scheduling(program, memory):
    pages = [page for _, page in program]
    for policy, model in ((Lru(), golden.Lru(memory)), (Seq(3, 2, 2, 6), GoldenSeq(memory, 3, 2, 2, 6))):
        assert run([program], policy, memory, Scheduling(10, 3)).faults == golden.faults(model, pages)


def test_a_trace_without_times_takes_one_unit_a_reference():
    class Timeless(Given):
        def __iter__(self) -> Iterator[Chunk]:
            for chunk in super().__iter__():
                yield Chunk(chunk.pages)

    pages = [(0, page) for page in range(40)]
    result = run_together([lambda: Timeless(pages)], Lru(), 5, Scheduling(1000, 100))
    assert (result.time, result.programs[0].computed) == (39, 39)  # cold faults take no time


def test_an_idle_program_does_not_stop_the_others():
    """Far apart references and a small quantum: more turns than one call of the machine makes."""
    result = run([[(0, 1), (1_000_000, 2)], [(0, 1), (5, 2)]], Lru(), 10, Scheduling(3, 0))
    # The second ends in its second turn, behind two of the first: at 3 + 3 + 5.
    assert [program.end for program in result.programs] == [1_000_005, 11]


@pytest.mark.parametrize("bad", [{"quantum": 0}, {"service": -1}, {"cold_service": -1}, {"quantum": 1 << 60}])
def test_impossible_times_are_refused(bad):
    with pytest.raises(UserError, match="cannot be"):
        Scheduling(**bad)


def test_memory_below_a_page_and_empty_traces_are_refused():
    with pytest.raises(UserError, match=r"at least 1 page \(got 0\)"):
        run([[(0, 1)]], Lru(), 0, Scheduling())
    with pytest.raises(UserError, match="the trace has no reference"):
        run([[(0, 1)], []], Lru(), 1, Scheduling())

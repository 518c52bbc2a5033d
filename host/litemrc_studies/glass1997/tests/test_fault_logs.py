# SPDX-License-Identifier: BSD-2-Clause
"""Logged faults: those of the golden models, each with its time, its victim and who chose it."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.traces import Chunk, Trace, open_trace
from litemrc.traces.opening import WriteOptions, create_trace
from litemrc_studies.glass1997.golden import replacement as golden
from litemrc_studies.glass1997.golden.seq import Seq as GoldenSeq
from litemrc_studies.glass1997.golden.seq_adaptive import SeqAdaptive as GoldenAdaptive
from litemrc_studies.glass1997.machine.fault_log import FaultLog
from litemrc_studies.glass1997.machine.memories import replay
from litemrc_studies.glass1997.policies import Clock, Lru, Policy, Seq, SeqAdaptive
from litemrc_studies.glass1997.tests.reference_strings import PAGES, TRACES
from numpy import array

Row = tuple[int, int, bool, int | None, bool]
exhaustive = settings(max_examples=100, deadline=None)
MEMORIES = st.integers(1, PAGES + 1)
PARAMETERS = st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 5), st.integers(1, 8))


class Given(Trace):
    """References at hand, in two chunks."""

    def __init__(self, pages: list[int], times: list[int] | None, cut: int) -> None:
        super().__init__("given")
        self._chunks = [
            Chunk(array(pages[part], "u8"), times=None if times is None else array(times[part], "u8"))
            for part in (slice(cut), slice(cut, None))
        ]

    def __iter__(self):
        return iter(self._chunks)


def rows(log: FaultLog) -> list[Row]:
    columns = (log.times, log.pages, log.cold, log.evicts, log.victims, log.from_sequence)
    lists = zip(*(column.tolist() for column in columns), strict=True)
    return [
        (time, page, cold, victim if evicts else None, seq) for time, page, cold, evicts, victim, seq in lists
    ]


def golden_rows(memory: Any, references: list[tuple[int, int]]) -> list[Row]:
    """The faults of a golden model, of (time, page)."""
    found, seen = [], set()
    for time, page in references:
        if memory.reference(page):
            victim = memory.victim[1] if isinstance(memory.victim, tuple) else memory.victim
            found.append((time, page, page not in seen, victim, getattr(memory, "from_sequence", False)))
        seen.add(page)
    return found


def pairs(memory: int, parameters: tuple[int, int, int, int]) -> list[tuple[Policy, Any]]:
    return [
        (Lru(), golden.Lru(memory)),
        (Clock(), golden.Clock(memory)),
        (Seq(*parameters), GoldenSeq(memory, *parameters)),
        (SeqAdaptive(*parameters), GoldenAdaptive(memory, *parameters)),
    ]


@exhaustive
@given(TRACES, MEMORIES, PARAMETERS, st.integers(0, 300), st.booleans())
def test_logged_faults_and_sequences_are_those_of_the_golden_models(pages, memory, parameters, cut, timed):
    times = [3 * number + 7 for number in range(len(pages))] if timed else None
    for policy, model in pairs(memory, parameters):
        trace = Given(pages, times, cut)
        result = replay(trace, trace, [policy], [memory], logged=(policy, memory))
        assert result.log is not None
        expected = golden_rows(model, list(zip(times or range(len(pages)), pages, strict=True)))
        assert rows(result.log) == expected
        (count,) = result.counts
        assert count.faults == len(expected)
        if isinstance(policy, Seq):
            victims = [row for row in expected if row[3] is not None]
            by_sequence = sum(row[4] for row in victims)
            did, held = count.sequences, model.sequences[0]
            assert (did.from_sequences, did.by_lru) == (by_sequence, len(victims) - by_sequence)
            assert (did.sequences_made, did.sequences_most) == (held.made, held.most)
        else:
            assert count.sequences is None


STEPS = st.lists(st.tuples(st.integers(0, 9), st.sampled_from([1, 1, 1, 2, 9, 40])), min_size=1, max_size=120)


@exhaustive
@given(STEPS, st.integers(1, 12))
def test_faults_of_in_out_records_are_logged_with_the_times_of_the_promised_references(
    tmp_path_factory, steps, interval
):
    path = tmp_path_factory.getbasetemp() / "logged.inout"
    times = [sum(step for _, step in steps[: index + 1]) for index in range(len(steps))]
    with create_trace(path, options=WriteOptions(interval=interval)) as writer:
        writer.write(Chunk(array([page for page, _ in steps], "u8"), times=array(times, "u8")))
    with open_trace(path) as trace:
        promised = [
            pair for chunk in trace for pair in zip(chunk.times.tolist(), chunk.pages.tolist(), strict=True)
        ]
        memory = trace.minimum_pages
    for policy, model in pairs(memory, (3, 1, 2, 8)):
        if not isinstance(policy, Clock):
            with open_trace(path) as trace:
                result = replay(trace, trace, [policy], [memory], logged=(policy, memory))
            assert rows(result.log) == golden_rows(model, promised)


def test_nothing_is_logged_unless_it_is_requested():
    trace = Given([1, 2], None, 1)
    assert replay(trace, trace, [Lru()], [1]).log is None


@pytest.mark.parametrize("limit", [1, 7])
def test_the_high_water_mark_of_sequences_reaches_the_limit_and_no_more(limit):
    pages = [3 * number for number in range(10)]
    trace = Given(pages, None, 4)
    (count,) = replay(trace, trace, [Seq(limit=limit)], [4]).counts
    assert (count.sequences.sequences_made, count.sequences.sequences_most) == (10, limit)


def test_a_log_of_a_memory_that_in_out_records_do_not_determine_is_refused():
    """Also if no policy counts faults in a memory of that size."""
    path = Path(__file__).parents[4] / "tests/data/traces/grid.inout.zst"
    with open_trace(path) as trace, pytest.raises(UserError, match="10 pages"):
        replay(trace, trace, [], [], logged=(Lru(), 10))

"""Replacement on IN/OUT traces: results are exact, and memories without exact results are refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.traces import open_trace
from litemrc.traces.chunk import Chunk
from litemrc.traces.formats.interval_records import smallest_opt_memory
from litemrc.traces.opening import WriteOptions, create_trace
from litemrc_studies.glass1997.golden import replacement as golden
from litemrc_studies.glass1997.golden.seq import Seq as GoldenSeq
from litemrc_studies.glass1997.machine.memories import replay
from litemrc_studies.glass1997.policies import Clock, Lru, Opt, Policy, Seq
from numpy import array

STEPS = st.lists(st.tuples(st.integers(0, 9), st.sampled_from([1, 1, 1, 2, 9, 40])), min_size=1, max_size=120)
exhaustive = settings(max_examples=100, deadline=None)


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

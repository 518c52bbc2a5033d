# SPDX-License-Identifier: BSD-2-Clause
"""Replacement in the native core: equal to the golden models, and as good as theory and paper say."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.traces import Chunk, Trace, open_trace
from litemrc_studies.glass1997.golden import replacement as golden
from litemrc_studies.glass1997.golden.seq import Seq as GoldenSeq
from litemrc_studies.glass1997.machine.memories import Replay, replay
from litemrc_studies.glass1997.policies import Clock, Lru, Opt, Policy, Seq
from litemrc_studies.glass1997.tests.reference_strings import PAGES, TRACES

CAPTURED = sorted((Path(__file__).parents[4] / "tests/data/traces").glob("*.parquet"))
MEMORIES = st.integers(1, PAGES + 1)
PARAMETERS = st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 5), st.integers(1, 8))
exhaustive = settings(max_examples=100, deadline=None)


class Given(Trace):
    """A trace of pages at hand, cut into chunks."""

    def __init__(self, pages: list[int], cuts: list[int] = ()) -> None:
        super().__init__("given")
        parts = np.split(np.array(pages, np.uint64), sorted(min(cut, len(pages)) for cut in cuts))
        self._chunks = [Chunk(part) for part in parts]

    def __iter__(self):
        return iter(self._chunks)


def replayed(trace: Trace | list[int], policies: list[Policy], sizes: list[int]) -> Replay:
    trace = trace if isinstance(trace, Trace) else Given(trace)
    return replay(trace, trace, policies, sizes)


def faults(trace: Trace | list[int], policy: Policy, memory: int) -> int:
    return replayed(trace, [policy], [memory]).counts[0].faults


@exhaustive
@given(TRACES, MEMORIES, st.lists(st.integers(0, 300), max_size=4))
def test_lru_clock_and_opt_are_the_golden_models(pages, memory, cuts):
    counts = replayed(Given(pages, cuts), [Lru(), Clock(), Opt()], [memory]).counts
    models = golden.Lru(memory), golden.Clock(memory), golden.Opt(memory, pages)
    assert [count.faults for count in counts] == [golden.faults(model, pages) for model in models]
    assert {count.cold_faults for count in counts} == {len(set(pages))}


@exhaustive
@given(TRACES, MEMORIES, PARAMETERS, st.sampled_from([0, 37, 2**64 - PAGES]))
def test_seq_is_the_golden_model(pages, memory, parameters, offset):
    """Small parameters make short traces reach every rule; the offset moves them to the end of all pages."""
    moved = [page + offset for page in pages]
    assert faults(moved, Seq(*parameters), memory) == golden.faults(GoldenSeq(memory, *parameters), moved)


def test_what_was_on_disk_before_a_split_is_looked_at_again():
    """Pages 2, 3 and 4 go to disk; 2 splits the sequence, is lost to LRU, and joins its lower part again.

    When 3 then comes in, 2 is the page to replace: 9 stays in memory, and the last reference is a hit.
    """
    pages = [0, 1, 2, 3, 4, 5, 2, 7, 9, 11, 2, 3, 9]
    assert faults(pages, Seq(3, 1, 1, 200), 3) == len(pages) - 1
    assert golden.faults(GoldenSeq(3, 3, 1, 1, 200), pages) == len(pages) - 1


@pytest.mark.parametrize("seed", range(3))
def test_seq_is_the_golden_model_on_long_traces(seed):
    """The paper's parameters: sweeps over up to 300 pages, and enough scattered ones for 200 sequences."""
    random = np.random.default_rng(seed)
    parts = []
    for _ in range(10):
        low, span = random.integers(0, 2000), random.integers(20, 300)
        sweep = np.arange(low, low + span)
        parts += [sweep[:: random.choice([-1, 1])], 3 * random.integers(0, 4000, random.integers(0, 80))]
    pages = np.concatenate(parts).tolist()
    for memory in (64, 300):
        assert faults(pages, Seq(), memory) == golden.faults(GoldenSeq(memory), pages)


@exhaustive
@given(TRACES, MEMORIES, PARAMETERS)
def test_no_policy_faults_less_than_opt(pages, memory, parameters):
    counts = replayed(pages, [Opt(), Lru(), Clock(), Seq(*parameters)], [memory]).counts
    assert counts[0].faults == min(count.faults for count in counts)


@exhaustive
@given(TRACES, st.lists(MEMORIES, min_size=1, max_size=5))
def test_lru_faults_are_the_exact_curve_times_accesses(pages, sizes):
    result = replayed(pages, [Lru()], sizes)
    ratios = result.curve.at_sizes(sizes)
    assert [count.faults for count in result.counts] == (ratios * result.references).round().tolist()


@exhaustive
@given(TRACES, MEMORIES)
def test_seq_without_sequences_is_lru(pages, memory):
    assert faults(pages, Seq(length=PAGES + 1), memory) == faults(pages, Lru(), memory)


@exhaustive
@given(TRACES, st.lists(MEMORIES, min_size=2, max_size=4, unique=True))
def test_many_sizes_in_one_pass_are_each_alone(pages, sizes):
    policies = [Lru(), Clock(), Opt(), Seq(4, 2, 2, 8)]
    together = [count.faults for count in replayed(pages, policies, sizes).counts]
    assert together == [faults(pages, policy, size) for policy in policies for size in sizes]


@pytest.mark.parametrize("pages, memory", [(5000, 1000), (5000, 3000), (20_000, 2000), (20_000, 15_000)])
@pytest.mark.parametrize("turn", [0, 1])
def test_seq_is_near_opt_on_sweeps_larger_than_memory(pages, memory, turn):
    url = f"gen:sweeps?pages={pages}&regions=1&turn={turn}&n={30 * pages}"
    counts = {c.policy: c.faults for c in replayed(open_trace(url), [Opt(), Seq()], [memory]).counts}
    assert counts[Seq()] <= 1.10 * counts[Opt()]


@pytest.mark.parametrize("alpha", [0.7, 1.0])
def test_seq_is_lru_on_zipf(alpha):
    trace = open_trace(f"gen:zipf?pages=20000&alpha={alpha}&n=400000")
    counts = replayed(trace, [Lru(), Seq()], [500, 2000, 10_000]).counts
    for lru, seq in zip(counts[:3], counts[3:], strict=True):
        assert abs(seq.faults - lru.faults) <= 0.01 * lru.faults


@pytest.mark.parametrize("path", CAPTURED, ids=lambda path: path.stem)
def test_theory_holds_on_captured_programs(path):
    with open_trace(path) as trace:
        result = replay(trace, trace, [Opt(), Lru(), Clock(), Seq()], sizes := [64, 200, 400, 800])
    by_policy = np.array([count.faults for count in result.counts]).reshape(4, len(sizes))
    assert (by_policy >= by_policy[0]).all()
    assert (np.diff(by_policy[:2]) <= 0).all()  # OPT and LRU are stack algorithms
    assert by_policy[1].tolist() == (result.curve.at_sizes(sizes) * result.references).round().tolist()


def test_captured_programs_are_there():
    assert len(CAPTURED) >= 3


def test_a_memory_larger_than_the_footprint_faults_cold_only():
    for policy in (Lru(), Clock(), Opt(), Seq()):
        assert faults([5, 6, 7, 5], policy, 1 << 40) == 3


@pytest.mark.parametrize("memory", [0, -3])
def test_a_memory_without_pages_is_refused(memory):
    with pytest.raises(UserError, match=rf"at least 1 page \(got {memory}\)"):
        faults([1], Lru(), memory)


@pytest.mark.parametrize("name", ["length", "distance", "recent", "limit"])
def test_parameters_of_seq_begin_at_1(name):
    with pytest.raises(UserError, match=f"SEQ's {name} cannot be 0"):
        Seq(**{name: 0})


def test_an_empty_trace_is_refused():
    with pytest.raises(UserError, match="the trace has no reference"):
        faults([], Lru(), 1)

"""The native machine is the golden one: times, faults, resident sets, under every policy."""

from dataclasses import replace

import numpy as np
import pytest
from golden_runs import run_golden
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.replay.multiprogram import simulate
from litemrc.replay.scenario import POLICIES, UTILITIES, Costs, Mrc, Part, ProcessSpec, Scenario

TRACES = st.sampled_from(
    [
        "gen:zipf?pages=30&alpha=0.7&n=900",
        "gen:zipf?pages=12&alpha=0.4&writes=0.5&n=300",
        "gen:loop?pages=9&n=60",
        "gen:loop?pages=25&writes=0.2&n=400",
        "gen:phases?pages=40&phases=2&length=70&n=500",
        "gen:uniform?pages=20&writes=1&n=200",
    ]
)
PARTS = st.lists(
    st.builds(Part, TRACES, st.none() | st.integers(1, 150), st.booleans()), min_size=1, max_size=3
).map(tuple)
ONE_PART = st.builds(Part, TRACES).map(lambda part: (part,))
COMMON = {
    "touch": st.integers(1, 9),
    "tracking": st.sampled_from([0.0, 0.3]),
    "start": st.integers(0, 400),
    "weight": st.sampled_from([1.0, 2.5]),
    "minimum_pages": st.integers(1, 3),
}
BATCH = st.builds(ProcessSpec, st.just("p"), st.just("batch"), PARTS, **COMMON)
ASKED = st.builds(
    ProcessSpec,
    st.just("p"),
    st.just("server"),
    ONE_PART,
    request_touches=st.integers(1, 40),
    clients=st.integers(0, 3),
    pause=st.integers(1, 300),
    random=st.booleans(),
    requests=st.integers(0, 12),
    **COMMON,
)
COSTS = st.builds(
    Costs, st.integers(1, 60), st.integers(0, 40), st.integers(0, 25), st.integers(0, 3), st.integers(0, 3)
)
MRC = st.builds(
    Mrc,
    group_pages=st.integers(1, 4),
    epoch=st.integers(1, 30),
    half_life=st.integers(5, 200),
    delta_pages=st.integers(1, 5),
    utility=st.sampled_from(UTILITIES),
)


@st.composite
def scenarios(draw) -> Scenario:
    specs = draw(st.lists(BATCH | ASKED, min_size=1, max_size=4))
    specs = tuple(replace(spec, name=f"p{number}") for number, spec in enumerate(specs))
    memory = draw(st.integers(3 * len(specs), 60))
    return Scenario(
        "random",
        memory,
        1e-9,
        draw(COSTS),
        specs,
        mrc=draw(MRC),
        shares={spec.name: memory // len(specs) for spec in specs},
        duration=draw(st.integers(500, 6000)),
        measure_from=draw(st.sampled_from([0, 700])),
        sample=draw(st.sampled_from([0, 50])),
        seed=draw(st.integers(0, 99)),
    )


@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=60, deadline=None)
@given(scenario=scenarios())
def test_processes_fare_as_in_the_golden_machine(policy, scenario):
    result, golden = simulate(scenario, policy), run_golden(scenario, policy)
    ticks = round(result.time_s * 1e9), round(result.disk_busy_s * 1e9)
    assert ticks == (golden.now, golden.disk_busy)
    for got, expected, spec in zip(result.processes, golden.processes, scenario.processes, strict=True):
        counts = (got.touches, got.faults, got.zero_fills, got.write_outs)
        assert counts == (expected.touches, expected.faults, expected.zero_fills, expected.write_outs)
        ended = None if expected.ended is None else expected.ended - spec.start
        assert (None if got.execution_s is None else round(got.execution_s * 1e9)) == ended
        responses = [
            (begin, end - begin) for begin, end in expected.responses if begin >= scenario.measure_from
        ]
        assert np.rint(got.arrived_s * 1e9).tolist() == [begin for begin, _ in responses]
        assert np.rint(got.response_s * 1e9).tolist() == [took for _, took in responses]
        assert got.early == len(expected.responses) - len(responses)
    assert np.rint(result.sampled_s * 1e9).tolist() == [time for time, _ in golden.samples]
    assert result.resident_pages.tolist() == [pages for _, pages in golden.samples]

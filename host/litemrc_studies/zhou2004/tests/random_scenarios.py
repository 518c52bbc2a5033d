# SPDX-License-Identifier: BSD-2-Clause
"""Random scenarios, small and full of coincidences: times and memories of a few ticks and pages."""

from dataclasses import replace

from hypothesis import strategies as st
from litemrc.native.os_tracker import TrackerCosts
from litemrc_studies.zhou2004.machine.scenario import (
    CURVES,
    UTILITIES,
    Costs,
    Mrc,
    Part,
    ProcessSpec,
    Scenario,
)

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
    "file": st.booleans(),
    "weight": st.sampled_from([1.0, 2.5]),
    "minimum_pages": st.integers(1, 8),
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
    half_life=st.sampled_from([1, 2, 5, 20, 100]),
    delta_pages=st.sampled_from([1, 1, 2, 3, 5, 12]),
    curve=st.sampled_from(CURVES),
    utility=st.sampled_from(UTILITIES),
    engine=st.sampled_from(["exact", "os"]),
    engine_scan_list=st.integers(1, 20),
    engine_period=st.integers(1, 300),
    engine_seen_only=st.booleans(),
    engine_costs=st.builds(TrackerCosts, *[st.integers(0, 9)] * 5),
)


@st.composite
def scenarios(draw) -> Scenario:
    specs = draw(st.lists(BATCH | ASKED, min_size=1, max_size=4))
    specs = tuple(replace(spec, name=f"p{number}") for number, spec in enumerate(specs))
    # At least the minimums: then processes are often below theirs, as others were there before.
    memory = draw(st.integers(sum(spec.minimum_pages for spec in specs), 60))
    to = draw(st.sampled_from([0, 0, 0, 1])) and draw(st.integers(0, memory - 1))
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
        reclaim_below=draw(st.integers(0, to)),
        reclaim_to=to,
    )

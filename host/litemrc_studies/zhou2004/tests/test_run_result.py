# SPDX-License-Identifier: BSD-2-Clause
"""Results of runs by arithmetic, and what a policy needs of a scenario."""

import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc_studies.zhou2004.machine.multiprogram import check_policy, equal_shares, simulate, tracked_touch
from litemrc_studies.zhou2004.machine.run_result import ProcessResult, RunResult, fault_reduction, speedup
from litemrc_studies.zhou2004.machine.scenario import Costs, Mrc, Part, ProcessSpec, Scenario

LOOP = Part("gen:loop?pages=4&n=40")


def process(kind="batch", faults=0, execution_s=None, responses=()) -> ProcessResult:
    responses = np.array(responses, float)
    return ProcessResult(kind, kind, 10, faults, 1, 2, execution_s, responses, responses, 3)


def run(*processes, measured_s=50.0) -> RunResult:
    return RunResult("p", 60.0, measured_s, 1.0, processes, np.zeros(0), np.zeros((0, 1), np.int64))


def test_the_time_of_a_process_is_its_execution_or_mean_response():
    assert process(execution_s=5.0, responses=[1, 3]).time_s == 5
    assert process("server", execution_s=5.0, responses=[1, 3]).time_s == 2
    asked = process("server", responses=range(1, 101))
    assert [asked.percentile_s(percent) for percent in (50, 95, 99)] == [50, 95, 99]
    assert (process("server").time_s, process("server").percentile_s(50)) == (None, None)


def test_servers_are_compared_by_faults_in_100_seconds():
    both = run(process(faults=30), process("server", faults=30))
    assert [both.comparable_faults(name) for name in ("batch", "server")] == [30, 60]
    assert both.touches == 20
    assert run(process("server", faults=1), measured_s=0.0).comparable_faults("server") == 0


def test_speedup_and_fewer_faults_are_of_the_baseline():
    assert speedup(process(execution_s=6.0), process(execution_s=2.0)) == 3
    assert speedup(process(), process(execution_s=2.0)) is None
    assert speedup(process(execution_s=6.0), process()) is None
    before, after = run(process(faults=40)), run(process(faults=10))
    assert fault_reduction(before, after, "batch") == 0.75
    assert fault_reduction(run(process()), after, "batch") is None


def scenario(memory, *specs, **changes) -> Scenario:
    return Scenario("x", memory, 0.5, Costs(100, 50, 20), specs, **changes)


def batch(name="a", **changes) -> ProcessSpec:
    return ProcessSpec(name, "batch", (LOOP,), 10, **changes)


def test_what_a_policy_needs_is_checked_to_the_page():
    """Two processes with minimums of 3 pages."""
    specs = batch("a", minimum_pages=3), batch("b", minimum_pages=3)
    check_policy(scenario(6, *specs), "mrc")
    check_policy(scenario(5, *specs), "global-lru")
    with pytest.raises(UserError, match="the minimums need 6 pages, the memory has 5") as error:
        check_policy(scenario(5, *specs), "mrc")
    assert error.value.where == "a: 3, b: 3"
    check_policy(scenario(2, *specs), "equal")
    with pytest.raises(UserError, match="1 pages are fewer than 2 processes"):
        check_policy(scenario(1, *specs), "equal")
    with pytest.raises(UserError, match="static needs the pages"):
        check_policy(scenario(2, *specs), "static")
    check_policy(scenario(2, *specs, shares={"a": 1, "b": 1}), "static")
    endless = ProcessSpec("e", "server", (LOOP,), 10, request_touches=1, pause=1, requests=0)
    check_policy(scenario(2, endless, duration=1), "global-lru")
    check_policy(scenario(2, endless, *specs), "global-lru")


def test_memory_is_divided_equally_and_tracking_costs_whole_ticks():
    assert equal_shares(11, 4) == [3, 3, 3, 2]
    assert [tracked_touch(batch(tracking=share)) for share in (0.0, 0.04, 0.06, 1.0)] == [10, 10, 11, 20]


def test_a_run_before_the_measured_time_measures_nothing_and_reports_progress():
    """40 touches of 10 ticks of half a second in 8 frames; zeros take no time."""
    told = []
    result = simulate(scenario(8, batch(), measure_from=1000), "global-lru", lambda *done: told.append(done))
    assert (result.time_s, result.measured_s) == (200, 0)
    assert told[-1] == (200, 40)
    assert simulate(scenario(8, batch(), measure_from=100), "global-lru").measured_s == 150


def test_what_is_not_given_is_as_documented():
    """zhou2004/multiprogram.md."""
    expected = ProcessSpec("a", "batch", (Part("t", None, False),), 10, 0.0, 0, None, 1, 0, False, 1, 1.0, 1)
    assert ProcessSpec("a", "batch", (Part("t"),), 10) == expected
    assert Mrc() == Mrc("exact", None, None, None, 64, 1024, 65536, 64, "hull", "hit ratio")
    assert Costs(1, 2, 3) == Costs(1, 2, 3, 0, 0)
    policies = ("global-clock", "global-lru", "equal", "static", "mrc")
    assert scenario(5) == scenario(
        5,
        policies=policies,
        mrc=Mrc(),
        shares={},
        duration=0,
        measure_from=0,
        sample=0,
        seed=1,
        page_bytes=4096,
    )

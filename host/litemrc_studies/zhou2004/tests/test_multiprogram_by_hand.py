# SPDX-License-Identifier: BSD-2-Clause
"""Small scenarios worked by hand: two processes, three frames, one disk."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc_studies.zhou2004.golden.aged_curve import AgedCurve
from litemrc_studies.zhou2004.machine.multiprogram import simulate
from litemrc_studies.zhou2004.machine.scenario import CURVES, Costs, Mrc, Part, ProcessSpec, Scenario

COSTS = Costs(time_slice=100, page_read=50, write_out=20, fault=2, zero_fill=1)


@pytest.fixture
def trace(tmp_path):
    """Writes a trace of pages, w behind a number for a write; returns its path."""

    def write(name: str, references: str) -> str:
        path = tmp_path / f"{name}.txt"
        lines = [f"{each.rstrip('w')} {'w' if each.endswith('w') else 'r'}" for each in references.split()]
        path.write_text("\n".join(f"{number} {line}" for number, line in enumerate(lines)) + "\n")
        return str(path)

    return write


def batch(name: str, *traces: str, touch: int = 10, **other) -> ProcessSpec:
    return ProcessSpec(name, "batch", tuple(Part(trace) for trace in traces), touch, **other)


def scenario(memory: int, *processes: ProcessSpec, **other) -> Scenario:
    return Scenario("by hand", memory, 1.0, other.pop("costs", COSTS), processes, **other)


def test_a_process_alone_in_two_frames(trace):
    """Pages 1 2 3 1 under LRU.

    1: CPU to 10, zeros to 11. 2: 21, 22. 3: 32, 33; no frame is free: 1 goes, was filled with zeros and so is
    written out, 33 to 53. 1: CPU 63, fault 65; 2 goes, written out 65 to 85, then 1 is read to 135.
    """
    result = simulate(scenario(2, batch("a", trace("a", "1 2 3 1"))), "global-lru")
    (process,) = result.processes
    assert (process.execution_s, result.disk_busy_s) == (135, 20 + 20 + 50)
    assert (process.faults, process.zero_fills, process.write_outs, process.touches) == (1, 3, 2, 4)


def test_a_clean_page_is_not_written_out_again_and_a_written_one_is(trace):
    """Pages 1 2 1 2w 1 in one frame.

    1: 11. 2: 21, 22, out with 1 to 42. 1: 52, 54, out with 2 to 74, read to 124. 2 is written to: 134, 136; 1
    is clean, read to 186. 1: 196, 198, out with 2, as it was written to, to 218, read to 268.
    """
    (process,) = simulate(scenario(1, batch("a", trace("a", "1 2 1 2w 1"))), "global-lru").processes
    assert (process.execution_s, process.write_outs, process.faults) == (268, 3, 3)


def test_each_page_of_a_file_is_read_and_written_out_only_when_changed(trace):
    """Pages 1 2w 1 of a file in one frame.

    1: CPU to 10, fault to 12, read to 62. 2: 72, 74; 1 is clean; read to 124. 1: 134, 136, out with 2 to 156,
    read to 206.
    """
    (process,) = simulate(scenario(1, batch("a", trace("a", "1 2w 1"), file=True)), "global-lru").processes
    assert (process.faults, process.zero_fills, process.write_outs, process.execution_s) == (3, 0, 1, 206)


def test_a_process_that_ends_leaves_its_memory_to_the_others(trace):
    """Two processes, three frames; a: 1 2 1, b: 1 2 3.

    a: 1 to 11, 2 to 22, 1 is there: 32, a ends, all three frames are free. b begins at 15, but a has its
    turn: b: 1 to 43, 2 to 54, 3 to 65, and nobody writes a page out.
    """
    specs = batch("a", trace("a", "1 2 1")), batch("b", trace("b", "1 2 3"), start=15)
    first, second = simulate(scenario(3, *specs), "global-lru").processes
    assert (first.execution_s, second.execution_s) == (32, 65 - 15)
    assert first.write_outs == second.write_outs == 0


def test_a_fault_waits_behind_the_other_process_in_the_disks_queue(trace):
    """Two processes in three frames that are too few; equal: a gets 2, b 1. No zero fill takes time here.

    a: 1 10, 2 20, 3 30: 1 is written out, 30 to 50. b: 1 40, 2 50: 1 is written out behind it, 50 to 70. a
    from 50: 1 at 60, 2 is written out behind that, 70 to 90, and 1 read to 140. b from 70: 1 at 80, 2 written
    out 140 to 160, 1 read to 210. a ends at 140, b at 210.
    """
    specs = batch("a", trace("a", "1 2 3 1")), batch("b", trace("b", "1 2 1"))
    costs = Costs(time_slice=100, page_read=50, write_out=20)
    result = simulate(scenario(3, *specs, costs=costs), "equal")
    assert [process.execution_s for process in result.processes] == [140, 210]
    assert result.disk_busy_s == 4 * 20 + 2 * 50


def test_turns_end_with_the_touch_that_reaches_the_slice(trace):
    """Slices of 15, touches of 10: two touches a turn. a: 0 to 20, b to 40, a's last to 50, b's to 60."""
    costs = Costs(time_slice=15, page_read=50, write_out=20)
    specs = batch("a", trace("a", "1 1 1")), batch("b", trace("b", "1 1 1"))
    result = simulate(scenario(2, *specs, costs=costs), "global-clock")
    assert [process.execution_s for process in result.processes] == [50, 60]


def test_an_interactive_process_sleeps_behind_each_iteration(trace):
    """Three iterations of two touches, 10 each, 100 of sleep before: 100 to 120, 220 to 240, 340 to 360."""
    spec = ProcessSpec(
        "i", "interactive", (Part(trace("i", "1 1")),), 10, request_touches=2, pause=100, requests=3
    )
    costs = Costs(time_slice=1000, page_read=50, write_out=20)
    (process,) = simulate(scenario(2, spec, costs=costs), "global-clock").processes
    assert process.arrived_s.tolist() == [100, 220, 340]
    assert process.response_s.tolist() == [20, 20, 20]
    assert process.execution_s == 360


def test_requests_that_do_not_wait_for_answers_queue(trace):
    """A request each 30, work of 50: they arrive at 30, 60, 90 and end at 80, 130, 180."""
    spec = ProcessSpec(
        "s", "server", (Part(trace("s", "1")),), 10, request_touches=5, clients=0, pause=30, requests=3
    )
    costs = Costs(time_slice=1000, page_read=50, write_out=20)
    result = simulate(scenario(2, spec, costs=costs, measure_from=60), "global-clock")
    (process,) = result.processes
    assert process.response_s.tolist() == [130 - 60, 180 - 90]
    assert (process.early, process.mean_s) == (1, 80)
    # Half of the requests took 70 or less, all of them 90 or less.
    assert [process.percentile_s(p) for p in (50, 95, 99)] == [70, 90, 90]


def test_released_memory_is_free_and_filled_with_zeros_again(trace):
    """Two pages, released, again: four fills with zeros, no fault, though memory has but two frames."""
    parts = tuple(Part(trace(name, "1 2"), release=True) for name in "ab")
    spec = ProcessSpec("r", "batch", parts, 10)
    (process,) = simulate(scenario(2, spec), "global-lru").processes
    assert (process.zero_fills, process.faults, process.write_outs) == (4, 0, 0)
    assert process.execution_s == 4 * 11


def test_tracking_takes_cpu_time_under_policy_mrc_only(trace):
    spec = batch("a", trace("a", "1 1 1 1"), tracking=0.3)
    costs = Costs(time_slice=1000, page_read=50, write_out=20)
    times = [simulate(scenario(4, spec, costs=costs), policy).time_s for policy in ("global-lru", "mrc")]
    assert times == [40, 52]


def test_samples_show_the_memory_of_each_process(trace):
    """Pages come in at 11, 22, 33 in one turn, which the first sample precedes; the second is at its end."""
    spec = batch("a", trace("a", "1 2 3"))
    result = simulate(scenario(4, spec, batch("b", trace("b", "1"), start=30), sample=5), "global-lru")
    # At 33 a has ended and b, whose time has come, has not begun.
    assert result.sampled_s.tolist() == [0, 33]
    assert result.resident_pages.tolist() == [[0, 0], [0, 0]]


def test_mrc_gives_memory_to_the_process_that_gains(trace):
    """a goes round 3 pages, b round 9; five frames, so that LRU keeps none of them.

    By its curve, a hits everything in 3 pages and nothing in less, b nothing in 5. So a grows by a delta of 2
    from 1 to 3 and no further; b gains nothing and keeps 2. An epoch is 6 touches, of which the first 3 are
    cold: from the second epoch on a knows, and nearly all of its touches are hits. With a sixth frame that is
    kept free, b's pages are reclaimed in the background, and the division is the same.
    """
    specs = [
        ProcessSpec(name, "batch", (Part(trace(name, pages), touches),), 10, minimum_pages=1)
        for name, pages, touches in (("a", "1 2 3", 300), ("b", "1 2 3 4 5 6 7 8 9", 60))
    ]
    mrc = Mrc(group_pages=1, epoch=6, half_life=12, delta_pages=2)
    fair = scenario(5, *specs, costs=Costs(10, 50, 20), mrc=mrc, sample=1)
    lru, directed = simulate(fair, "global-lru"), simulate(fair, "mrc")
    assert lru.process("a").faults > 40
    assert directed.process("a").faults <= 2 * 6
    assert directed.process("b").faults == lru.process("b").faults == 51
    reserved = simulate(replace(fair, memory_pages=6, reclaim_below=1, reclaim_to=1), "mrc")
    for result in (directed, reserved):
        both = result.resident_pages[(result.sampled_s > 1000) & (result.sampled_s < 3000)]
        assert both.size and {tuple(pages) for pages in both.tolist()} == {(3, 2)}


def test_a_curve_made_convex_is_straight_over_a_plateau():
    """Hits of 0, 0, 6, 2 in four groups and 2 misses: the curve is 1, 1, 0.4, 0.2, from 1 at no memory.

    From 1 down to 0.4 in three groups, 0.2 a group, and as much to the last.
    """
    curve = AgedCurve(4, 0.5)
    assert curve.convex_miss_ratios == [1, 1, 1, 1]
    curve.add([0, 0, 6, 2, 2], 100)
    assert curve.miss_ratios == [1, 1, 0.4, 0.2]
    assert curve.convex_miss_ratios == pytest.approx([0.8, 0.6, 0.4, 0.2])
    assert curve.reference_rate == 0.1


def test_pages_are_reclaimed_in_the_background_and_zero_fills_wait_only_for_their_frame(trace):
    """Pages 1 2 3 4 5 in four frames; when fewer than 2 are free, pages go until 2 are.

    1 at 11, 2 at 22, 3 at 33: one frame is free, so 1 is written out, 33 to 53. 4 at 44 takes the frame that
    was never filled; 2 is written out behind 1, 53 to 73. 5 at 55 takes the frame of 1, free since 53.
    Without reclamation 5 waits for the write-out of 1, 55 to 75.
    """
    spec = batch("a", trace("a", "1 2 3 4 5"))
    shared = scenario(4, spec)
    for policy in ("global-clock", "global-lru"):
        (process,) = simulate(replace(shared, reclaim_below=2, reclaim_to=2), policy).processes
        assert (process.write_outs, process.execution_s) == (3, 55)
        (process,) = simulate(shared, policy).processes
        assert (process.write_outs, process.execution_s) == (1, 75)


def test_a_zero_fill_waits_for_the_frame_of_a_reclaimed_page(trace):
    """Two frames; when none is free, one page goes. 1 at 11, 2 at 22: 1 is written out, 22 to 42.

    3 at 33 waits for its frame until 42; meanwhile 2 is written out, 42 to 62. 4 at 53 waits until 62.
    """
    spec = batch("a", trace("a", "1 2 3 4"))
    for policy in ("global-clock", "global-lru"):
        result = simulate(replace(scenario(2, spec), reclaim_below=1, reclaim_to=1), policy)
        assert (result.processes[0].write_outs, result.time_s) == (3, 62)


def asking_and_looping(start: int, curve: str) -> Scenario:
    """INTR over 1,125 pages and a loop over 603 in 1,024 frames; 603 is no whole number of groups."""
    specs = (
        ProcessSpec(
            "intr",
            "interactive",
            (Part("gen:zipf?pages=1125&alpha=0.7"),),
            100,
            request_touches=200,
            pause=100_000,
            requests=0,
            minimum_pages=32,
        ),
        batch("loop", "gen:loop?pages=603&n=60300", touch=100, start=start, minimum_pages=32),
    )
    mrc = Mrc(group_pages=16, delta_pages=16, epoch=256, half_life=8192, curve=curve)
    return scenario(1024, *specs, costs=Costs(100_000, 8000, 1500), mrc=mrc)


@pytest.mark.parametrize("curve", CURVES)
def test_mrc_leaves_its_memory_to_a_loop_that_fits(curve):
    assert simulate(asking_and_looping(0, curve), "mrc").process("loop").faults == 0


def test_a_loop_that_comes_late_gets_its_memory_by_a_convex_curve():
    """By the steps of its curve it gains nothing by a delta more, and goes on faulting at every touch."""
    late = {curve: simulate(asking_and_looping(10**7, curve), "mrc").process("loop") for curve in CURVES}
    assert late["steps"].faults == 60300 - 603
    assert late["hull"].faults < 5 * 603
    assert late["hull"].execution_s < late["steps"].execution_s / 10


def test_what_does_not_fit_is_refused(trace):
    spec = batch("a", trace("a", "1"), minimum_pages=3)
    with pytest.raises(UserError, match="the minimums need 3 pages, the memory has 2"):
        simulate(scenario(2, spec), "mrc")
    with pytest.raises(UserError, match="policy static needs the pages"):
        simulate(scenario(2, spec), "static")
    endless = ProcessSpec("e", "server", spec.parts, 10, request_touches=1, pause=1, requests=0)
    with pytest.raises(UserError, match="no process ends"):
        simulate(scenario(2, endless), "global-lru")


def test_traces_without_an_order_or_a_reference_are_refused(tmp_path):
    empty = tmp_path / "empty.txt"
    empty.write_text("")
    with pytest.raises(UserError, match="no reference"):
        simulate(scenario(2, batch("a", str(empty))), "global-lru")
    intervals = Path(__file__).parents[4] / "tests/data" / "traces" / "grid.inout.zst"
    with pytest.raises(UserError, match="IN/OUT records lack the order"):
        simulate(scenario(2, batch("a", str(intervals))), "global-lru")


def test_a_comparison_counts_a_servers_faults_in_100_seconds(trace):
    """1 2 1 2 ... in one frame: every touch but the first two is a fault; 8 in 8 requests."""
    spec = ProcessSpec(
        "s", "server", (Part(trace("s", "1 2")),), 10, request_touches=1, clients=1, pause=0, requests=10
    )
    result = simulate(scenario(1, spec), "global-lru")
    assert result.processes[0].faults == 8
    assert result.comparable_faults("s") == pytest.approx(100 * 8 / result.time_s)
    assert np.all(result.processes[0].response_s > 0)

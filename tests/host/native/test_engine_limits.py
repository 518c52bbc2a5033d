"""Numeric options of engines: huge ones are refused, and the tracker's follow from the trace."""

import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc.native.engines import make_engine
from litemrc.native.os_tracker import OsTracker, scaled_defaults

from tests.host.in_process import litemrc

TRACE = "gen:loop?pages=9&n=99"


@pytest.mark.parametrize("threads", [1025, 100_000, 4_000_000_000])
def test_more_threads_than_any_machine_has_are_refused(threads):
    done = litemrc("mrc", TRACE, "--threads", str(threads))
    assert done.returncode == 2 and "threads must be at most 1,024" in done.stderr
    with pytest.raises(UserError, match="at most 1,024"):
        make_engine("exact", threads=threads)


def test_more_workers_than_the_machine_holds_are_refused():
    done = litemrc("mrc", TRACE, "--workers", "100000")
    assert done.returncode == 2 and "100,000 workers are too many" in done.stderr


@pytest.mark.parametrize(
    "option", ["--threads", "--workers", "--parts", "--window", "--sample-pages", "--sample-rate"]
)
@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", str(10**12)])
def test_impossible_numbers_end_with_exit_code_2(option, value):
    engine = ["--engine", "shards"] if option.startswith("--sample") else []
    assert litemrc("mrc", TRACE, *engine, f"{option}={value}").returncode == 2


def sweep(pages, rounds):
    return np.tile(np.arange(pages, dtype=np.uint64), rounds)


@pytest.mark.parametrize("pages", [300, 1000, 4000, 20_000])
def test_the_trackers_sizes_follow_from_the_trace_so_that_a_sweep_is_exact(pages):
    trace = sweep(pages, 20)
    tracker = OsTracker(**scaled_defaults(pages))
    tracker.access(trace)
    curve = tracker.curve()
    # Every reference of a sweep has the distance `pages`: all miss below; all but the first round hit above.
    below = np.arange(tracker.group_pages, pages, tracker.group_pages)
    assert np.abs(curve.at_sizes(below) - 1).max() < 0.02
    assert abs(curve.miss_ratio[-1] - 1 / 20) < 0.02
    assert tracker.unresolved == ""


def test_sizes_that_are_not_resolved_are_named():
    tracker = OsTracker()  # 8,192 pages scanned every 2,000 references
    tracker.access(sweep(4000, 20))
    assert "sizes up to 4,000 pages" in tracker.unresolved and "off by up to 2,000" in tracker.unresolved
    done = litemrc(
        "mrc", "gen:loop?pages=4000&n=80000", "--engine", "os", "--scan-list", "8192", "--period", "2000"
    )
    assert done.returncode == 0 and "are not resolved" in done.stderr
    done = litemrc("mrc", "gen:loop?pages=4000&n=80000", "--engine", "os")
    assert done.returncode == 0 and "are not resolved" not in done.stderr
    assert "scan list 500 pages, a scan every 122 references, groups of 62 pages" in done.stderr


def test_a_trace_of_very_many_contexts_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr("litemrc.api.stacks.MOST_CONTEXTS", 100)
    trace = tmp_path / "t.txt"
    trace.write_text("".join(f"{at} {at} r {at}\n" for at in range(101)))
    done = litemrc("mrc", str(trace))
    assert done.returncode == 2 and "--context all" in done.stderr
    assert litemrc("mrc", str(trace), "--context", "all").returncode == 0

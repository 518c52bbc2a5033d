# SPDX-License-Identifier: BSD-2-Clause
"""make stress-test counts failures by test, says so by its exit status, and leaves no process behind."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import stress
from tests.stress import Tally, busy_processes
from tests.timeouts import scaled_timeout

FLAKY = """
from pathlib import Path
import pytest

RUNS = Path(__file__).with_name("runs")

def test_fails_in_the_second_run():
    RUNS.write_text(RUNS.read_text() + "x" if RUNS.exists() else "x")
    assert RUNS.read_text() != "xx"

@pytest.fixture
def broken_at_its_end():
    yield
    assert RUNS.read_text() != "xx"

def test_passes_and_its_fixture_fails(broken_at_its_end):
    pass

def test_passes():
    pass

@pytest.mark.skip
def test_is_skipped():
    pass
"""


def run(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, stress.__file__, "--out", folder / "out", "--load", 1, *arguments]
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=scaled_timeout(60)
    )


@pytest.fixture
def flaky(tmp_path):
    (tmp_path / "test_flaky.py").write_text(FLAKY)
    return tmp_path / "test_flaky.py"


def test_rates_are_by_test_and_a_failure_sets_the_exit_status(flaky, tmp_path):
    done = run(tmp_path, "--runs", 4, flaky)
    assert done.returncode == 1, done.stdout + done.stderr
    table = re.findall(r"^ *(\d+) of +(\d+) +([\d.]+) %  .*::(\w+)$", done.stdout, re.M)
    assert sorted(table) == [
        ("1", "4", "25.0", "test_fails_in_the_second_run"),
        ("1", "4", "25.0", "test_passes_and_its_fixture_fails"),
    ]
    assert "3 tests, 4 runs, 2 tests failed" in done.stdout
    assert [path.name for path in (tmp_path / "out").glob("*.log")] == ["run-2.log"]


def test_a_selection_without_failure_reports_what_that_proves(flaky, tmp_path):
    done = run(tmp_path, "--runs", 2, flaky, "-k", "test_passes and not fixture")
    assert done.returncode == 0
    assert "1 tests, 2 runs, 0 tests failed" in done.stdout
    assert "less than 77.6%" in done.stdout  # 1 - sqrt(0.05)


def test_a_selection_of_nothing_is_an_error(flaky, tmp_path):
    done = run(tmp_path, "--runs", 1, flaky, "-k", "nowhere")
    assert done.returncode == 2 and "deselected" in done.stdout


def test_a_run_past_the_limit_is_ended_and_counts_as_failed(tmp_path):
    (tmp_path / "test_slow.py").write_text("import time\ndef test_slow():\n    time.sleep(1000)\n")
    done = run(tmp_path, "--limit", 0.05, tmp_path / "test_slow.py")
    assert done.returncode == 1 and "ended by the limit of 0.05 min" in done.stdout


def test_busy_processes_end_with_their_block(monkeypatch):
    started = []
    popen = subprocess.Popen
    monkeypatch.setattr(
        stress.subprocess, "Popen", lambda *a, **k: started.append(popen(*a, **k)) or started[-1]
    )
    with pytest.raises(KeyboardInterrupt), busy_processes(2):
        assert [process.poll() for process in started] == [None, None]
        raise KeyboardInterrupt
    assert all(process.returncode for process in started)


def test_no_run_proves_nothing():
    assert Tally().lines() == ["0 tests, 0 runs, 0 tests failed at least once"]

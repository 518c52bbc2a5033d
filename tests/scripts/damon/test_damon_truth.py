# SPDX-License-Identifier: BSD-2-Clause
"""What was measured is kept, and the tables are the means of it."""

import json

import numpy as np
import pytest

from scripts.damon import damon_page, damon_truth
from scripts.damon.damon_recorded import GuestLog, Recorded
from scripts.damon.damon_truth import PATTERNS, SETTINGS, main
from scripts.damon.damon_windows import Windows


def found(precision, recall, lags=()):
    both = {"precision": precision, "recall": recall}
    return {"cpu": both, "dram": both, "lags": list(lags), "windows": 3, "regions": 10.0, "most": 12.0}


@pytest.fixture
def without_machines(tmp_path, monkeypatch):
    """Runs cost nothing; the list has those that were made."""
    runs = []

    def measure_run(pattern, name):
        runs.append((pattern, name))
        return {name: found(0.5, 0.25)}

    (tmp_path / "Image-damon").touch()
    monkeypatch.setattr(damon_truth, "IMAGES", tmp_path)
    monkeypatch.setattr(damon_truth, "OUT", tmp_path)
    monkeypatch.setattr(damon_truth, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(damon_truth, "measure_run", measure_run)
    monkeypatch.setattr(damon_truth, "measure_costs", lambda pattern: dict.fromkeys(SETTINGS, 0.1))
    return runs


def test_without_a_kernel_the_exit_code_is_2_and_the_message_says_how_to_build_it(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(damon_truth, "IMAGES", tmp_path)
    assert main([]) == 2
    assert "make linux-damon" in capsys.readouterr().err


def test_ctrl_c_keeps_what_was_measured_and_the_rest_goes_on_from_there(
    without_machines, tmp_path, monkeypatch, capsys
):
    measured = damon_truth.measure_run

    def interrupted(pattern, name):
        if len(without_machines) == 3:
            raise KeyboardInterrupt
        return measured(pattern, name)

    monkeypatch.setattr(damon_truth, "measure_run", interrupted)
    assert main([]) == 130
    assert str(tmp_path / "results.json") in capsys.readouterr().err
    kept = json.loads((tmp_path / "results.json").read_text())
    assert list(kept["zipf"]["observers"]) == list(SETTINGS)[:3]

    monkeypatch.setattr(damon_truth, "measure_run", measured)
    pages = []
    monkeypatch.setattr(damon_truth, "write_page", lambda results, page: pages.append(results))
    assert main(["--rest"]) == 0
    assert without_machines == [(pattern, name) for pattern in PATTERNS for name in SETTINGS]
    assert list(pages[0]) == list(PATTERNS)


def test_the_page_is_written_without_a_machine(without_machines, tmp_path, monkeypatch):
    (tmp_path / "results.json").write_text(json.dumps({"zipf": {"observers": {}, "shares": {}}}))
    pages = []
    monkeypatch.setattr(damon_truth, "write_page", lambda results, page: pages.append(results))
    assert main(["--page"]) == 0
    assert pages == [{"zipf": {"observers": {}, "shares": {}}}] and not without_machines


LAGS = [{"windows": 1, "ns": 50_000_000}, {"windows": 2, "ns": 150_000_000}, None]
RESULTS = {
    "zipf": {"observers": {"vaddr, default": found(0.5, 0.4)}, "shares": {"vaddr, default": 0.2}},
    "phases": {"observers": {"vaddr, default": found(0.7, None, LAGS)}, "shares": {"vaddr, default": 0.4}},
    "uniform": {"observers": {"vaddr, default": found(0.1, 0.1)}, "shares": {"vaddr, default": 0.6}},
}


def test_means_leave_out_the_pattern_without_hot_pages():
    """0.6 is the mean of 0.5 and 0.7; one recall has no value."""
    mean = damon_page.mean_over_hot
    assert mean(RESULTS, "vaddr, default", "cpu", "precision") == pytest.approx(0.6)
    assert mean(RESULTS, "vaddr, default", "cpu", "recall") == pytest.approx(0.4)


def test_the_share_of_the_processor_is_that_of_all_patterns():
    """0.2, 0.4 and 0.6."""
    assert damon_page.cost(RESULTS, "vaddr, default") == pytest.approx(0.4)
    assert "| 40.0% |" in damon_page.summary(RESULTS)


def test_the_lag_is_the_mean_of_the_moves_that_were_found():
    assert damon_page.lag_cell(RESULTS, "vaddr, default") == "1.5 (100 ms, 1 of 3 not)"
    assert damon_page.lag_cell({"phases": {"observers": {"x": found(1, 1, [None])}}}, "x") == "never"


def test_the_hot_set_of_phases_is_found_where_it_has_moved():
    """Ranks of one window each 100 ns; the set moves at 250 ns by 1,536 pages, and is found in the fourth."""
    pages, moved = damon_truth.PAGES, 1536
    log = GuestLog(0, np.arange(pages), np.array([0]), np.array([10_000]), [(250, moved)])
    empty = np.zeros(0, np.int64)
    recorded = Recorded(SETTINGS["vaddr, default"], log, [], empty, empty, empty, empty, empty, empty)
    windows = Windows(recorded, np.arange(0, 600, 100), [], empty)
    ranks = np.zeros((5, pages), np.int64)
    ranks[:3, pages // 8 : pages // 8 + 400] = 1
    ranks[3:, pages // 8 + moved : pages // 8 + moved + 400] = 1
    assert damon_truth.lags(windows, ranks, 410) == [{"windows": 2, "ns": 150}]

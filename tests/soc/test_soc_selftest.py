# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc selftest` on the RTL; the counts that it expects of boards are those of the golden model."""

import json
import subprocess
import sys

import pytest
from litemrc.checks.selftest import COUNTS, known_problems, run_known
from litemrc.device.device import Device
from litemrc.device.simulation.simulator import Simulator

from scripts.boards.selftest_counts import ROOT, counts_of
from tests.timeouts import scaled_timeout

pytestmark = pytest.mark.soc
PAGES = 272  # of 128 in a group: position 272 is in the third


def test_the_simulated_soc_passes_and_is_what_the_expected_counts_were_made_of(
    soc, cli_environment, tmp_path
):
    """The counts of every board's monitor, computed from the record of this run, are those of the file."""
    report = tmp_path / "report.json"
    with soc() as simulator:
        url = simulator.wait_ready(scaled_timeout(30)).url
        command = [sys.executable, "-m", "litemrc.cli.main", "selftest", "--port", url]
        command += ["--timeout", str(round(scaled_timeout(60))), "--memory", str(PAGES), "--out", str(report)]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=scaled_timeout(600), env=cli_environment
        )
    assert done.returncode == 0, done.stdout + done.stderr
    steps = {step["name"]: step for step in json.loads(report.read_text())["steps"]}
    assert {step["verdict"] for step in steps.values()} == {"ok"}
    assert (steps["memory"]["measured"]["pages"], steps["memory"]["measured"]["wrong_words"]) == (PAGES, 0)
    assert steps["monitor"]["measured"]["accesses"] == 5 * 256 * 2 * PAGES  # 128 bits from a memory of 64
    assert "not compared" not in steps["counts"]["detail"]
    assert counts_of(simulator.record, 12) == json.loads(COUNTS.read_text()), (
        "python -m scripts.boards.selftest_counts"
    )


def test_another_memory_clock_and_engine_count_the_same(tmp_path):
    """Four ranks of DDR3 at 100 MHz, whose lines are one access each, and group_stack."""
    firmware = ROOT / "build/firmware-ranks/firmware.bin"
    with (
        Simulator(ROOT / "build/sim-ranks", firmware, tmp_path / "run") as simulator,
        Device(simulator.wait_ready(scaled_timeout(30)).url, timeout_s=scaled_timeout(60)) as device,
    ):
        found, wrong = run_known(device)
    assert not wrong
    assert known_problems(found, device.hello, json.loads(COUNTS.read_text())) == ([], "")
    assert found[1].accesses == json.loads(COUNTS.read_text())["lines"]["loop"]

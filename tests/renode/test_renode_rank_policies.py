# SPDX-License-Identifier: BSD-2-Clause
"""Rank policies in Renode, set by the commands that users have: ranks sleep as on the simulated SoC."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from litemrc.cli.soc.ranks_demo import collect
from litemrc.device import rank_commands
from litemrc.device.collecting.record_rows import watch_ranks
from litemrc.device.device import Device
from litemrc.device.governed import end_lease
from litemrc.device.running import Run
from litemrc.ranks.activity import PowerState
from litemrc.ranks.table import RankTable

from tests.renode.renode_machine import MODEL, RANKS_FIRMWARE, RenodeMachine, why_not
from tests.timeouts import Deadline, scaled_timeout

TIMEOUT_S = 120.0
LAST = 3  # the rank in which chase runs, all of it


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RenodeMachine]:
    if reason := why_not(MODEL, RANKS_FIRMWARE):
        pytest.skip(reason)
    run_dir = tmp_path_factory.mktemp("renode_policies")
    with RenodeMachine(run_dir, script="litemrc_ranks.resc", firmware=RANKS_FIRMWARE) as running:
        running.wait_said(running.console, "Switching SDRAM to hardware control")
        yield running


def table_of(machine: RenodeMachine, policy: str) -> RankTable:
    """Of `chase` under a policy with thresholds of 50 and 20,000 cycles."""
    with Device(machine.url, timeout_s=scaled_timeout(TIMEOUT_S)) as device:
        dram = rank_commands.get_dram(device)
        device.request("monitor", on=True)  # the collector of the last policy switched it off
        collector = collect(device, dram, [Run("chase", 1)], policy)
        rank_commands.set_policy(
            device, rank_commands.RankPolicy("none", "power_down", "self_refresh", "none", 0, 0)
        )
        for rank in range(dram.ranks):
            rank_commands.set_state(device, rank, "awake")
        return dram.table(collector.ranks, device.hello.clock_hz)


def shares(table: RankTable, state: PowerState) -> list[float]:
    return [activity.share(state) for activity in table.activities()]


def check_cycles(table: RankTable) -> None:
    """Each cycle of an epoch is in one state, and no rank wakes longer than the DLL needs."""
    for activity in table.activities():
        assert activity.waking <= 128 * activity.wake_ups
    names = ("active_standby", "precharge_standby", "power_down", "self_refresh", "self_refresh_partial")
    assert (sum(getattr(table, name) for name in names) == table.clocks).all()


@pytest.mark.parametrize(
    ("policy", "idle_state"),
    [
        ("none", PowerState.PRECHARGE_STANDBY),
        ("static", PowerState.POWER_DOWN),
        ("dynamic", PowerState.SELF_REFRESH),
        ("mrc", PowerState.SELF_REFRESH),
    ],
)
def test_idle_ranks_are_in_the_state_of_the_policy(
    machine: RenodeMachine, policy: str, idle_state: PowerState
) -> None:
    table = table_of(machine, policy)
    check_cycles(table)
    assert min(shares(table, idle_state)[:LAST]) > 0.9
    wake_ups = table.of_domain(LAST, "wake_ups").sum()
    if policy == "static":
        assert wake_ups > 100  # the rank sleeps between accesses
    if policy == "none":
        assert wake_ups == 0
    if policy == "mrc":
        pages, asleep = table.of_domain(LAST, "top_pages"), table.of_domain(LAST, "self_refresh")
        assert pages.max() == 1024  # chase goes round 1,024 pages
        whole = (pages[:-1] > 0) & (pages[1:] > 0)  # epochs that the working set lies here from end to end
        assert whole.any() and not asleep[1:][whole].any()


def test_govern_energy_sends_ranks_outside_the_working_set_to_sleep(
    machine: RenodeMachine, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    command = [sys.executable, "-m", "litemrc.cli.main", "govern", "--port", machine.url, "--energy"]
    command += ["--run", "chase:1", "--epoch-unit", "cycles", "--epoch-length", "200000", "--log", str(log)]
    command += ["--lease", "40"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    deadline = Deadline(TIMEOUT_S)
    while not any(record["accesses"].get("1", 0) > 500 for record in records(log)):
        assert process.poll() is None, process.stderr.read()
        assert not deadline.passed, log.read_text()[-500:]
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)  # the lease goes on
    process.communicate()
    with Device(machine.url, timeout_s=scaled_timeout(TIMEOUT_S)) as device:
        policy, dram = rank_commands.get_policy(device), rank_commands.get_dram(device)
        rows = watch_ranks(device)
        table = dram.table([next(rows) for _ in range(20)], device.hello.clock_hz)
        end_lease(device)
    assert (policy.policy, policy.mrc_state, policy.mrc_base) == ("mrc", "self_refresh", "dynamic")
    check_cycles(table)
    assert min(shares(table, PowerState.SELF_REFRESH)[:LAST]) > 0.95


def records(log: Path) -> list[dict]:
    lines = log.read_text().split("\n")[:-1] if log.exists() else []
    return [json.loads(line) for line in lines]

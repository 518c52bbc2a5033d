# SPDX-License-Identifier: BSD-2-Clause
"""A host governs the simulated SoC and vanishes: the device goes back to what it had before."""

import json
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from litemrc.device import rank_commands
from litemrc.device.collecting.collector import Collector
from litemrc.device.contexts import get_budget
from litemrc.device.device import Device
from litemrc.device.simulation.simulator import Simulator

from tests.timeouts import Deadline, scaled_timeout

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 120.0
LEASE_END = "the lease ended"
INTR, LINEAR = 1, 2  # contexts of the tasks of `pair`
EXIT_CLOCKS = (
    512 // 4 + 64
)  # JESD79-3: tXSDLL of 512 DRAM clocks, and what the controller adds, refresh included

pytestmark = pytest.mark.soc


@contextmanager
def governing(url, log, *arguments):
    """`litemrc govern` until the block ends; then it is killed without a message to the device."""
    command = [sys.executable, "-m", "litemrc.cli.main", "govern", "--port", url]
    command += ["--timeout", str(round(scaled_timeout(60)))]
    process = subprocess.Popen(
        [*command, "--epoch-unit", "cycles", "--log", log, *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()


def wait_for_record(process, log, wanted):
    """The first record of the log that is what was wanted."""
    deadline = Deadline(TIMEOUT_S)
    while not deadline.passed:
        assert process.poll() is None, process.stderr.read()
        for line in log.read_text().splitlines() if log.exists() else ():
            record = json.loads(line)
            if wanted(record):
                return record
        time.sleep(0.2)
    raise AssertionError(f"no such record within {deadline.limit_s:.0f} s: {log.read_text()[-500:]}")


def collect_until_lease_ends(device, collector, epochs):
    """Until the device says that the lease ended, and so many epochs more; returns whether it said so."""
    ended, behind = False, 0
    for message in collector.collect(1000):
        ended |= message.name == "log" and message.line.startswith(LEASE_END)
        behind += ended and message.name == "epoch"
        if behind == epochs:
            break
    return ended


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Tasks of the pager while they were governed, and after the host had vanished."""
    folder = tmp_path_factory.mktemp("govern")
    log = folder / "log.jsonl"
    with Simulator(ROOT / "build/sim", ROOT / "build/firmware/firmware.bin", folder / "run") as simulator:
        simulator.wait_ready(scaled_timeout(30))
        with governing(
            simulator.url, log, "--run", "pair:1:2", "--epoch-length", 300_000, "--lease", 0.1
        ) as it:
            # Some epochs, so that pages have gone and come: each has 100 references or more.
            wait_for_record(it, log, lambda r: _governed_tasks(r) >= {INTR, LINEAR} and r["epoch"] >= 8)
        governed = [json.loads(line) for line in log.read_text().splitlines()]
        with Device(simulator.url, timeout_s=scaled_timeout(TIMEOUT_S)) as device:
            collector = Collector(device)
            assert collect_until_lease_ends(device, collector, epochs=2)
            budgets = [get_budget(device, context).allowed for context in (INTR, LINEAR)]
        yield governed, collector.tasks, budgets


def _governed_tasks(record):
    return {task["context"] for task in record["tasks"] if task["budget"] is not None}


def test_budgets_reach_the_pager(pair):
    governed, _, _ = pair
    told = {task["context"]: task for task in governed[-1]["tasks"]}
    assert told[INTR]["budget"] >= 128
    assert told[LINEAR]["budget"] >= 128
    assert told[INTR]["budget"] + told[LINEAR]["budget"] <= told[INTR]["memory"] == 1024


def test_without_its_host_the_device_lifts_budgets(pair):
    _, rows, budgets = pair
    assert budgets == [None, None]
    assert [row["budget"] for row in rows[-2:]] == [None, None]


def test_pages_come_back_as_they_went(pair):
    governed, rows, _ = pair
    tasks = [task for record in governed for task in record["tasks"]]
    assert sum(task["references"] for task in tasks) > 500
    assert {task["damaged"] for task in tasks} | {row["damaged"] for row in rows} == {0}


@pytest.fixture(scope="module")
def energy(tmp_path_factory):
    """What the ranks did under a governor that vanishes while `chase` runs."""
    folder = tmp_path_factory.mktemp("govern_energy")
    log = folder / "log.jsonl"
    firmware = ROOT / "build/firmware-ranks/firmware.bin"
    with Simulator(ROOT / "build/sim-ranks", firmware, folder / "run") as simulator:
        simulator.wait_ready(scaled_timeout(30))
        with Device.open_booting(
            simulator.url, boot_timeout_s=scaled_timeout(TIMEOUT_S), timeout_s=scaled_timeout(TIMEOUT_S)
        ) as device:
            own = rank_commands.get_policy(device)
        arguments = ("--energy", "--run", "chase:1", "--epoch-length", 200_000, "--lease", 0.02)
        with governing(simulator.url, log, *arguments) as it:
            # Asleep, ranks let chase through some 650 times an epoch.
            wait_for_record(it, log, lambda record: record["accesses"].get("1", 0) > 500)
        record = json.loads(log.read_text().rpartition("\n")[0].splitlines()[-1])
        with Device(simulator.url, timeout_s=scaled_timeout(TIMEOUT_S)) as device:
            dram = rank_commands.get_dram(device)
            collector = Collector(device, dram)
            in_force = rank_commands.get_policy(device), rank_commands.get_working_set(device)
            ended = collect_until_lease_ends(device, collector, epochs=3)
            after = rank_commands.get_policy(device), rank_commands.get_working_set(device)
            table = dram.table(collector.ranks, device.hello.clock_hz)
        simulator.stop()
        dram_saw = json.loads((simulator.run_dir / "ddr3.json").read_text())
        yield own, record, in_force, ended, after, table, dram_saw


def test_rank_policy_and_working_set_are_governed_until_the_lease_ends(energy):
    own, record, (policy, working_set), ended, (policy_after, _), _, _ = energy
    assert (policy.policy, policy.mrc_state, policy.mrc_base) == ("mrc", "self_refresh", "dynamic")
    assert not working_set.automatic and working_set.groups == record["working_set_groups"]
    assert ended
    assert policy_after == own


def test_no_access_waits_longer_than_a_wake_up(energy):
    """Ranks slept, were woken by accesses, and each way back took no longer than the data sheet's."""
    *_, table, dram_saw = energy
    activities = table.activities()
    assert sum(activity.self_refresh for activity in activities) > 0
    for activity in activities:
        assert activity.waking <= activity.wake_ups * EXIT_CLOCKS
    assert (dram_saw["device"], dram_saw["lost_reads"]) == (0, 0)

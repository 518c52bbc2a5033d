# SPDX-License-Identifier: BSD-2-Clause
"""Linux on two harts of VexRiscv-SMP in the simulated RTL, of `make linux-smp-ready`."""

import json
import re

import pytest
from litemrc.checks.page_tables import read_snapshots
from litemrc.cli.soc.demo_results import check, verdict
from litemrc.cli.soc.linux_demo import (
    OWNERS_S,
    READ_OWNERS,
    collect,
    epoch_accesses,
    examine,
    processor,
    start_owners,
    summary,
    wanted_runs,
    with_page_tables,
)
from litemrc.device.device import Device
from litemrc.device.simulation.guest_shell import GuestShell
from litemrc.device.simulation.linux_start import LinuxBuild

from tests.linux.qemu import ROOT
from tests.timeouts import scaled_timeout

IMAGES = ROOT / "build/linux-smp"
SIM = ROOT / "build/sim-linux-smp"
BOOT_TIMEOUT_S = 1800
COMMAND_TIMEOUT_S = 600

pytestmark = [
    pytest.mark.soc,
    pytest.mark.skipif(
        not (IMAGES / "images.json").exists(),
        reason="run make linux-smp-ready; docs/smp.md says how to get pythondata-cpu-vexriscv-smp",
    ),
]


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    build = LinuxBuild(SIM, ROOT / "build/boot-smp/shim.bin", IMAGES)
    run_dir = tmp_path_factory.mktemp("smp") / "run"
    with build.simulator(run_dir, boot_timeout_s=scaled_timeout(BOOT_TIMEOUT_S)) as simulator:
        simulator.wait_ready(scaled_timeout(30))
        yield simulator


@pytest.fixture(scope="module")
def shell(machine):
    return GuestShell(machine, scaled_timeout(COMMAND_TIMEOUT_S))


@pytest.fixture(scope="module")
def collected(machine, shell, tmp_path_factory):
    """Return the daemon's hello, what it sent while three programs ran, and what page_owners printed."""
    with Device(machine.url, timeout_s=scaled_timeout(COMMAND_TIMEOUT_S)) as device:
        runs = wanted_runs(device)
        shell.run(start_owners(runs))
        length = epoch_accesses(constants())
        collector = collect(device, runs, tmp_path_factory.mktemp("out"), length)
        return device.hello, collector, shell.run(READ_OWNERS, scaled_timeout(OWNERS_S))


def constants():
    return json.loads((SIM / "csr.json").read_text())["constants"]


def interrupts(said, name):
    """Return the counts of a line of /proc/interrupts, one for each hart."""
    (counts,) = re.findall(rf"^ *\S+: +(\d+) +(\d+) .*{name}", said, re.M)
    return [int(count) for count in counts]


def test_two_harts_are_there(shell):
    said = shell.run("cat /proc/cpuinfo")
    assert re.findall(r"hart\s*: (\d+)", said) == ["0", "1"]
    assert re.findall(r"isa\s*: (\w+)", said) == ["rv32ima"] * 2


def test_both_harts_take_timer_interrupts_and_interrupt_each_other(collected, shell):
    said = shell.run("cat /proc/interrupts")
    assert min(interrupts(said, "riscv-timer")) > 10
    assert min(interrupts(said, "Function call interrupts")) + min(interrupts(said, "Rescheduling")) > 0
    assert sum(interrupts(said, "SiFive PLIC .*monitor")) >= collected[1].epochs > 2


def test_the_page_tables_were_read_while_processes_ran(collected):
    snapshots = read_snapshots(collected[2], collected[0].frames)
    assert len(snapshots) > 1
    assert {context for context, _ in snapshots[0].migrations} == {1, 2, 3}
    assert any({1, 2, 3} <= set(each.context.tolist()) for each in snapshots)


def test_each_access_is_charged_to_the_program_that_owns_the_page(machine, collected, shell, tmp_path):
    """Every counter equals the golden model's; owners are those recounted, and those of the page tables."""
    hello, collector, owners = collected
    machine.type(b"poweroff\n")
    assert machine.wait(scaled_timeout(COMMAND_TIMEOUT_S)) == 0
    results = examine(check(tmp_path, machine.record, hello, collector, exact=False, late=True))
    results = with_page_tables(results, owners)
    assert verdict(results) == 0
    assert {0, 1, 2, 3} <= set(results.table.contexts_with_data)
    name, harts = processor(constants())
    assert name.startswith("VexRiscv-SMP")
    expected = {"harts": 2, "counters_equal": True, "misattributed": 0, "dropped": 0}
    assert summary(results, harts) == expected

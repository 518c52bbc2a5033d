# SPDX-License-Identifier: BSD-2-Clause
"""Linux on 64 bits, by Rocket in the simulated RTL; it boots once if there is no snapshot."""

import json
import re

import pytest
from litemrc.cli.soc.demo_results import check, verdict
from litemrc.cli.soc.linux_demo import collect, examine, processor, summary
from litemrc.device.device import Device
from litemrc.device.running import Run
from litemrc.device.simulation.linux_start import LinuxBuild

from tests.linux.qemu import ROOT
from tests.linux.rtl import shell_of
from tests.timeouts import scaled_timeout

IMAGES = ROOT / "build/linux-rocket"
SIM = ROOT / "build/sim-linux-rocket"
BOOT_TIMEOUT_S = 2400
COMMAND_TIMEOUT_S = 600

pytestmark = [
    pytest.mark.soc,
    pytest.mark.skipif(
        not (IMAGES / "images.json").exists(),
        reason="not built: make linux-rocket-ready, which installs pythondata-cpu-rocket",
    ),
]


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    build = LinuxBuild(SIM, ROOT / "build/boot-rocket/shim.bin", IMAGES)
    run_dir = tmp_path_factory.mktemp("rocket") / "run"
    with build.simulator(run_dir, boot_timeout_s=scaled_timeout(BOOT_TIMEOUT_S)) as simulator:
        yield simulator


@pytest.fixture(scope="module")
def shell(machine):
    return shell_of(machine, COMMAND_TIMEOUT_S)


@pytest.fixture(scope="module")
def collected(machine, shell, tmp_path_factory):
    """Return the daemon's hello and what it sent while two programs ran side by side."""
    with Device(machine.url, timeout_s=scaled_timeout(COMMAND_TIMEOUT_S)) as device:
        out = tmp_path_factory.mktemp("out")
        return device.hello, collect(device, [Run("intr", 1), Run("linear", 2)], out)


def test_the_processor_has_64_bits_and_page_tables_of_three_levels(shell):
    described = shell.check("while read -r x; do echo $x; done </proc/cpuinfo")
    assert re.search(r"isa\s*: rv64ima\b", described)
    assert re.search(r"mmu\s*: sv39\b", described)


def test_epochs_interrupt_the_processor(collected, shell):
    (count,) = re.findall(r"^ *\d+: +(\d+) +SiFive PLIC .*monitor", shell.check("cat /proc/interrupts"), re.M)
    assert int(count) >= collected[1].epochs > 2


def test_counters_of_two_programs_are_those_of_the_golden_model(machine, collected, shell, tmp_path):
    hello, collector = collected
    shell.write(b"poweroff\n")
    assert machine.wait(scaled_timeout(COMMAND_TIMEOUT_S)) == 0
    results = examine(check(tmp_path, machine.record, hello, collector, exact=False, late=True))
    assert verdict(results) == 0
    assert {(each.context, each.comm) for each in results.table.processes} == {(1, "intr"), (2, "linear")}
    assert {0, 1, 2} <= set(results.table.contexts_with_data)
    name, harts = processor(json.loads((SIM / "csr.json").read_text())["constants"])
    assert name == "Rocket"
    expected = {"harts": 1, "counters_equal": True, "misattributed": 0, "dropped": 0}
    assert summary(results, harts) == expected

# SPDX-License-Identifier: BSD-2-Clause
"""Linux on four ranks of DDR3 in the RTL: a rank sleeps on request; counters and rules are verified.

Not in CI: it needs `make linux-ranks-ready`, and a boot if there is no snapshot.
"""

import json

import pytest
from litemrc.checks.rank_record import compare_with_record, read_record, snapshots_of
from litemrc.device import rank_commands
from litemrc.device.collecting.record_rows import watch_ranks
from litemrc.device.device import Device
from litemrc.device.errors import RequestRefusedError
from litemrc.device.simulation.linux_start import LinuxBuild
from litemrc.ranks.activity import PowerState

from tests.linux.qemu import ROOT
from tests.timeouts import scaled_timeout

IMAGES = ROOT / "build/linux-ranks"
BOOT_TIMEOUT_S = 1800
REQUEST_TIMEOUT_S = 600
RANKS = 4
EPOCH_CYCLES = 10_000_000  # the messages of an epoch take 6 ticks of a million cycles
KERNELS = 0  # the rank with the kernel's image

pytestmark = [
    pytest.mark.soc,
    pytest.mark.skipif(not (IMAGES / "images.json").exists(), reason="not built: make linux-ranks-ready"),
]


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    build = LinuxBuild(ROOT / "build/sim-linux-ranks", ROOT / "build/boot-ranks/shim.bin", IMAGES)
    run_dir = tmp_path_factory.mktemp("rtl") / "run"
    with build.simulator(run_dir, boot_timeout_s=scaled_timeout(BOOT_TIMEOUT_S)) as simulator:
        yield simulator.wait_ready(scaled_timeout(30))


@pytest.fixture(scope="module")
def device(machine):
    with Device(machine.url, timeout_s=scaled_timeout(REQUEST_TIMEOUT_S)) as device:
        yield device


@pytest.fixture(scope="module")
def dram(device):
    return rank_commands.get_dram(device)


@pytest.fixture(scope="module")
def observed(device, dram):
    """The table of four epochs, and the rank without accesses that sleeps by request in the last ones."""
    return observe(device, dram)


def observe(device, dram):
    device.request("set_epoch", unit="cycles", length=EPOCH_CYCLES)
    rows = watch_ranks(device)
    seen = [next(rows)]
    first = dram.table(seen, device.hello.clock_hz)
    idle = [
        n
        for n in range(dram.ranks)
        if not first.of_domain(n, "reads").sum() + first.of_domain(n, "writes").sum()
    ]
    assert idle, "all ranks are in use"
    rank_commands.set_state(device, idle[0], "self_refresh")
    while len(seen) < 4:  # the next one began before the command
        seen.append(next(rows))
    return dram.table(seen, device.hello.clock_hz), idle[0]


def test_the_dram_is_that_of_the_device_tree(device, dram):
    assert device.hello.system.startswith("Linux ") and device.hello.ranks == RANKS
    states = ("awake", "power_down", "self_refresh", "self_refresh_partial")
    assert dram == rank_commands.Dram(RANKS, False, states, dram.part, 1, 4, 0)
    assert dram.part.upper() == "MT41K64M16"


def test_a_rank_sleeps_on_request_and_the_others_stay_awake(observed):
    table, asleep = observed
    of_last = table.between(int(table.epochs[-1]), None).activities()
    shares = [activity.share(PowerState.SELF_REFRESH) for activity in of_last]
    assert asleep != KERNELS
    assert shares[asleep] > 0.95
    assert [share for rank, share in enumerate(shares) if rank != asleep] == [0] * (RANKS - 1)


def test_the_kernels_rank_cannot_be_put_to_sleep(device, dram):
    with pytest.raises(RequestRefusedError, match="the kernel runs from this domain"):
        rank_commands.set_state(device, KERNELS, "self_refresh")


def test_counters_are_those_of_the_commands_and_no_rule_is_broken(machine, dram, observed):
    """After the other tests: it ends the machine.

    The epoch of the boot is left out: the record has the cycle of reset at the start, the meter does not.
    """
    table = observed[0].between(1, None)
    machine.stop()
    snapshots = snapshots_of(read_record(machine.run_dir / "ddr3.npy"), dram.ranks)
    comparison = compare_with_record(table, snapshots)
    assert comparison.equal, comparison.first_difference
    report = json.loads((machine.run_dir / "ddr3.json").read_text())
    assert (report["broken"], report["lost_reads"], report["undriven_reads"]) == ({}, 0, 0)
    assert report["reads"] > 1_000_000

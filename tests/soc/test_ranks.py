# SPDX-License-Identifier: BSD-2-Clause
"""Four ranks of DDR3 on the simulated SoC: they sleep when the working set is elsewhere, and nothing is lost.

One boot for all tests here, in the order of this file.
"""

import json
from pathlib import Path

import pytest
from litemrc.checks.rank_record import compare_with_record, read_record, snapshots_of
from litemrc.cli.soc.demo_results import check
from litemrc.cli.soc.ranks_demo import collect
from litemrc.device import rank_commands
from litemrc.device.collecting.record_rows import watch_ranks
from litemrc.device.device import Device
from litemrc.device.errors import RequestRefusedError
from litemrc.device.running import Run
from litemrc.device.simulation.simulator import Simulator
from litemrc.energy.parts.files import part_of_module
from litemrc.energy.rank_energy import rank_energy
from litemrc.ranks.activity import PowerState

from tests.timeouts import scaled_timeout

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 300.0  # against a device that hangs; a busy machine simulates slowly

pytestmark = pytest.mark.soc


@pytest.fixture(scope="module")
def simulator(tmp_path_factory):
    firmware = ROOT / "build/firmware-ranks/firmware.bin"
    run_dir = tmp_path_factory.mktemp("ranks") / "run"
    with Simulator(ROOT / "build/sim-ranks", firmware, run_dir) as simulator:
        yield simulator.wait_ready(scaled_timeout(30))


@pytest.fixture(scope="module")
def device(simulator):
    with Device.open_booting(
        simulator.url, boot_timeout_s=scaled_timeout(TIMEOUT_S), timeout_s=scaled_timeout(TIMEOUT_S)
    ) as device:
        yield device


@pytest.fixture(scope="module")
def dram(device):
    return rank_commands.get_dram(device)


@pytest.fixture(scope="module")
def collected(device, dram):
    """What `chase`, all of it in the last rank, left in curves and ranks, under the policy mrc."""
    collector = collect(device, dram, [Run("chase", 1)], "mrc")
    return collector, dram.table(collector.ranks, device.hello.clock_hz)


def test_the_dram_is_what_was_built(device, dram):
    assert device.hello.ranks == 4
    assert (dram.ranks, dram.virtual, dram.part, dram.phases) == (4, False, "MT41K64M16", 4)
    assert dram.states == ("awake", "power_down", "self_refresh", "self_refresh_partial")


def test_ranks_without_the_working_set_sleep(collected):
    """Over 95 % of the time each; the one that has it is awake in every epoch of the program's.

    The epoch in which the program starts is the host's in part: how long it takes to order the run.
    """
    _, table = collected
    shares = [activity.share(PowerState.SELF_REFRESH) for activity in table.activities()]
    assert min(shares[:3]) > 0.95
    (ran,) = table.of_domain(3, "reads").nonzero()
    asleep = table.of_domain(3, "self_refresh") / table.of_domain(3, "clocks")
    assert len(ran) > 10 and asleep[ran[1:]].max() < 0.05
    assert table.of_domain(3, "reads").sum() > 50_000
    assert sum(table.of_domain(rank, "reads").sum() for rank in range(3)) == 0


def test_the_working_set_is_that_of_the_program(collected):
    """chase goes round 1,024 pages in random order: two page groups, all in the last rank."""
    _, table = collected
    assert table.of_domain(3, "top_pages").max() == 1024
    assert [table.of_domain(rank, "top_pages").max() for rank in range(3)] == [0, 0, 0]


@pytest.mark.parametrize(
    ("state", "counted_as"),
    [
        ("power_down", PowerState.POWER_DOWN),
        ("self_refresh", PowerState.SELF_REFRESH),
        ("awake", PowerState.PRECHARGE_STANDBY),
    ],
)
def test_a_commanded_state_stays(device, dram, collected, state, counted_as):
    """Over 95 % of the next epoch: in power-down a rank is raised for each refresh, 22 clocks of 781."""
    rank_commands.set_policy(
        device, rank_commands.RankPolicy("none", "power_down", "self_refresh", "none", 0, 0)
    )
    for rank in range(dram.ranks):
        rank_commands.set_state(device, rank, state)
    rows = watch_ranks(device)
    for _ in range(5):  # the first ones may have waited in the link
        device.request("end_epoch")
        of_epoch = next(rows)
    table = dram.table([of_epoch], device.hello.clock_hz)
    assert min(activity.share(counted_as) for activity in table.activities()) > 0.95


def test_data_can_be_lost_only_where_nobody_needs_them(device, dram, collected):
    """While a program runs its rank holds live pages; behind its end the permission can be had."""
    with pytest.raises(RequestRefusedError, match="data would be lost"):
        rank_commands.set_state(device, 3, "self_refresh_partial")
    device.request("run", workload=device.hello.workloads.index("chase"), context=1, scale=1)
    while device.receive(scaled_timeout(TIMEOUT_S)).name != "event":
        pass
    with pytest.raises(RequestRefusedError, match="holds pages whose data may be needed"):
        rank_commands.set_loss(device, 3, allowed=True, part=1)
    while (
        message := device.receive(scaled_timeout(TIMEOUT_S))
    ).name != "event" or message.kind != "workload_done":
        pass
    rank_commands.set_loss(device, 3, allowed=True, part=1)
    rank_commands.set_state(device, 3, "self_refresh_partial")
    rows = watch_ranks(device)
    device.request("end_epoch")
    assert next(rows)[3]["state"] == rank_commands.power_state_number("self_refresh_partial")


def test_every_counter_is_that_of_the_record_and_so_is_the_energy(
    simulator, device, dram, collected, tmp_path
):
    """Curves and ranks; and the DRAM, which loses data where it may, lost none and saw all rules kept."""
    collector, table = collected
    hello = device.hello
    simulator.stop()
    comparison = compare_with_record(
        table, snapshots_of(read_record(simulator.run_dir / "ddr3.npy"), dram.ranks)
    )
    assert comparison.equal, comparison.first_difference
    part = part_of_module(table.part, table.clock_hz * table.phases)
    told, counted = (rank_energy(each, part).total.energy.total for each in (table, comparison.recorded))
    assert told == pytest.approx(counted, rel=1e-3)

    results = check(tmp_path, simulator.record, hello, collector, late=True)
    assert results.comparison.equal, results.comparison.first_difference
    assert results.recording.tap.exact

    dram_saw = json.loads((simulator.run_dir / "ddr3.json").read_text())
    assert dram_saw["reads"] > 50_000
    assert (dram_saw["device"], dram_saw["lost_reads"]) == (0, 0)

# SPDX-License-Identifier: BSD-2-Clause
"""Four ranks of DDR3 of a SoC without a processor: started, put to sleep and metered over UARTBone."""

import json
import subprocess
import sys

import pytest
from litemrc.checks.counters import compare, model_of, replay
from litemrc.checks.rank_record import compare_with_record, read_record, snapshots_of
from litemrc.device import rank_commands
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device
from litemrc.device.errors import RequestRefusedError
from litemrc.device.simulation.recording import read_recording

from tests.soc.bridge_server import ROOT, bridged
from tests.timeouts import scaled_timeout

pytestmark = pytest.mark.soc
SIM = ROOT / "build/sim-bridge-ranks"
RANKS, RANK_BYTES = 4, 128 << 20


def touch(soc, rank, pages):
    """Read the first word of some pages of a rank."""
    base = json.loads((SIM / "csr.json").read_text())["memories"]["main_ram"]["base"]
    return [soc.words.read(base + rank * RANK_BYTES + page * 4096, 1)[0] for page in range(pages)]


@pytest.fixture(scope="module")
def collected(tmp_path_factory):
    """A session: accesses to two ranks, states and policies; the SoC has ended, and its record is whole."""
    with (
        bridged(SIM, tmp_path_factory.mktemp("ranks") / "run") as soc,
        Device(soc.url, timeout_s=scaled_timeout(60)) as device,
    ):
        dram = rank_commands.get_dram(device)
        # The epoch since reset is not collected: software drove the DRAM in it.
        device.request("monitor", on=True)
        device.request("end_epoch")
        device.waiting()
        collector = Collector(device, dram)
        for rank, state in ((0, "self_refresh"), (1, "power_down"), (3, "self_refresh")):
            rank_commands.set_state(device, rank, state)
        device.request("end_epoch")  # the states are those of a whole epoch
        for _ in collector.collect(1):
            pass
        touch(soc, 2, 40)
        device.request("end_epoch")
        for _ in collector.collect(1):
            pass
        touch(soc, 0, 40)
        size = rank_commands.WorkingSetSize(automatic=False, groups=1, epsilon=0)
        rank_commands.set_working_set(device, size)
        rank_commands.set_policy(
            device, rank_commands.RankPolicy("mrc", "power_down", "self_refresh", "dynamic", 100, 0)
        )
        device.request("end_epoch")
        for _ in collector.collect(1):
            pass
        shown = subprocess.run(
            [sys.executable, "-m", "litemrc.cli.main", "ranks", "--port", soc.url, "--json"],
            capture_output=True,
            text=True,
            timeout=scaled_timeout(120),
        )
        with pytest.raises(RequestRefusedError, match="data may be needed"):
            rank_commands.set_loss(device, 1, allowed=True, part=1)
        for _ in collector.finish():
            pass
        table = dram.table(collector.ranks, device.hello.clock_hz)
    return soc.simulator, collector, table, dram, shown


def test_the_dram_is_what_was_built(collected):
    *_, dram, _ = collected
    assert (dram.ranks, dram.virtual, dram.part.upper(), dram.phases) == (4, False, "MT41K64M16", 4)


def test_ranks_sleep_as_the_host_asked(collected):
    _, _, table, *_ = collected
    epoch = 1  # the second of the table: the states were set, and one rank is accessed
    assert [rank for rank in range(RANKS) if table.of_domain(rank, "reads")[epoch]] == [2]
    clocks = table.of_domain(0, "clocks")[epoch]
    self_refresh = [table.of_domain(rank, "self_refresh")[epoch] / clocks for rank in range(RANKS)]
    assert min(self_refresh[0], self_refresh[3]) > 0.95 and max(self_refresh[1], self_refresh[2]) == 0
    assert table.of_domain(1, "power_down")[epoch] / clocks > 0.95


def test_every_counter_of_ranks_and_curves_equals_the_record(collected):
    simulator, collector, table, dram, _ = collected
    found = compare_with_record(table, snapshots_of(read_record(simulator.run_dir / "ddr3.npy"), dram.ranks))
    assert found.equal and found.counters >= 3 * RANKS * 13, found.first_difference
    epochs = collector.table()
    recording = read_recording(simulator.record, 12)
    golden = replay(recording, model_of(epochs))
    comparison = compare(epochs, golden, recording.counts()["access"], first_epoch=int(epochs.epoch[0]))
    assert comparison.equal and recording.tap.exact, comparison.first_difference
    saw = json.loads((simulator.run_dir / "ddr3.json").read_text())
    assert saw["reads"] >= 80 and (saw["device"], saw["lost_reads"]) == (0, 0)


def test_litemrc_ranks_shows_them(collected):
    *_, shown = collected
    assert shown.returncode == 0, shown.stderr
    described = json.loads(shown.stdout)
    assert described["policy"]["policy"] == "mrc"

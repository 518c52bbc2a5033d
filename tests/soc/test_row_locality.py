# SPDX-License-Identifier: BSD-2-Clause
"""Bandwidth and row hits of the traffic generator on the simulated SoC: to the byte, and to the command.

One boot for all tests here. The processor runs from ROM and makes no access to DRAM meanwhile.
"""

from pathlib import Path

import pytest
from litemrc.checks.traffic import check_traffic
from litemrc.device import ref_counters
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device
from litemrc.device.simulation.recording import read_recording
from litemrc.device.simulation.simulator import Simulator
from litemrc.traces.generators.traffic import Traffic

from tests.timeouts import scaled_timeout

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 120.0
ACCESSES = 8000
WORD_BYTES = 8  # of the generator: an access of the DRAM
WORDS_LOG2 = 21  # 16 MB: 2,048 rows of each of 4 banks
SEQUENTIAL = Traffic(base=0, words_log2=WORDS_LOG2, random=False, stride=1, writes=0, seed=1)
RANDOM = Traffic(base=0, words_log2=WORDS_LOG2, random=True, stride=0, writes=64, seed=2027)

pytestmark = pytest.mark.soc


@pytest.fixture(scope="module")
def collected(tmp_path_factory):
    """The commands of an epoch for each stream, by name, and the check of all against the record."""
    run_dir = tmp_path_factory.mktemp("rows") / "run"
    with Simulator(ROOT / "build/sim-refs", ROOT / "build/firmware-refs/firmware.bin", run_dir) as simulator:
        simulator.wait_ready(scaled_timeout(30))
        with Device.open_booting(
            simulator.url, boot_timeout_s=scaled_timeout(TIMEOUT_S), timeout_s=scaled_timeout(TIMEOUT_S)
        ) as device:
            found = {}
            device.request("set_epoch", unit="cycles", length=2**31)
            collector = Collector(device, traffic=True)
            device.request("monitor", on=True)
            for name, stream in (("sequential", SEQUENTIAL), ("random", RANDOM)):
                _end_epoch(device, collector)
                ref_counters.start_traffic(device, stream, gap=0, count=ACCESSES)
                while ref_counters.get_traffic(device).left:
                    pass
                found[name] = _end_epoch(device, collector)
            device.request("monitor", on=False)
            page_shift, epochs = device.hello.page_shift, list(collector.traffic)
    recording = read_recording(simulator.record, page_shift)
    return found, check_traffic(simulator.record, recording, epochs), epochs


def _end_epoch(device, collector):
    """The commands of the epoch that ends now."""
    before = len(collector.traffic)
    device.request("end_epoch")
    while len(collector.traffic) == before:
        assert collector.take(scaled_timeout(TIMEOUT_S)) is not None
    return collector.traffic[-1][1]


def test_the_bytes_are_those_of_the_generator(collected):
    sequential, random = (collected[0][name] for name in ("sequential", "random"))
    assert sequential.bytes_read == ACCESSES * WORD_BYTES
    assert sequential.bytes_written == 0
    assert random.bytes_read + random.bytes_written == ACCESSES * WORD_BYTES


def test_a_quarter_of_the_random_accesses_are_writes(collected):
    """64 of 256; the standard deviation is 39."""
    writes = collected[0]["random"].bytes_written // WORD_BYTES
    assert abs(writes - ACCESSES // 4) < 5 * 39


def test_a_sequential_stream_hits_open_rows(collected):
    assert collected[0]["sequential"].row_hit_rate > 0.95


def test_random_accesses_find_other_rows(collected):
    assert collected[0]["random"].row_hit_rate < 0.05


def test_random_accesses_use_all_banks_alike(collected):
    """The standard deviation of a quarter of them is 39."""
    traffic = collected[0]["random"]
    banks = traffic.reads + traffic.writes
    assert banks.size == 4
    assert abs(banks.astype(int) - ACCESSES // 4).max() < 5 * 39


def test_every_counter_is_that_of_the_recorded_commands(collected):
    """Of each epoch, five of each of four banks; cycles, refreshes and the longest queue."""
    _, check, epochs = collected
    assert check.difference == ""
    assert check.epochs == len(epochs) >= 4
    assert check.counters == len(epochs) * (5 * 4 + 3)

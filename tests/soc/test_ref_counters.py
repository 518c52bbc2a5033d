# SPDX-License-Identifier: BSD-2-Clause
"""Reference counters on the simulated SoC: masters are distinguished, and pages are copied as predicted.

One boot for all tests here, in the order of this file.
"""

from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import pytest
from litemrc.device import ref_counters
from litemrc.device.collecting.collector import Collector
from litemrc.device.collecting.page_epochs import cost_per_access
from litemrc.device.device import Device
from litemrc.device.ref_counters import CounterSetting
from litemrc.device.running import Run
from litemrc.device.simulation.simulator import Simulator
from litemrc.traces.generators.traffic import Traffic, traffic_stream
from litemrc_studies.reference_counters.machine.replicate_prediction import ReplicatePrediction
from litemrc_studies.reference_counters.machine.replicate_scenario import (
    PROCESSOR,
    read_replicate_scenario,
    replicate_references,
)

from tests.timeouts import scaled_timeout

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 120.0
MASTER = {name: 1 << number for number, name in enumerate(ref_counters.masters())}
ALL_CONTEXTS = 0xFF
PAGES = 16  # 1 KB each
WORDS_OF_PAGE = 128  # of the generator's 8 bytes
STREAM = Traffic(base=0, words_log2=11, random=True, stride=0, writes=90, seed=2026)
REPEATS = 1
EPOCH_CYCLES = 250_000
FIRST_ROUNDS = 4

pytestmark = pytest.mark.soc


@pytest.fixture(scope="module")
def device(tmp_path_factory):
    firmware = ROOT / "build/firmware-refs/firmware.bin"
    run_dir = tmp_path_factory.mktemp("refs") / "run"
    with Simulator(ROOT / "build/sim-refs", firmware, run_dir) as simulator:
        simulator.wait_ready(scaled_timeout(30))
        with Device.open_booting(
            simulator.url, boot_timeout_s=scaled_timeout(TIMEOUT_S), timeout_s=scaled_timeout(TIMEOUT_S)
        ) as device:
            yield device


def setting(initial, masters, *, reads=True, writes=True):
    return CounterSetting(initial, reads, writes, masters, ALL_CONTEXTS, 0, PAGES - 1)


def run_traffic(device, count):
    ref_counters.start_traffic(device, STREAM, gap=3, count=count)
    while ref_counters.get_traffic(device).left:
        pass


def counts_left(device, counter):
    return [ref_counters.get_count(device, counter, page) for page in range(PAGES)]


def accesses(count, *, writes_only=False):
    stream = islice(traffic_stream(STREAM), count)
    return Counter(word // WORDS_OF_PAGE for word, write in stream if write or not writes_only)


def test_every_access_of_the_generator_is_counted_and_of_nobody_else(device):
    """DELAY: its accesses; UPDATE: those of the processor, which makes none to DRAM."""
    ref_counters.arm(device, "delay", setting(4095, MASTER["traffic"]))
    ref_counters.arm(device, "update", setting(4095, MASTER["cpu"] | MASTER["remote"]))
    run_traffic(device, 3000)
    expected = accesses(3000)
    assert counts_left(device, "delay") == [4095 - expected[page] for page in range(PAGES)]
    assert counts_left(device, "update") == [4095] * PAGES


def test_writes_are_distinguished_from_reads(device):
    ref_counters.arm(device, "update", setting(4095, MASTER["traffic"], reads=False))
    run_traffic(device, 3000)
    expected = accesses(3000, writes_only=True)
    assert counts_left(device, "update") == [4095 - expected[page] for page in range(PAGES)]


def test_events_come_once_each_in_the_order_of_the_accesses(device):
    seen, order = Counter(), []
    for word, _ in islice(traffic_stream(STREAM), 1000):
        page = word // WORDS_OF_PAGE
        seen[page] += 1
        if seen[page] == 9:
            order.append(page)
    ref_counters.arm(device, "update", setting(0, 0))
    ref_counters.arm(device, "delay", setting(9, MASTER["traffic"]))
    device.waiting()
    run_traffic(device, 1000)
    events = [each for each in device.waiting() if each.name == "count"]
    assert [event.page for event in events] == order
    assert len(order) == PAGES
    unit = ref_counters.get_unit(device)
    assert (unit.events_lost, unit.accesses_lost) == (0, 0)


@pytest.fixture(scope="module")
def replicated(device):
    """The rows of the program's run: the first of an epoch in which it began, the last behind its end."""
    device.request("set_epoch", unit="cycles", length=EPOCH_CYCLES)
    collector = Collector(device)
    for _ in collector.collect(None, [Run("replicate", 1, REPEATS)]):
        pass
    return [SimpleNamespace(**row) for row in collector.pages]


@pytest.fixture(scope="module")
def scenario():
    return read_replicate_scenario(
        ROOT / "host/litemrc_studies/reference_counters/scenarios/baremetal_replicate.toml"
    )


@pytest.fixture(scope="module")
def prediction(scenario):
    return ReplicatePrediction(scenario, REPEATS)


def test_the_program_did_all_its_references_and_kept_its_data(scenario, replicated):
    last = replicated[-1]
    writes = sum(
        each.write for each in replicate_references(scenario, REPEATS) if each.processor == PROCESSOR
    )
    assert last.references == REPEATS * scenario.rounds * scenario.references
    assert last.home == REPEATS * scenario.rounds * scenario.home.accesses
    assert last.remote_writes + last.updates_sent == writes
    assert (last.lost, last.damaged, last.refused) == (0, 0, 0)
    assert last.room == scenario.local_pages
    assert last.replications - last.drops == last.copies
    assert last.drops > 0


def test_the_cost_of_an_access_falls_as_predicted(scenario, prediction, replicated):
    """At the end of every epoch within 10 % of what the simulator says of as many references.

    But for the first rounds: an epoch may end anywhere between those of either master.
    """
    rows = [row for row in replicated if row.references >= FIRST_ROUNDS * scenario.references]
    assert len(rows) >= 5
    for row in rows:
        assert row.cost == pytest.approx(prediction.run(row.references).cycles, rel=0.1)


def test_the_last_accesses_cost_half_of_the_first(replicated):
    """Mean cost in the first epoch and over the last half, of both masters' accesses."""
    first = cost_per_access(vars(replicated[0]))
    middle, last = replicated[len(replicated) // 2], replicated[-1]
    late = (last.cost - middle.cost) / (last.references + last.home - middle.references - middle.home)
    assert late < first / 2


def test_the_misses_of_the_caches_are_the_processors(device):
    """Of a program begun behind all other tests and not waited for: events of its pages, and of them only."""
    everywhere = {"upper": ref_counters.get_unit(device).pages - 1}
    ref_counters.arm(
        device, "update", replace(setting(50, MASTER["remote"] | MASTER["traffic"]), **everywhere)
    )
    ref_counters.arm(device, "delay", replace(setting(50, MASTER["cpu"]), **everywhere))
    device.waiting()
    device.request("run", workload=device.hello.workloads.index("zipf"), context=1, scale=1)
    messages = iter(lambda: device.receive(scaled_timeout(TIMEOUT_S)), None)
    events = list(islice((each for each in messages if each.name == "count"), 5))
    assert len({event.page for event in events}) == 5
    assert {event.counter for event in events} == {"delay"}
    assert [ref_counters.get_count(device, "update", event.page) for event in events] == [50] * 5

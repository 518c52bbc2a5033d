# SPDX-License-Identifier: BSD-2-Clause
"""Two harts of VexRiscv-SMP and the monitor, in the RTL: the curve of the whole system."""

import re
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import pytest
from litemrc.checks.counters import accuracy, balance, compare, model_of, replay
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device
from litemrc.device.running import Run
from litemrc.device.simulation.recording import OPS, Recording, read_recording
from litemrc.device.simulation.simulator import Simulator
from litemrc.epochs.table import EpochTable

from tests.timeouts import scaled_timeout

ROOT = Path(__file__).resolve().parents[2]
SIM = ROOT / "build/sim-smp"
FIRMWARE = ROOT / "build/firmware-smp/firmware.bin"

pytestmark = [
    pytest.mark.soc,
    pytest.mark.skipif(
        not (SIM / "gateware/obj_dir/Vsim").exists() or not FIRMWARE.exists(),
        reason="run make sim-smp; it needs pythondata-cpu-vexriscv-smp, and docs/smp.md says how to get that",
    ),
]

CONTEXT = 0
GROUP_PAGES = 16384 // 64  # 64 MB in 4 KB pages, 64 groups
# First frame and pages of each hart's program, in the order of firmware/baremetal/smp/workloads.c.
PLACES = {
    "zipf_loop": ((0, 2048), (2048, 1536)),
    "phases_chase": ((3584, 1408), (4992, 1024)),
    "shared": ((6016, 2048), (6016, 1536)),
    "loop_alone": ((8064, 0), (8064, 1536)),
}
# Pages that the programs touch on one hart: their misses in `make demo`.
TOUCHED = {"zipf_loop": (2019, 1536), "phases_chase": (1408, 1024)}
# Of workload `claimed`, which runs zipf and loop: first frame, pages claimed, pages touched.
CLAIMED = {1: (9600, 2048, 2019), 2: (11648, 1536, 1536)}


@dataclass(frozen=True)
class Collected:
    table: EpochTable
    recording: Recording


@pytest.fixture(scope="module")
def smp(tmp_path_factory):
    """smp(bootargs="") -> Simulator, not yet started."""
    return lambda bootargs="": Simulator(SIM, FIRMWARE, tmp_path_factory.mktemp("smp") / "run", bootargs)


def collect(smp, workloads):
    """Run workloads one after the other, under context 0 and in epochs of 32,768 accesses."""
    with (
        smp() as simulator,
        Device(simulator.wait_ready(scaled_timeout(30)).url, timeout_s=scaled_timeout(120)) as device,
    ):
        device.request("set_epoch", unit="accesses", length=1 << 15)
        collector = Collector(device)
        for _ in collector.collect(runs=[Run(name, CONTEXT) for name in workloads]):
            pass
        device.request("monitor", on=False)
    return Collected(collector.table(), read_recording(simulator.record, page_shift=12))


@pytest.fixture(scope="module")
def collected(smp):
    """All workloads of one context."""
    return collect(smp, PLACES)


@pytest.fixture(scope="module")
def claimed(smp):
    """The workload whose harts claim their pages, each for a context of its own."""
    return collect(smp, ["claimed"])


def of_frames(recording, first, pages):
    """Accesses to a program's pages, as a mask over the events."""
    inside = (recording.frame >= first) & (recording.frame < first + pages)
    return inside & (recording.op == OPS.index("access"))


def test_the_whole_systems_counters_are_those_of_the_golden_model(collected):
    table, recording = collected.table, collected.recording
    assert recording.tap.exact and recording.tap.accesses > 300_000
    golden = replay(recording, model_of(table))
    comparison = compare(table, golden, recording.tap.accesses)
    assert comparison.equal, comparison.first_difference
    assert table.sum_of_epochs("dropped") == 0
    # Its estimates beside the exact LRU stack.
    (exact,) = accuracy(golden, replay(recording, model_of(table, "group_stack")), GROUP_PAGES)
    assert exact.mean_error < 0.0002 and exact.further_off == 0


def test_every_access_of_the_dram_is_counted_or_dropped(collected):
    account = balance(collected.recording, collected.table)
    assert account.balanced, account.difference
    assert account.counted > 300_000


def test_accesses_of_both_harts_are_in_the_same_epochs(collected):
    """Each program is on its own pages, so a page names its hart; of `shared` it does not."""
    table, recording = collected.table, collected.recording
    for name, expected in TOUCHED.items():
        first, second = (of_frames(recording, *place) for place in PLACES[name])
        both = np.intersect1d(recording.epoch[first], recording.epoch[second])
        assert len(both) >= 3 and set(both) <= set(table.epoch), name
        assert tuple(len(set(recording.frame[seen])) for seen in (first, second)) == expected
        # Concurrently: neighbouring accesses of the two harts alternate, more than once a hundred accesses.
        hart = np.where(second, 1, 0)[first | second]
        assert (hart[1:] != hart[:-1]).mean() > 0.01, name


def test_the_accesses_of_hart_1_do_not_depend_on_hart_0(collected):
    """Its cache is private, and it has no interrupts: the same accesses in the same order."""
    recording = collected.recording
    sequences = []
    for name in ("zipf_loop", "loop_alone"):
        first, pages = PLACES[name][1]
        seen = of_frames(recording, first, pages)
        sequences.append(list(zip(recording.frame[seen] - first, recording.write[seen], strict=True)))
    assert len(sequences[0]) > 100_000
    assert sequences[0] == sequences[1]


def without(recording, events):
    """The recording without the events of a mask."""
    arrays = {
        field.name: getattr(recording, field.name)[~events]
        for field in fields(recording)
        if field.name not in ("settings", "tap")
    }
    return replace(recording, **arrays)


def test_pages_count_in_the_context_that_their_hart_claimed_them_for(claimed):
    """The context register is 0 all the time, and the accesses of both harts alternate."""
    table, recording = claimed.table, claimed.recording
    accesses, claims = (recording.op == OPS.index(op) for op in ("access", "claim"))
    assert set(recording.context[accesses]) == {CONTEXT}
    for context, (first, pages, touched) in CLAIMED.items():
        frames = recording.frame[claims & (recording.context == context)]
        assert frames.tolist() == list(range(first, first + pages))
        rows = table.context == context
        assert table.accesses[rows].sum() == of_frames(recording, first, pages).sum() > 100_000
        assert table.misses[rows].sum() == touched
    assert claims.sum() == sum(pages for _, pages, _ in CLAIMED.values())
    assert table.accesses.sum() == accesses.sum()


def test_the_counters_of_claimed_pages_are_those_of_the_golden_model(claimed):
    table, recording = claimed.table, claimed.recording
    comparison = compare(table, replay(recording, model_of(table)), recording.tap.accesses)
    assert comparison.equal, comparison.first_difference
    assert table.sum_of_epochs("dropped") == 0
    assert balance(recording, table).balanced
    # Without hart 1's claims they are not.
    second = (recording.op == OPS.index("claim")) & (recording.context == 2)
    wrong = without(recording, second)
    assert not compare(table, replay(wrong, model_of(table)), recording.tap.accesses).equal


def test_without_the_second_harts_accesses_the_golden_model_disagrees(collected):
    table, recording = collected.table, collected.recording
    second = of_frames(recording, *PLACES["zipf_loop"][1])
    assert second.sum() > 30_000
    wrong = without(recording, second)
    assert not compare(table, replay(wrong, model_of(table)), recording.tap.accesses).equal
    assert not balance(wrong, table).balanced


def test_no_workload_of_two_harts_is_slowed_by_a_single_cycle(smp):
    cycles = []
    for monitor in (1, 0):
        with smp(f"measure=1 monitor={monitor}") as simulator:
            said = simulator.wait_console("measure: done", scaled_timeout(600))
        cycles.append({name: int(count) for name, count in re.findall(r"measure: (\w+) (\d+) cycles", said)})
    assert sorted(cycles[0]) == sorted(PLACES)
    assert min(cycles[0].values()) > 1_000_000
    assert cycles[0] == cycles[1]

# SPDX-License-Identifier: BSD-2-Clause
"""Range, sampling and freezing, set over serial in the whole SoC: the counters stay those of the model."""

import numpy as np
import pytest
from litemrc.checks.counters import compare, model_of, replay
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device
from litemrc.device.running import Run
from litemrc.device.simulation.recording import OPS, Settings, read_recording

from tests.timeouts import scaled_timeout

pytestmark = pytest.mark.soc
TIMEOUT_S = 120.0


def check(simulator, table):
    """Every counter against the model; every access accounted for. Returns the recording."""
    recording = read_recording(simulator.record, table.page_bytes.bit_length() - 1)
    assert recording.tap.exact
    comparison = compare(table, replay(recording, model_of(table)), recording.tap.accesses)
    assert comparison.equal, comparison.first_difference

    # From here on without the model: what the tap saw after the last clear of each epoch, while not frozen.
    clears = np.flatnonzero(recording.op == OPS.index("clear"))
    fresh = np.arange(recording.op.size) > np.max(np.append(clears, -1))
    for epoch in np.unique(table.epoch):
        events = (recording.epoch == epoch) & ~recording.frozen
        if not (events & ~fresh).any():
            seen = np.isin(recording.op[events], [OPS.index("access"), OPS.index("dropped")]).sum()
            rows = table.epoch == epoch
            counted = int(table.accesses[rows].sum())
            left_out = sum(int(getattr(table, name)[rows][0]) for name in ("outside", "unsampled", "dropped"))
            assert counted + left_out == seen, f"epoch {epoch}"
    return recording


def test_range_and_sampling_set_over_serial_leave_out_what_they_say(soc):
    """zipf has the frames 0 to 2047, loop those from 2048 on: half of the one, an eighth of the other."""
    with (
        soc() as simulator,
        Device(simulator.wait_ready(scaled_timeout(30)).url, timeout_s=scaled_timeout(TIMEOUT_S)) as device,
    ):
        assert device.request("set_range", lower=1024, upper=2239).values == [1024, 2239]
        assert device.request("set_sampling", sampling=2).values == [2, 2]
        device.request("set_epoch", unit="accesses", length=8192)
        collector = Collector(device)
        for _ in collector.collect(runs=[Run("zipf"), Run("loop")]):
            pass
        device.request("monitor", on=False)
    table = collector.table()
    recording = check(simulator, table)
    assert recording.settings[recording.setting[-1]] == Settings(1024, 2239, 2)
    assert table.sum_of_epochs("dropped") == 0
    assert (
        min(table.accesses.sum(), table.sum_of_epochs("outside"), table.sum_of_epochs("unsampled")) > 10_000
    )
    # Every page in range was accessed, so the misses are the pages that take part: about 1 of 4.
    for context, pages in ((1, 1024), (2, 192)):
        assert pages / 4 * 0.8 < table.curve(context).misses < pages / 4 * 1.25
    # Groups of 128 pages, each for 4 of the memory's 8192.
    assert table.curve(1).sizes_pages.tolist() == [512 * (m + 1) for m in range(16)]


def test_sampling_that_changes_in_mid_run_gives_each_epoch_its_own_scale(soc):
    """Epochs are so short that one always waits for the link when the sampling changes."""
    with (
        soc() as simulator,
        Device(simulator.wait_ready(scaled_timeout(30)).url, timeout_s=scaled_timeout(TIMEOUT_S)) as device,
    ):
        device.request("set_epoch", unit="cycles", length=30_000)
        collector = Collector(device)
        epochs = 0
        for message in collector.collect(runs=[Run("matmul")]):
            epochs += message.name == "epoch"
            if message.name == "epoch" and epochs % 6 == 0:
                device.request("set_sampling", sampling=epochs // 6 % 3)
        device.request("monitor", on=False)
    table = collector.table()
    check(simulator, table)
    assert table.scales == [0, 1, 2]
    assert np.count_nonzero(np.diff(table.scale_log2)) > 10


def test_epochs_shorter_than_their_sending_leave_time_to_programs(soc):
    """As much as the sending takes: a third of all, as it leaves caches cold and the link interrupts."""
    with (
        soc() as simulator,
        Device(simulator.wait_ready(scaled_timeout(30)).url, timeout_s=scaled_timeout(TIMEOUT_S)) as device,
    ):
        cycles = {}
        for length in (1 << 22, 1000):
            device.request("set_epoch", unit="cycles", length=length)
            collector = Collector(device)
            for message in collector.collect(runs=[Run("matmul")]):
                if message.name == "event" and message.kind == "workload_done":
                    cycles[length] = message.cycles
    assert collector.epochs > 20
    assert cycles[1000] < 4 * cycles[1 << 22]


def test_a_frozen_monitor_counts_nothing_until_it_is_unfrozen(soc):
    """Single shots during zipf, each armed a while later; during matmul frozen by register now and then."""
    length = 4096
    with (
        soc() as simulator,
        Device(simulator.wait_ready(scaled_timeout(30)).url, timeout_s=scaled_timeout(TIMEOUT_S)) as device,
    ):
        device.request("set_epoch", unit="accesses", length=length)
        device.request("single_shot", on=True)
        device.request("end_epoch")
        device.request("clear")
        device.request("arm")
        collector = Collector(device)
        shots = freezes = 0
        for message in collector.collect(runs=[Run("zipf"), Run("matmul")]):
            if message.name == "event" and message.kind == "workload_done" and message.context == 1:
                assert device.request("single_shot", on=False).values[:2] == [0, 0]
                device.request("arm")
            if message.name != "epoch" or not (counted := message.record.rows["context"].tolist()):
                continue
            if 1 in counted and device.request("get_freeze").values == [0, 1, 1]:
                device.echo_test(4)
                assert device.request("arm").values == [0, 1, 0]
                shots += 1
            elif 5 in counted and freezes < 4:
                assert device.request("freeze", on=True).values == [1, 0, 1]
                device.echo_test(4)
                assert device.request("freeze", on=False).values == [0, 0, 0]
                freezes += 1
        device.request("monitor", on=False)
    assert shots > 3 and freezes == 4
    table = collector.table()
    recording = check(simulator, table)

    access = recording.op == OPS.index("access")
    for context in (1, 5):
        frozen = access & recording.frozen & (recording.context == context)
        assert frozen.sum() > 1000
    # A single shot: what follows the end of an epoch is frozen, and every epoch is whole.
    ends = np.flatnonzero(recording.epoch_end & (recording.context == 1) & ~recording.frozen)
    assert ends.size > 3 and recording.frozen[ends[:-1] + 1].all()
    whole = [int(table.accesses[table.epoch == epoch].sum()) for epoch in recording.epoch[ends[:-1]]]
    assert whole == [length] * len(whole)

# SPDX-License-Identifier: BSD-2-Clause
"""Page bitmap, hot pages and split in the whole SoC: every message is that of the golden models."""

from contextlib import contextmanager
from dataclasses import replace

import pytest
from litemrc.checks.counters import compare, model_of, replay
from litemrc.checks.pages import check_accessed, check_hot, replay_hot
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device
from litemrc.device.errors import RequestRefusedError
from litemrc.device.hot import HotSettings, get_hot, get_page_messages, page_messages, set_hot
from litemrc.device.running import Run
from litemrc.device.simulation.recording import read_recording
from litemrc.epochs.processes import Owner

from tests.timeouts import scaled_timeout

pytestmark = pytest.mark.soc
TIMEOUT_S = 120.0
FRAMES = 8192
EPOCH = 16384
AT_RESET = HotSettings(False, True, True, False, 0, 2, 64, 0, FRAMES - 1, 1)
# Frames 0 to 2047 are those of zipf. Of these accesses about half are sampled.
SETTINGS = HotSettings(True, True, True, True, 1, 20, 40, 3, 4095, 2)


@contextmanager
def running(soc):
    """A simulator, which completes its record at the end of the block, and its device."""
    with (
        soc() as simulator,
        Device(simulator.wait_ready(scaled_timeout(30)).url, timeout_s=scaled_timeout(TIMEOUT_S)) as device,
    ):
        yield simulator, device


def collected(device, runs):
    """The collection of programs, the frames queued, whether some were lost; is frozen for a while."""
    queued, lost, epochs = [], False, 0
    with page_messages(device, accessed=True, hot=True) as messages:
        collector = Collector(device, messages=messages)
        for message in collector.collect(runs=runs):
            if message.name == "queued":
                queued += message.frames
                lost |= message.overflow
            if message.name != "epoch":
                continue
            epochs += 1
            if epochs == 3:
                device.request("freeze", on=True)
                device.echo_test(8)
                device.request("freeze", on=False)
        device.request("monitor", on=False)
    return collector, queued, lost


def test_bitmaps_lists_queue_and_split_counters_are_those_of_the_golden_models(soc):
    with running(soc) as (simulator, device):
        assert (device.hello.page_bitmap, device.hello.hot_pages) == (True, 64)
        device.request("set_epoch", unit="accesses", length=EPOCH)
        device.request("set_split", on=True)
        device.request("set_range", lower=16, upper=FRAMES - 1)
        assert set_hot(device, SETTINGS) == SETTINGS
        collector, queued, lost = collected(device, [Run("zipf", 1), Run("matmul", 3)])

    table = collector.table()
    recording = read_recording(simulator.record, device.hello.page_shift)
    comparison = compare(table, replay(recording, model_of(table)), recording.counts()["access"])
    assert recording.tap.exact and comparison.equal, comparison.first_difference
    assert table.split.all() and {1, 5, 3, 7} <= set(table.context.tolist())
    for owner in (Owner(1), Owner(3)):
        parts = [table.counters(part) for part in table.parts_of(owner)]
        assert min(part.accesses for part in parts) > 1000 and len(parts) == 2
        assert sum(part.accesses for part in parts) == table.curve(owner).accesses
    assert recording.frozen.any()

    epochs = list(dict.fromkeys(table.epoch.tolist()))
    accessed = check_accessed(recording, collector.accessed, FRAMES)
    assert (accessed.difference, accessed.epochs) == ("", len(epochs))
    written = [epoch for epoch in collector.accessed if any(epoch.written)]
    assert len(written) > 3 and any(epoch.accessed != epoch.written for epoch in written)
    assert not any(epoch.accessed[0] or epoch.accessed[1] for epoch in written), "frames out of range"

    golden = replay_hot(recording, SETTINGS, FRAMES)
    lists = check_hot(golden, collector.hot)
    assert (lists.difference, lists.epochs) == ("", len(epochs))
    assert any(row.more and len(row.frames) == SETTINGS.wanted for row in collector.hot)
    remaining = iter(golden.queued)
    assert len(queued) > 40 and all(frame in remaining for frame in queued), (
        "in the order of the golden model"
    )
    assert lost or queued == golden.queued[: len(queued)]
    assert collector.link_statistics["epoch_messages_lost"] == 0


def test_settings_that_the_gateware_does_not_have_are_refused(soc):
    with running(soc) as (_, device):
        assert get_hot(device) == AT_RESET
        assert device.request("get_page_messages").values == [0, 0, 0x40000, 0]
        for change in (
            {"reads": False, "writes": False}, {"lower": 9, "upper": 8}, {"upper": FRAMES}, {"wanted": 0},
            {"wanted": 65}, {"watermark": 0}, {"watermark": 17}, {"threshold": 0}, {"threshold": 1 << 20},
        ):  # fmt: skip
            with pytest.raises(RequestRefusedError) as refused:
                set_hot(device, replace(AT_RESET, **change))
            assert refused.value.code == "bad_argument" and get_hot(device) == AT_RESET
        device.request("set_split", on=True)
        for name, values in (
            ("set_context", {"context": 4}),
            ("run", {"workload": 0, "context": 4, "scale": 1}),
            ("run", {"workload": 5, "context": 3, "scale": 1}),  # its second task would have context 4
        ):
            with pytest.raises(RequestRefusedError, match="writes count in the upper half"):
                device.request(name, **values)
        device.request("set_split", on=False)
        device.request("run", workload=4, context=5, scale=1)
        with pytest.raises(RequestRefusedError, match="would own no pages") as refused:
            device.request("set_split", on=True)
        assert refused.value.code == "busy"


def test_settings_that_change_in_mid_run_hold_from_the_next_epoch_on(soc):
    """Epochs are so short that one often waits for the link when the settings change."""
    with running(soc) as (simulator, device):
        device.request("set_epoch", unit="cycles", length=40_000)
        with page_messages(device, accessed=True, hot=True) as messages:
            assert get_page_messages(device).hot
            collector = Collector(device, messages=messages)
            changes = 0
            for message in collector.collect(runs=[Run("matmul", 1)]):
                if message.name == "epoch" and message.epoch % 4 == 0:
                    changes += 1
                    device.request("set_split", on=changes % 2 == 1)
                    set_hot(device, replace(AT_RESET, enable=changes % 3 != 0))
            device.request("monitor", on=False)
    table = collector.table()
    recording = read_recording(simulator.record, device.hello.page_shift)
    comparison = compare(table, replay(recording, model_of(table)), recording.counts()["access"])
    assert comparison.equal, comparison.first_difference
    assert 0 < table.split.sum() < table.split.size and changes > 6
    accessed = check_accessed(recording, collector.accessed, FRAMES)
    assert accessed.difference == "" and accessed.epochs > 20
    lists = check_hot(replay_hot(recording, AT_RESET, FRAMES), collector.hot)
    assert lists.difference == "" and 5 < lists.epochs < accessed.epochs

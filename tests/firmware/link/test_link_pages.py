# SPDX-License-Identifier: BSD-2-Clause
"""Single pages over the link: frames accessed and hot pages as parts of each epoch's record."""

from dataclasses import replace

import numpy as np
import pytest
from litemrc.device.collecting.collector import Collector
from litemrc.device.collecting.page_epochs import hot_list
from litemrc.device.device import Device
from litemrc.device.errors import DeviceFaultError, RequestRefusedError
from litemrc.device.hot import HotSettings, get_hot, get_page_messages, page_messages, set_hot

from tests.firmware.link.link_messages import accessed_of, hot_of
from tests.records import make_record

AT_BOOT = HotSettings(False, True, True, False, 0, 2, 128, 0, 8191, 1)
ON = replace(AT_BOOT, enable=True)
FAULT_EPOCH = 5


def collected(device, epochs):
    with page_messages(device, accessed=True, hot=True) as messages:
        collector = Collector(device, messages=messages)
        names = [message.name for message in collector.collect(epochs)]
    return collector, names


@pytest.fixture
def device(start_peer):
    with Device(start_peer(pages=1, epochs=500, period_ms=2).url) as device:
        yield device


def test_hello_says_what_the_device_has(start_peer, device):
    assert (device.hello.page_bitmap, device.hello.hot_pages) == (True, 128)
    with Device(start_peer().url) as plain:
        assert (plain.hello.page_bitmap, plain.hello.hot_pages) == (False, 0)


def test_after_boot_a_device_sends_neither(device):
    assert not any((get_page_messages(device).accessed, get_page_messages(device).hot))
    for message in Collector(device).collect(5):
        assert (message.record.accessed, message.record.written, message.record.hot) == (None, None, None)


def test_every_epoch_has_its_frames_and_its_hot_pages(device):
    set_hot(device, ON)
    collector, names = collected(device, 20)

    epochs = np.unique(collector.table().epoch).tolist()
    assert [epoch.epoch for epoch in collector.accessed] == epochs and len(epochs) == 20
    for epoch in collector.accessed:
        assert (epoch.accessed, epoch.written) == accessed_of(epoch.epoch)
    assert list(collector.hot) == [hot_of(epoch) for epoch in epochs]
    assert names == ["epoch"] * 20
    assert not get_page_messages(device).accessed, "as before"


def test_a_monitor_that_is_off_has_parts_without_a_bit(device):
    set_hot(device, ON)
    device.request("monitor", on=False)
    device.waiting()
    collector, _ = collected(device, 3)
    assert [(epoch.accessed, epoch.written) for epoch in collector.accessed] == [(bytes(1024),) * 2] * 3
    assert [(row.frames, row.counts) for row in collector.hot] == [((), ())] * 3


def test_an_epoch_that_was_lost_is_left_out_and_the_loss_is_counted(start_peer):
    with Device(start_peer(pages=1, epochs=100, period_ms=50, fault="hole").url) as device:
        set_hot(device, ON)
        collector, _ = collected(device, 12)
    epochs = set(collector.table().epoch.tolist())
    assert min(epochs) < FAULT_EPOCH < max(epochs), "no hole, no test"
    assert {epoch.epoch for epoch in collector.accessed} == epochs
    assert {row.epoch for row in collector.hot} == epochs
    assert FAULT_EPOCH not in epochs
    statistics = collector.link_statistics
    assert (statistics["epoch_messages_lost"], statistics["lost"]) == (1, 1)


def test_under_noise_every_epoch_that_is_kept_is_right(start_peer):
    with Device(start_peer(pages=1, epochs=5000, period_ms=3, noise=300, seed=3).url, timeout_s=2) as device:
        set_hot(device, ON)
        collector, _ = collected(device, 150)
    assert collector.link_statistics["epoch_messages_lost"] > 0, "no noise, no test"
    assert len(collector.accessed) == len(collector.hot) == 150
    for epoch in collector.accessed:
        assert (epoch.accessed, epoch.written) == accessed_of(epoch.epoch)
    for row in collector.hot:
        assert row == hot_of(row.epoch)


def test_hot_settings_that_are_set_are_those_in_force(device):
    assert get_hot(device) == AT_BOOT
    settings = HotSettings(True, False, True, True, 7, 1000, 5, 16, 4095, 16)
    assert set_hot(device, settings) == settings == get_hot(device)
    rows = collected(device, 3)[0].hot
    assert list(rows) == [hot_of(row.epoch, 5) for row in rows] and any(row.more for row in rows)


def test_a_device_without_page_bitmap_and_hot_pages_is_named(start_peer):
    with (
        Device(start_peer().url) as device,
        pytest.raises(RequestRefusedError, match="the device has no page bitmap or no hot pages"),
    ):
        collected(device, 1)


def test_pages_that_become_hot_are_reported_at_once(device):
    set_hot(device, replace(ON, always_on=True))
    device.waiting()
    found = []
    while len(found) < 8:
        message = device.receive(5)
        if message.name == "queued":
            found.append(message)
    assert [message.index for message in found] == list(range(8))
    first = found[0].frames[0]
    assert [message.frames for message in found] == [[first + n, first + n + 1] for n in range(8)]
    assert [message.overflow for message in found] == [(first + n) % 4 == 3 for n in range(8)]


def test_split_epochs_say_so_and_writes_have_rows_of_their_own(device):
    assert device.request("set_split", on=True).values == [1] == device.request("get_split").values
    with pytest.raises(RequestRefusedError, match="bad_argument"):
        device.request("set_context", context=4)
    device.waiting()
    collector = Collector(device)
    for _ in collector.collect(3):
        pass
    table = collector.table()
    assert table.split.all()
    assert sorted(set(table.context.tolist())) == [1, 2, 5, 6]
    assert table.contexts_with_data == [1, 2]
    device.request("set_split", on=False)
    assert device.request("get_split").values == [0]


def record_of(pages=((3, 5), (2, 4)), accesses=9):
    """The record of an epoch with these hot pages."""
    parts = {"hot": [{"frame": frame, "count": count} for frame, count in pages]}
    return make_record(groups=64, parts=parts, epoch=1, hot_accesses=accesses)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (record_of(pages=[(3, 4), (2, 5)]), "ascend"),
        (record_of(pages=[(3, 5), (3, 4)]), "twice"),
        (record_of(accesses=8), "9 of 8 accesses"),
    ],
)
def test_hot_pages_that_contradict_each_other_are_refused(record, said):
    with pytest.raises(ValueError, match=said):
        assert not hot_list(record)
    assert hot_list(record_of())


def test_a_device_that_sends_such_a_record_sends_nonsense(device, monkeypatch):
    monkeypatch.setattr(
        "litemrc.device.collecting.collector.hot_list", lambda record: hot_list(record_of(accesses=8))
    )
    set_hot(device, ON)
    with pytest.raises(DeviceFaultError, match="9 of 8 accesses"):
        collected(device, 10)

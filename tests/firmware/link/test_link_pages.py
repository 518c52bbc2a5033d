# SPDX-License-Identifier: BSD-2-Clause
"""Single pages over the link: frames accessed and hot pages of each epoch, whole or counted as lost."""

from dataclasses import asdict, replace
from itertools import pairwise

import pytest
from litemrc.device.collecting.collector import Collector
from litemrc.device.collecting.page_epochs import accessed_epochs, hot_lists
from litemrc.device.device import Device
from litemrc.device.errors import DeviceFaultError, RequestRefusedError
from litemrc.device.hot import HotSettings, get_hot, get_page_messages, page_messages, set_hot
from litemrc.device.link.protocol import device_messages

from tests.firmware.link.link_messages import accessed_of, hot_of

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
    with Device.open(start_peer(pages=1, epochs=500, period_ms=2).url) as device:
        yield device


def test_hello_says_what_the_device_has(start_peer, device):
    assert (device.hello.page_bitmap, device.hello.hot_pages) == (True, 128)
    with Device.open(start_peer().url) as plain:
        assert (plain.hello.page_bitmap, plain.hello.hot_pages) == (False, 0)


def test_after_boot_a_device_sends_neither(device):
    assert not any((get_page_messages(device).accessed, get_page_messages(device).hot))
    assert {message.name for message in Collector(device).collect(5)} == {"epoch"}


def test_every_epoch_is_followed_by_its_frames_and_then_its_hot_pages(device):
    set_hot(device, ON)
    collector, names = collected(device, 20)

    epochs = list(dict.fromkeys(row.epoch for row in collector.rows))
    assert [epoch.epoch for epoch in collector.accessed.whole] == epochs and len(epochs) == 20
    for epoch in collector.accessed.whole:
        assert (epoch.accessed, epoch.written) == accessed_of(epoch.epoch)
    assert list(collector.hot.whole) == [hot_of(epoch) for epoch in epochs]
    assert collector.accessed.lost == collector.hot.lost == 0
    follows = {("epoch", "epoch"), ("epoch", "accessed"), ("accessed", "accessed"), ("accessed", "hot")}
    follows |= {("hot", "hot"), ("hot", "epoch")}
    assert set(pairwise(names)) == follows
    assert not get_page_messages(device).accessed, "as before"


def test_a_monitor_that_is_off_sends_one_message_without_a_bit(device):
    set_hot(device, ON)
    device.request("monitor", on=False)
    device.waiting()
    collector, names = collected(device, 3)
    assert [(epoch.accessed, epoch.written) for epoch in collector.accessed.whole] == [(bytes(1024),) * 2] * 3
    assert [(row.frames, row.counts) for row in collector.hot.whole] == [((), ())] * 3
    assert names == ["epoch", "accessed", "hot"] * 3


def test_an_epoch_of_which_a_message_was_lost_is_left_out_and_the_loss_is_counted(start_peer):
    with Device.open(start_peer(pages=1, epochs=100, period_ms=50, fault="hole").url) as device:
        set_hot(device, ON)
        collector, _ = collected(device, 12)
    epochs = {row.epoch for row in collector.rows}
    assert FAULT_EPOCH in epochs, "no hole, no test"
    assert {epoch.epoch for epoch in collector.accessed.whole} == epochs - {FAULT_EPOCH}
    assert {row.epoch for row in collector.hot.whole} == epochs - {FAULT_EPOCH}
    assert (collector.accessed.lost, collector.hot.lost) == (1, 1)


def test_under_noise_every_epoch_that_is_kept_is_right(start_peer):
    with Device.open(
        start_peer(pages=1, epochs=5000, period_ms=3, noise=300, seed=3).url, timeout_s=2
    ) as device:
        set_hot(device, ON)
        collector, _ = collected(device, 150)
    assert collector.accessed.lost + collector.hot.lost > 0, "no noise, no test"
    assert 20 < len(collector.accessed.whole) < 150
    for epoch in collector.accessed.whole:
        assert (epoch.accessed, epoch.written) == accessed_of(epoch.epoch)
    for row in collector.hot.whole:
        assert row == hot_of(row.epoch)


def test_hot_settings_that_are_set_are_those_in_force(device):
    assert get_hot(device) == AT_BOOT
    settings = HotSettings(True, False, True, True, 7, 1000, 5, 16, 4095, 16)
    assert set_hot(device, settings) == settings == get_hot(device)
    rows = collected(device, 3)[0].hot.whole
    assert list(rows) == [hot_of(row.epoch, 5) for row in rows] and any(row.more for row in rows)


@pytest.mark.parametrize(
    "change",
    [
        {"reads": False, "writes": False}, {"lower": 9, "upper": 8}, {"upper": 8192}, {"wanted": 0},
        {"wanted": 129}, {"watermark": 0}, {"watermark": 17}, {"threshold": 0}, {"threshold": 1 << 20},
        {"sampling_log2": 16},
    ],
)  # fmt: skip
def test_hot_settings_that_the_hardware_does_not_have_are_refused_and_change_nothing(device, change):
    with pytest.raises(RequestRefusedError) as refused:
        set_hot(device, replace(ON, **change))
    assert refused.value.code == "bad_argument"
    assert get_hot(device) == AT_BOOT


def test_without_page_bitmap_and_hot_pages_every_request_about_them_is_refused(start_peer):
    with Device.open(start_peer().url) as device:
        for name, values in (
            ("get_hot", {}),
            ("set_hot", asdict(ON)),
            ("set_page_messages", {"accessed": True, "hot": False}),
            ("set_page_messages", {"accessed": False, "hot": True}),
        ):
            with pytest.raises(RequestRefusedError) as refused:
                device.request(name, **values)
            assert refused.value.code == "unsupported", name
        with pytest.raises(RequestRefusedError, match="the device has no page bitmap or no hot pages"):
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


def accessed(**changes):
    fields = {
        "index": 0,
        "epoch": 1,
        "piece": 0,
        "remaining": 0,
        "first": 0,
        "accessed": b"\3",
        "written": b"",
    }
    return device_messages().new("accessed", **fields | changes)


def hot(**changes):
    fields = {"index": 0, "epoch": 1, "piece": 0, "remaining": 0, "accesses": 9, "more": False}
    return device_messages().new(
        "hot", **fields | {"saturated": False, "frames": [3, 2], "counts": [5, 4]} | changes
    )


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([accessed(written=b"\4")], "written, but not accessed"),
        ([accessed(first=1)], "bits of frame 1"),
        ([accessed(first=8192)], "8200 frames of 8192"),
        ([accessed(first=1024, remaining=1), accessed(piece=1)], "bits of frame 0 follow"),
        ([hot(frames=[3])], "1 hot pages have 2 counts"),
        ([hot(counts=[4, 5])], "ascend"),
        ([hot(frames=[3, 3])], "twice"),
        ([hot(accesses=8)], "9 of 8 accesses"),
        ([hot(frames=[3, 8192])], "hot frame 8192 of 8192"),
    ],
)
def test_messages_that_contradict_each_other_are_refused(messages, said):
    epochs = (accessed_epochs if messages[0].name == "accessed" else hot_lists)(8192)
    with pytest.raises(ValueError, match=said):
        for message in messages:
            epochs.note(message)
    assert not epochs.whole


def test_a_device_that_sends_such_a_message_sends_nonsense(device, monkeypatch):
    monkeypatch.setattr("litemrc.device.collecting.collector.hot_lists", lambda frames: hot_lists(2))
    set_hot(device, ON)
    with pytest.raises(DeviceFaultError, match="hot frame"):
        collected(device, 10)

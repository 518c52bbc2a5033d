# SPDX-License-Identifier: BSD-2-Clause
"""Single pages over a bridge: frames accessed, hot pages and their settings, the split."""

from contextlib import contextmanager
from dataclasses import asdict, replace

import pytest
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device
from litemrc.device.errors import RequestRefusedError
from litemrc.device.hot import HotSettings, get_hot, get_page_messages, page_messages, set_hot

from tests.host.device.bridge.fake_soc import FRAMES, FakeSoC, frames_of, hot_of, served
from tests.timeouts import scaled_timeout

SETTINGS = HotSettings(1, True, False, True, 3, 9, 100, 4, 40, 5)


@pytest.fixture
def soc():
    return FakeSoC(pages=True)


def bits(frames):
    return sum(1 << frame for frame in frames).to_bytes(FRAMES // 8, "little")


def end_epochs_when_released(soc):
    def before_read(address):
        if address == soc.places["mrc_status"][0] and not soc.get("mrc_status", "epoch_ready"):
            soc.end_epoch()

    soc.before_read = before_read


def test_the_frames_of_each_epoch_follow_it_once_they_are_selected(soc, device):
    end_epochs_when_released(soc)
    with page_messages(device, accessed=True) as messages:
        assert (messages.accessed, messages.hot, messages.base_address) == (True, False, 0x4000_0000)
        collector = Collector(device, messages=messages)
        names = [message.name for message in collector.collect(6)]
    assert names == ["epoch"] * 6
    assert {epoch.epoch % 4 for epoch in collector.accessed} == {0, 1, 2, 3}
    for epoch in collector.accessed:
        accessed, written = frames_of(epoch.epoch)
        assert (epoch.accessed, epoch.written) == (bits(accessed), bits(written))
    assert not get_page_messages(device).accessed, "as before"


def test_the_list_of_each_epoch_comes_while_hot_pages_are_on(soc, device):
    end_epochs_when_released(soc)
    with page_messages(device, hot=True, accessed=True) as messages:
        collector = Collector(device, messages=messages)
        list(collector.collect(2))
        assert not collector.hot and len(collector.accessed) == 2
        soc.set("mrc_hot_control", enable=1)
        list(collector.collect(5))
    assert {len(each.frames) for each in collector.hot} == {0, 30, 60}
    for each in collector.hot:
        listed = hot_of(each.epoch)
        assert list(zip(each.frames, each.counts, strict=True)) == listed
        assert (each.accesses, each.more) == (500 * len(listed) + each.epoch, each.epoch % 2 == 1)
        assert not each.saturated


def test_settings_are_registers_and_are_changed_while_the_monitor_is_off_and_cleared(soc, device):
    soc.set("mrc_control", enable=1)
    words = []
    soc.on_write = lambda address, word: words.append(
        (soc.get("mrc_control", "enable"), next(n for n, (a, _) in soc.places.items() if a == address))
    )
    assert set_hot(device, SETTINGS) == SETTINGS == get_hot(device)
    fields = ("enable", "reads", "writes", "always_on", "sampling_log2")
    assert [soc.get("mrc_hot_control", name) for name in fields] == [1, 1, 0, 1, 3]
    assert soc.get("mrc_hot_threshold") == 9
    assert {on for on, name in words if name.startswith("mrc_hot")} == {0}
    assert words[-1] == (1, "mrc_control") and (0, "mrc_command") in words


@pytest.mark.parametrize(
    "change",
    [
        {"reads": False}, {"lower": 41}, {"upper": 64}, {"wanted": 0}, {"wanted": 129}, {"watermark": 0},
        {"watermark": 17}, {"threshold": 0},
    ],
)  # fmt: skip
def test_what_the_hardware_does_not_have_is_refused_and_changes_nothing(soc, device, change):
    before = get_hot(device)
    with pytest.raises(RequestRefusedError) as refused:
        set_hot(device, replace(SETTINGS, **change))
    assert refused.value.code == "bad_argument"
    assert get_hot(device) == before


def test_queued_pages_are_reported_and_removed(soc, device):
    set_hot(device, SETTINGS)
    soc.hot(3, 60, 3, overflow=True)
    message = device.receive(scaled_timeout(5))
    assert (message.name, message.frames, message.overflow, message.index) == ("queued", [3, 60, 3], 1, 0)
    assert not soc.queue and not soc.get("mrc_hot_status", "queue_overflow")
    soc.hot(*range(20))
    assert [len(device.receive(scaled_timeout(5)).frames) for _ in range(2)] == [16, 4]


def test_pages_queued_with_other_settings_are_dropped(soc, device):
    soc.hot(1, 2)
    set_hot(device, SETTINGS)
    assert not soc.queue
    assert device.receive(0) is None


def test_the_split_is_a_bit_of_control_that_every_epoch_carries(soc, device):
    soc.set("mrc_control", enable=1)
    assert device.request("get_split").values == [0]
    assert device.request("set_split", on=True).values == [1] == device.request("get_split").values
    assert (soc.get("mrc_control", "split"), soc.get("mrc_control", "enable")) == (1, 1)
    end_epochs_when_released(soc)
    collector = Collector(device)
    list(collector.collect(1))
    assert collector.counts[0][["context", "split"]].tolist() == [(0, True), (1, True)]
    with pytest.raises(RequestRefusedError, match="writes count in the upper half"):
        device.request("set_context", context=1)
    device.request("set_split", on=False)
    device.request("set_context", context=1)
    with pytest.raises(RequestRefusedError, match="would own no pages") as refused:
        device.request("set_split", on=True)
    assert refused.value.code == "busy"


@contextmanager
def plain_device(tmp_path):
    with served(FakeSoC(), tmp_path) as url, Device(url, timeout_s=scaled_timeout(5)) as device:
        yield device


def test_a_monitor_without_them_says_so(tmp_path):
    with plain_device(tmp_path) as device:
        assert (device.hello.page_bitmap, device.hello.hot_pages) == (False, 0)
        for name, values, part in (
            ("get_hot", {}, "hot pages"),
            ("set_hot", asdict(SETTINGS), "hot pages"),
            ("set_page_messages", {"accessed": True, "hot": False}, "page bitmap"),
            ("set_page_messages", {"accessed": False, "hot": True}, "hot pages"),
        ):
            with pytest.raises(RequestRefusedError, match=f"the gateware has no {part}") as refused:
                device.request(name, **values)
            assert refused.value.code == "unsupported"
        assert device.request("get_page_messages").values == [0, 0, 0x40000, 0]

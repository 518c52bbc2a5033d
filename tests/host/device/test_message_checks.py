# SPDX-License-Identifier: BSD-2-Clause
"""A hello that no device can mean, and messages that contradict it, are named by field and value."""

import pytest
from litemrc.device.errors import DeviceFaultError, DeviceGoneError
from litemrc.device.hot import get_page_messages
from litemrc.device.rank_commands import get_dram, get_policy
from litemrc.device.ref_counters import get_traffic, get_unit

from tests.host.scripted_device import ScriptedLink, ack, counted, device_at, ended, hello, told


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"page_shift": 63}, r"page_shift of its hello must be at most 30 \(got 63\)"),
        ({"page_shift": 255}, r"page_shift of its hello must be at most 30 \(got 255\)"),
        ({"page_shift": 31}, r"\(got 31\)"),
        ({"clock_hz": 0}, r"clock_hz of its hello must be at least 1 \(got 0\)"),
        ({"clock_hz": 0, "ranks": 4, "rank_power": True}, "clock_hz"),
        (
            {"frames": 2**32 - 1, "page_bitmap": True},
            r"frames of its hello .* page_bitmap \(got 4294967295\)",
        ),
        ({"frames": 2**24 + 8, "page_bitmap": True}, r"multiple of 8 up to 16777216.*\(got 16777224\)"),
        ({"frames": 68, "page_bitmap": True}, r"\(got 68\)"),
        ({"frames": 0}, "0 frames, 64 pages in 4 groups"),
        ({"pages": 0}, "64 frames, 0 pages in 4 groups"),
        ({"pages": 128}, "64 frames, 128 pages in 4 groups"),
        ({"groups": 3}, "64 frames, 64 pages in 3 groups"),
        ({"groups": 256}, "64 frames, 64 pages in 256 groups"),
        ({"groups": 0}, r"groups of its hello must be 1 to 256 \(got 0\)"),
        ({"groups": 257, "frames": 257, "pages": 257}, "groups of its hello must be 1 to 256"),
        ({"contexts": 0}, "contexts of its hello must be 1 to 256"),
        ({"contexts": 257}, r"contexts of its hello must be 1 to 256 \(got 257\)"),
        ({"ranks": 256}, "ranks of its hello must be 0 to 255"),
        ({"rank_power": True}, "ranks of its hello must be at least 1"),
        ({"running": 4}, "running of its hello is 0x4, and it has 2 programs"),
        ({"running": 255, "workloads": []}, "it has 0 programs"),
        ({"workloads": ["zipf", "zipf"]}, "a name twice: zipf, zipf"),
    ],
)
def test_a_hello_of_nonsense_is_named(changes, why, monkeypatch):
    with pytest.raises(DeviceFaultError, match=f"the device sent nonsense: .*{why}"):
        device_at(ScriptedLink(hello=lambda **_: hello(**changes)), monkeypatch)


@pytest.mark.parametrize(
    "changes",
    [
        {"page_shift": 30, "frames": 2**32 - 1, "pages": 64},
        {"frames": 2**24, "pages": 64, "page_bitmap": True},
        {"running": 3},
        {"groups": 64, "contexts": 1},
    ],
)
def test_a_hello_within_the_limits_is_taken(changes, monkeypatch):
    device = device_at(ScriptedLink(hello=lambda **_: hello(**changes)), monkeypatch)
    assert device.hello.page_shift == changes.get("page_shift", 12)


@pytest.mark.parametrize(
    "changes", [{"groups": 8}, {"clock_hz": 5}, {"frames": 128}, {"workloads": ["zipf"]}]
)
def test_parameters_do_not_change_within_a_session(changes, monkeypatch):
    link = ScriptedLink()
    device = device_at(link, monkeypatch)
    link.answers["hello"] = lambda **_: hello(running=1, epoch=7)
    assert device.say_hello().running == 1
    link.answers["hello"] = lambda **_: hello(**changes)
    with pytest.raises(DeviceGoneError, match=f"restarted as another: {next(iter(changes))} was"):
        device.say_hello()


EVERYTHING = {"page_bitmap": True, "frames": 4096, "pages": 4096, "hot_pages": 128, "ranks": 2, "contexts": 2}


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (ended(0, counted(2, 1)), "epoch 0: a row of context 2 of 2"),
        (told("event", kind="workload_started", workload=2), "program 2 of 2"),
        (told("event", kind="workload_done", workload=1, context=2), "a program in context 2 of 2"),
        (ended(0, tasks=[{"context": 255}]), "a task of context 255 of 2"),
        (ended(0, copies=[{"context": 2}]), "a program with copies of context 2 of 2"),
        (ended(0, ranks=[{}, {}, {}]), "epoch 0 with 3 ranks of 2"),
        (ended(0, ranks=[{"cycles": 10}, {"cycles": 11}]), "epoch 0: 10 and 11 clocks of its ranks"),
        (ended(0, accessed=bytes(512)), "bits of 0 frames of 4096"),
        (ended(0, written=bytes(512)), "bits of 0 frames of 4096"),
        (ended(0, accessed=bytes(516), written=bytes(512)), "bits of 4128 frames of 4096"),
        (ended(0, accessed=bytes(512), written=bytes(508)), "bits of 4064 frames of 4096"),
        (ended(0, accessed=bytes(512), written=b"\4" + bytes(511)), "a frame was written, but not accessed"),
        (ended(0, hot=[{"frame": n} for n in range(129)]), "129 hot pages, and its hello has 128"),
        (ended(0, hot=[{"frame": 4096}]), "hot frame 4096 of 4096"),
        (told("queued", frames=[1, 4096]), "queued frame 4096 of 4096"),
        (hello(**EVERYTHING | {"page_shift": 63}), "page_shift of its hello"),
    ],
)
def test_a_message_that_contradicts_its_hello_is_named(message, why, monkeypatch):
    link = ScriptedLink(hello=lambda **_: hello(**EVERYTHING))
    device = device_at(link, monkeypatch)
    link.inbox.append(message)
    with pytest.raises(DeviceFaultError, match=f"the device sent nonsense: .*{why}"):
        device.receive(1)
    link.inbox.append(message)
    device.request("monitor", on=True)
    with pytest.raises(DeviceFaultError, match=why):  # one that came before an answer
        device.waiting()


def test_pages_of_a_device_without_them_are_named(monkeypatch):
    link = ScriptedLink()
    device = device_at(link, monkeypatch)
    for message, why in (
        (ended(0, accessed=bytes(8), written=bytes(8)), "bits of 64 frames of 64"),
        (ended(0, hot=[{"frame": 1, "count": 1}]), "1 hot pages, and its hello has 0"),
    ):
        link.inbox.append(message)
        with pytest.raises(DeviceFaultError, match=why):
            device.receive(1)


@pytest.mark.parametrize(
    ("request_name", "ask", "values", "why"),
    [
        ("get_dram", get_dram, (2, 0, 1, 0, 4, 0), "with 0 chips each"),
        ("get_dram", get_dram, (2, 0, 1, 2, 0, 0), "0 DRAM cycles per cycle"),
        ("get_dram", get_dram, (0, 0, 1, 2, 4, 0), "a DRAM of 0 of 2 ranks"),
        ("get_dram", get_dram, (2**32 - 1, 0, 1, 2, 4, 0), "a DRAM of 4294967295 of 2 ranks"),
        ("get_dram", get_dram, (2, 0, 1, 2, 4, 8), "part 8 retained"),
        ("get_rank_policy", get_policy, (9, 3, 3, 0, 0, 0), "policy of set_rank_policy is 9"),
        ("get_traffic", get_traffic, (0, 2**32 - 1, 4), "words of 2.4294967295 bytes"),
        ("get_traffic", get_traffic, (0, 2, 40), "2.40 words"),
        ("get_ref_counters", get_unit, (8, 255, 8, 3, 8, 0, 0), "pages of 2.255 bytes"),
        ("get_ref_counters", get_unit, (8, 12, 8, 2**32 - 1, 8, 0, 0), "4294967295 masters"),
        ("get_page_messages", get_page_messages, (0, 0, 0, 2**32 - 1), "frame 0 is page 0xffffffff00000000"),
    ],
)
def test_answers_of_nonsense_are_named(request_name, ask, values, why, monkeypatch):
    link = ScriptedLink(hello=lambda **_: hello(ranks=2), **{request_name: lambda **_: ack(*values)})
    device = device_at(link, monkeypatch)
    with pytest.raises(DeviceFaultError, match=f"the device sent nonsense: .*{why}"):
        ask(device)


def test_a_device_that_never_answers_does_not_fill_the_memory(monkeypatch):
    """2^27 bytes at most wait; a message counts as 1 KiB, and the bytes of its record."""

    class Flood(ScriptedLink):
        given = 0

        def receive(self, timeout_s):
            if not self.flooding:
                return super().receive(timeout_s)
            self.given += 1
            return told_epoch

    told_epoch = ended(0, counted(0, *[1] * 256), groups=256)
    link = Flood()
    link.flooding = False
    device = device_at(link, monkeypatch)
    link.flooding = True
    with pytest.raises(DeviceFaultError, match="messages, and no answer to get_epoch"):
        device.request("get_epoch")
    assert link.given == (1 << 27) // (1024 + len(told_epoch.record.payload)) + 1

# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc.Device` and `litemrc.collect` at a device without a port: what is asked for, set and returned."""

import litemrc
import pytest
from litemrc.device.running import Run

from tests.host.scripted_device import ScriptedLink, ack, counted, ended, hello, opened_at, told

ON = ("monitor", {"on": True})


@pytest.fixture
def opened(monkeypatch):
    """opened(epochs, **hello) -> the link of the device that is opened next; it sends so many epochs."""

    def opened(epochs=0, **parameters):
        def say_hello():
            if ON in link.sent:
                link.behind["hello"] = [epoch(number) for number in range(epochs)]
            return hello(**parameters)

        link = ScriptedLink(hello=say_hello, get_epoch=lambda: ack(1, 500))
        link.answers["set_epoch"] = lambda unit, length: ack(1, length)
        opened_at(link, monkeypatch)
        return link

    return opened


def epoch(number, context=1):
    return ended(number, counted(context, 2, 1, misses=1))


def test_a_device_says_what_it_is(opened):
    link = opened(page_shift=10, frames=3 << 11, workloads=["zipf", "a\x1bb"])
    with litemrc.Device("usb") as device:
        assert (device.url, device.page_bytes, device.memory_bytes) == ("test:", 1024, 6 << 20)
        assert device.programs == ("zipf", "a?b")
        assert repr(device) == "<Device test:: 6 MiB in pages of 1,024 bytes, programs: zipf, a?b>"
        assert link.ports == [("usb", 115200, {"take": False})]
        assert device.timeout_s == 10
    assert link.ports[1:] == ["closed"]
    opened(workloads=[])
    assert repr(litemrc.Device("usb")).endswith("programs: none>")


def test_curves_are_those_of_the_epochs_asked_for(opened):
    link = opened(3)
    curves = litemrc.collect("usb", 2)
    assert list(curves) == ["context 1"]
    assert curves["context 1"].miss_ratio.tolist() == [2 / 4, 1 / 4, 1 / 4, 1 / 4]
    assert (curves["context 1"].accesses, curves["context 1"].page_bytes) == (8, 4096)
    assert link.sent == [("get_epoch", {}), ON]
    assert link.ports[-1] == "closed"


def test_an_epoch_length_is_set_before_the_monitor_is_on(opened):
    link = opened(1)
    link.answers["get_epoch"] = lambda: ack(1, 0)
    for options, unit in (({}, "accesses"), ({"epoch_unit": "cycles"}, "cycles")):
        litemrc.collect("usb", epochs=1, epoch_length=7, timeout_s=3, baud=9600, **options)
        assert link.sent[-2:] == [("set_epoch", {"unit": unit, "length": 7}), ON]
    assert link.ports[0] == ("usb", 9600, {"take": False})
    with pytest.raises(litemrc.UserError, match="no epoch would ever end"):
        litemrc.collect("usb", epochs=1)
    assert len(link.sent) == 5, "the last asked for the length only"


def test_programs_end_a_collection_and_need_no_epoch_length(opened):
    link = opened(system="Linux")
    link.answers["get_epoch"] = lambda: ack(1, 0)
    link.answers["get_process"] = lambda context: ack(1, 0)
    ends = [told("event", kind="workload_done", workload=n, context=c, epoch=1) for n, c in ((0, 1), (1, 4))]
    link.answers["run"] = lambda workload, **_: (
        link.inbox.extend([epoch(0), *ends] if workload else []) or ack()
    )
    curves = litemrc.collect("usb", runs=["zipf", Run("loop", 4, 2)], together=True)
    assert curves["zipf"].accesses == 4
    assert [fields for name, fields in link.sent if name == "run"] == [
        {"workload": 0, "context": 1, "scale": 1},
        {"workload": 1, "context": 4, "scale": 2},
    ]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({}, "no end"),
        ({"epochs": 0}, "cannot collect 0 epochs"),
        ({"epochs": 0, "runs": ["zipf"]}, "cannot collect 0 epochs"),
        ({"runs": ["zipf:x"]}, "not a program to run"),
    ],
)
def test_collections_that_cannot_be_are_refused_before_anything_is_set(opened, options, why):
    link = opened()
    with pytest.raises(litemrc.UserError, match=why):
        litemrc.collect("usb", **options)
    assert link.sent == []

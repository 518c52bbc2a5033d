# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc demo linux` over the link, with a peer in place of Linux."""

import pytest
from litemrc.cli.soc.linux_demo import collect, wanted_runs
from litemrc.device.device import Device
from litemrc.device.errors import SilentDeviceError
from litemrc.device.running import Run
from litemrc.errors import UserError


def test_a_booting_device_is_waited_for_until_it_says_hello(start_peer):
    with Device.open_booting(start_peer(system=1).url, boot_timeout_s=20, timeout_s=5) as device:
        assert device.hello.system == "Linux 6.1.0"
        assert device.echo_test(4).failed == 0


def test_a_device_that_never_says_hello_is_given_up(start_peer):
    with (
        pytest.raises(SilentDeviceError, match="the device said no hello"),
        Device.open_booting(start_peer().url, boot_timeout_s=0.5),
    ):
        pass


def test_everything_between_start_and_stop_of_the_monitor_is_collected(start_peer, tmp_path):
    """The last epoch has no accesses, which shows that all earlier ones were received."""
    with Device(start_peer(system=1, period_ms=2).url) as device:
        table = collect(device, [Run("zipf", 1, 3), Run("loop", 2)], tmp_path).table()

    epochs = sorted(set(table.epoch.tolist()))
    assert epochs == list(range(epochs[0], epochs[-1] + 1))
    assert table.accesses[table.epoch == epochs[-1]].tolist() == [0]
    assert min(table.accesses[table.epoch == epoch].sum() for epoch in epochs[:-1]) > 0
    assert [table.name_of(owner) for owner in table.owners_with_data] == [
        "kernel", "zipf (pid 100)", "loop (pid 101)",
    ]  # fmt: skip
    assert table.link_statistics["epoch_messages_lost"] == 0


def test_the_monitor_is_off_while_hot_pages_are_set(start_peer, tmp_path, monkeypatch):
    """Setting them clears the stacks: behind a clear the monitor's queue of accesses could overflow."""
    requests, request = [], Device.request

    def note(device, name, **values):
        requests.append((name, values))
        return request(device, name, **values)

    monkeypatch.setattr(Device, "request", note)
    with Device(start_peer(system=1, pages=1, period_ms=2).url) as device:
        collector = collect(device, [Run("zipf", 1)], tmp_path, length=1 << 19)
    names = [name for name, _ in requests]
    switches = [values["on"] for name, values in requests if name == "monitor"]
    assert switches == [False, True, False]
    assert names.index("monitor") < names.index("set_hot") < names.index("set_epoch")
    assert requests[names.index("set_epoch") + 1] == ("monitor", {"on": True})
    assert dict(requests)["set_epoch"] == {"unit": "accesses", "length": 1 << 19}
    assert collector.link_statistics["epoch_messages_lost"] == 0


def test_programs_the_device_lacks_are_named_with_those_it_has(start_peer):
    with (
        Device(start_peer(system=1).url) as device,
        pytest.raises(UserError, match="no program intr") as error,
    ):
        wanted_runs(device)
    assert "zipf, loop" in error.value.remedy

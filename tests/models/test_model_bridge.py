# SPDX-License-Identifier: BSD-2-Clause
"""The bridge on the model's registers: what changes a setting takes every epoch before it."""

from pathlib import Path

from litemrc.device.bridge.bridge_link import BridgeLink
from litemrc.device.bridge.layout import BridgeURL
from litemrc.device.device import Device
from litemrc.device.qemu.client import soc_of

from tests.models.model_bus import ModelBus
from tests.models.named_registers import LibraryBus


def test_an_epoch_that_is_due_behind_the_one_in_the_window_keeps_its_setting(
    library: Path,
) -> None:
    bus = ModelBus(library)
    model = bus.model
    constants = {"config_clock_frequency": 10**7, "config_dram_chips": 1, "config_dram_phases": 1}
    soc = soc_of(bus.map, Path("bus_map"), {"main_ram": (0, 1 << 20)}, constants)
    words = LibraryBus(model.bus_read, model.bus_write)
    device = Device(BridgeLink("model", BridgeURL("", 0, soc.path), words, soc, 1.0), timeout_s=1.0)
    device.request("set_epoch", unit="accesses", length=100)
    device.request("monitor", on=True)
    # One epoch is in the window, and one is due: it ends as soon as the window is released.
    for access in range(250):
        model.access_frame(access % 50, access % 2)
    device.request("set_split", on=True)
    for access in range(100):
        model.access_frame(access % 50, access % 2)
    found = []
    while message := device.receive(0.05):
        if message.name == "epoch":
            record = message.record
            found += [(*row, record.flag("split")) for row in record.rows[["context", "accesses"]].tolist()]
    # Half of the accesses of the last epoch write; writes count in the upper half of the four contexts.
    assert found == [(0, 100, False), (0, 150, False), (0, 50, True), (2, 50, True)]

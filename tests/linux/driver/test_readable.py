# SPDX-License-Identifier: BSD-2-Clause
"""What an ordinary user reads of the device in sysfs: how it was built and set, not what processes do."""

from errno import EACCES

import pytest

from tests.linux.driver.following import enable, follow
from tests.linux.driver.guest import S

USER = 1000
SETTINGS = {"engine", "enable", "epoch_length", "epoch_unit", "freeze", "single_shot", "split"}
SETTINGS |= {"range_lower", "range_upper", "sampling", "feed_accessed", "keep_bitmap", "abi", "stuck"}
HOT = {
    "enable",
    "reads",
    "writes",
    "always_on",
    "sampling",
    "threshold",
    "wanted",
    "lower",
    "upper",
    "watermark",
}
TRACKER = {"scan_list", "period_ms", "accessed_bits"}
HARMLESS = (
    {f"litemrc0/{name}" for name in SETTINGS}
    | {f"hot/{name}" for name in HOT}
    | {f"tracker/{name}" for name in TRACKER}
)
# Of the kernel, for every device, module and driver. `interrupts` are counted in /proc/interrupts, too.
KERNEL = {
    "dev",
    "uevent",
    "modalias",
    "driver_override",
    "coresize",
    "initsize",
    "initstate",
    "refcnt",
    "taint",
}
KERNEL |= {
    "version",
    "srcversion",
    "autosuspend_delay_ms",
    "control",
    "runtime_status",
    "runtime_active_time",
}
KERNEL |= {"runtime_suspended_time", "async", "waiting_for_supplier"}
OURS_OF_TESTS = ("/fake/", "/ages/", "/fake_hot/", "/litemrc_fake/")


def readable(guest):
    """Return the files of the device that an ordinary user may open."""
    guest.spawn("user")
    try:
        assert guest.ask(f"@ user user {USER}").result == 0
        assert guest.ask("@ user hex /dev/litemrc0").result == -EACCES
        return guest.do("@ user readable /sys")
    finally:
        guest.end("user")


def revealing(paths):
    """Return the paths that are neither settings nor the kernel's own."""
    ours = [path for path in paths if not any(words in path for words in OURS_OF_TESTS)]
    return [
        path
        for path in ours
        if path.rpartition("/")[2] not in KERNEL
        and path.split("/")[-2] not in ("parameters", "dram", "rank_policy")
        and "/".join(path.split("/")[-2:]) not in HARMLESS
    ]


@pytest.mark.parametrize("parameters", ["hot_pages=16 page_bitmap=1", "ranks=2"])
def test_an_ordinary_user_reads_nothing_of_other_processes(monitor, spawn, parameters):
    monitor.do("rmmod litemrc_fake")
    monitor.do(f"insmod /litemrc_fake.ko {parameters}")
    enable(monitor)
    follow(monitor, 1, spawn("worker"))
    paths = readable(monitor)
    assert any(path.endswith("/litemrc0/enable") for path in paths), "nothing was found"
    assert revealing(paths) == []


def test_an_ordinary_user_reads_nothing_of_the_tracker(guests):
    guest = guests.running()
    guest.do("insmod /litemrc_os.ko")
    paths = readable(guest)
    guest.do("rmmod litemrc_os")
    assert any(path.endswith("/tracker/scan_list") for path in paths), "nothing was found"
    assert revealing(paths) == []


def test_reading_every_file_as_root_takes_nothing(monitor):
    """As `grep -r . /sys` does: no file is consumed, and no counter moves."""
    monitor.do("rmmod litemrc_fake")
    monitor.do("insmod /litemrc_fake.ko hot_pages=16 page_bitmap=1")
    for name in ("hot/enable", "hot/always_on", "keep_bitmap"):
        assert monitor.write(S + name, 1) == 0
    enable(monitor)
    monitor.do("w /sys/devices/platform/litemrc.0/fake_hot/hot_queue 5 3")
    assert monitor.write(S + "end_epoch", 1) == 0

    def contents():
        folders = [S, S + "hot/", S + "parameters/", S + "feed_events/", f"{S}ranks/0/"]
        folders += [f"{S}contexts/{context}/" for context in range(8)]
        files = [
            folder + line.split()[0]
            for folder in folders
            for line in monitor.do(f"ls {folder}")
            if line.split()[1].startswith("100") and int(line.split()[1][-3:], 8) & 0o400
        ]
        changing = ("/active_standby_us", "/uevent")
        return {path: monitor.ask(f"hex {path}").lines for path in files if not path.endswith(changing)}

    first = contents()
    assert any(path.endswith("hot/queue") for path in first)
    assert contents() == first

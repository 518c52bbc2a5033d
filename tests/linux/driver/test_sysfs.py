# SPDX-License-Identifier: BSD-2-Clause
"""Every file of ABI.md is read and written; a refused write returns the errno listed and changes nothing."""

from errno import EBUSY, EINVAL, ENODEV, ENOENT, ESRCH

import pytest

from tests.linux.driver.guest import FAKE, S

FRAMES = 1 << 14  # of the fake
ALL = {
    "abi": "444",
    "engine": "644",
    "enable": "644",
    "epoch_length": "644",
    "epoch_unit": "644",
    "epoch": "400",
    "end_epoch": "200",
    "clear": "200",
    "arm": "200",
    "freeze": "644",
    "single_shot": "644",
    "split": "644",
    "frozen": "400",
    "range_lower": "644",
    "range_upper": "644",
    "sampling": "644",
    "scale": "400",
    "invalidate": "200",
    "dropped": "400",
    "queue_peak": "400",
    "lost": "400",
    "commands_lost": "400",
    "commands_late": "400",
    "stuck": "444",
    "feed_accessed": "644",
    "keep_bitmap": "644",
    "bitmap": "400",
}
CONTEXT = {
    "pid": "600",
    "cgroup": "600",
    "state": "400",
    "comm": "400",
    "accesses": "400",
    "misses": "400",
    "touched": "400",
    "dropped": "400",
    "hits": "400",
    "tail": "400",
    "resident": "400",
    "evicted": "400",
    "refaults": "400",
    "unidentified": "400",
}
PARAMETERS = {
    "version": "5",
    "page_shift": "12",
    "frames": str(FRAMES),
    "groups": "64",
    "contexts": "8",
    "pages": str(FRAMES),
    "recent_pages": "1",
    "queue_depth": "512",
    "ranks": "1",
    "epoch_least": "536",
    "record_bytes": str(88 + 2 * 8 + 8 * (44 + 4 * (64 + 3 + 2 * 64))),  # header, table; a row, with tail
    "page_bitmap": "0",
    "hot_pages": "0",
    "banks": "0",
    "access_bytes": "0",
    "first_page": str(0x80000000 >> 12),
}
RESIDENCIES = ("active_standby", "precharge_standby", "power_down", "self_refresh", "self_refresh_partial")
RANK = {"state": "600", "wakeups": "400"} | {f"{name}_us": "400" for name in RESIDENCIES}
FEED_EVENTS = ("walks", "visited", "marked", "microseconds")
SETTINGS = (
    "engine",
    "enable",
    "epoch_length",
    "epoch_unit",
    "freeze",
    "single_shot",
    "split",
    "range_lower",
    "range_upper",
    "sampling",
    "epoch",
    "frozen",
)
WHO = ("pid", "cgroup", "state", "comm")


def snapshot(guest):
    """Return all state that a refused write must not change."""
    texts = [guest.read(S + name) for name in SETTINGS]
    return texts + [guest.read(f"{S}contexts/{context}/{name}") for context in range(8) for name in WHO]


def modes(guest, folder):
    """Return names and permissions of the regular files of a folder."""
    lines = (line.split() for line in guest.do(f"ls {folder}"))
    return {name: mode[-3:] for name, mode in lines if mode.startswith("100")}


def test_every_file_is_there_with_its_mode(monitor):
    files = modes(monitor, S)
    assert {name: mode for name, mode in files.items() if name not in ("dev", "uevent")} == ALL
    for context in range(8):
        assert modes(monitor, f"{S}contexts/{context}") == CONTEXT
    assert modes(monitor, f"{S}ranks/0") == RANK
    assert modes(monitor, f"{S}parameters") == dict.fromkeys(PARAMETERS, "444")
    assert modes(monitor, f"{S}feed_events") == dict.fromkeys(FEED_EVENTS, "400")
    assert len(monitor.do(f"ls {S}contexts")) == 8
    assert len(monitor.do(f"ls {S}ranks")) == 1


def test_fresh_values(monitor):
    assert monitor.read(S + "abi") == "7"
    assert monitor.values(S + "parameters") == PARAMETERS
    expected = {
        "engine": "bucket_stack",
        "enable": "0",
        "epoch_length": "0",
        "epoch_unit": "accesses",
        "epoch": "0",
        "freeze": "0",
        "single_shot": "0",
        "split": "0",
        "frozen": "0",
        "range_lower": "0",
        "range_upper": str(FRAMES - 1),
        "sampling": "0",
        "scale": "0",
        "dropped": "0",
        "queue_peak": "42",
        "lost": "0",
        "ranks/0/state": "active",
        "ranks/0/wakeups": "0",
        "contexts/7/pid": "0",
        "contexts/7/cgroup": "",
        "contexts/7/state": "free",
        "contexts/7/comm": "",
        "contexts/7/hits": " ".join(["0"] * 64),
        "contexts/7/accesses": "0",
    }
    assert {name: monitor.read(S + name) for name in expected} == expected


@pytest.mark.parametrize(
    ("name", "text", "reads"),
    [
        ("engine", "bucket_stack", "bucket_stack"),
        ("enable", "1", "1"),
        ("enable", "0", "0"),
        ("epoch_length", "536", "536"),
        ("epoch_length", "4294967295", "4294967295"),
        ("epoch_unit", "cycles", "cycles"),
        ("epoch_unit", "accesses", "accesses"),
        ("freeze", "1", "1"),
        ("single_shot", "1", "1"),
        ("range_lower", "17", "17"),
        ("range_upper", "0", "0"),
        ("range_upper", f"{FRAMES - 1}", f"{FRAMES - 1}"),
        ("sampling", "7", "7"),
        ("contexts/1/pid", "1", "1"),
        ("contexts/1/pid", "0", "0"),
        ("contexts/1/cgroup", "/", "/"),
        ("contexts/1/cgroup", "-", ""),
        ("ranks/0/state", "active", "active"),
    ],
)
def test_good_values_are_taken(monitor, name, text, reads):
    assert monitor.write(S + name, text) == 0
    assert monitor.read(S + name) == reads


@pytest.mark.parametrize("enabled", [0, 1])
@pytest.mark.parametrize(
    ("name", "texts", "error"),
    [
        ("engine", ["", "group", "1", "bucket_stack group_stack"], EINVAL),
        ("engine", ["group_stack"], ENODEV),
        ("enable", ["", "2", "-1", "+1", "on", "1 1", "0x1"], EINVAL),
        ("epoch_length", ["", "0", "535", "accesses", "600 cycles", "4294967296"], EINVAL),
        ("epoch_length", ["600a", "600 6", "-600", "+600", "99999999999999999999"], EINVAL),
        ("epoch_unit", ["", "pages", "1", "cycles accesses"], EINVAL),
        ("end_epoch", ["", "0", "2", "1 1"], EINVAL),
        ("clear", ["", "0", "2"], EINVAL),
        ("arm", ["", "0", "2"], EINVAL),
        ("freeze", ["", "2", "yes"], EINVAL),
        ("single_shot", ["", "2"], EINVAL),
        ("range_lower", ["", "5 6", str(FRAMES), "a", "-1", "4294967295"], EINVAL),
        ("range_upper", ["", "5 6", str(FRAMES), "a", "-1"], EINVAL),
        ("sampling", ["", "15", "-1", "1 2"], EINVAL),
        ("sampling", ["8", "14"], ENODEV),
        ("invalidate", ["", str(FRAMES), "-1", "1 2", "4294967296"], EINVAL),
        ("contexts/1/pid", ["", "-1", "1 2", "2147483648", "4294967296", "init"], EINVAL),
        ("contexts/1/pid", ["4000", "2147483647"], ESRCH),
        ("contexts/1/cgroup", ["", "a", "a/b", "--"], EINVAL),
        ("contexts/1/cgroup", ["/none", "/cgroup.procs", "/none/below"], ENOENT),
        ("contexts/0/pid", ["1", "0"], EBUSY),
        ("contexts/0/cgroup", ["/", "-"], EBUSY),
        ("ranks/0/state", ["off", "self_refresh", ""], ENODEV),
    ],
)
def test_refused_values_change_nothing(monitor, name, texts, error, enabled):
    monitor.write(S + "enable", enabled)
    before = snapshot(monitor)
    assert [monitor.write(S + name, text) for text in texts] == [error] * len(texts)
    assert snapshot(monitor) == before


def test_new_range_and_sampling_clear_and_claim_while_enabled(monitor):
    # The fake counts every violation of the order that docs/registers.md requires: disabled, idle, clear.
    monitor.write(S + "enable", 1)
    for name, text in (("range_lower", 5), ("range_upper", 900), ("sampling", 3), ("clear", 1)):
        monitor.do(f"w {FAKE}forget 1")
        assert monitor.write(S + name, text) == 0
        kinds = "".join(line[0] for line in monitor.do("log xe"))
        assert kinds == ("x" if name == "clear" else "exe")
        assert monitor.read(S + "enable") == "1"
    assert monitor.read(S + "scale") == "3"


def test_the_range_stays_in_order(monitor):
    assert monitor.write(S + "range_upper", 900) == monitor.write(S + "range_lower", 5) == 0
    assert monitor.write(S + "range_upper", 4) == monitor.write(S + "range_lower", 901) == EINVAL
    assert (monitor.read(S + "range_lower"), monitor.read(S + "range_upper")) == ("5", "900")


def test_a_new_unit_has_no_length_until_one_is_written(monitor):
    assert monitor.write(S + "epoch_length", 600) == 0
    assert monitor.write(S + "epoch_unit", "accesses") == 0  # as it was
    assert monitor.read(S + "epoch_length") == "600"
    assert monitor.write(S + "epoch_unit", "cycles") == 0
    assert monitor.read(S + "epoch_length") == "0"


def test_invalidate_names_its_frame(monitor):
    monitor.write(S + "invalidate", 77)
    assert [line.split()[:2] for line in monitor.do("log i")] == [["i", "77"]]


def test_single_shot_freezes_until_armed(monitor):
    monitor.write(S + "enable", 1)
    monitor.write(S + "single_shot", 1)
    assert monitor.read(S + "frozen") == "0"
    assert monitor.write(S + "end_epoch", 1) == 0
    assert monitor.read(S + "frozen") == "1"
    assert monitor.write(S + "arm", 1) == 0
    assert monitor.read(S + "frozen") == "0"


def test_residency_grows(monitor):
    first, second = (int(monitor.read(S + "ranks/0/active_standby_us")) for _ in range(2))
    assert 0 < first < second
    assert {monitor.read(f"{S}ranks/0/{name}_us") for name in RESIDENCIES[1:]} == {"0"}

# SPDX-License-Identifier: BSD-2-Clause
"""Every file of ABI.md is read and written; a refused write returns the errno listed and changes nothing."""

from errno import EBUSY, EINVAL, ENODEV, ENOENT, ESRCH

import pytest

from tests.linux.driver.guest import FAKE, S

FRAMES = 1 << 14  # of the fake
ALL = {
    "abi": "444",
    "parameters": "444",
    "engine": "644",
    "enable": "644",
    "epoch_length": "644",
    "epoch": "400",
    "end_epoch": "200",
    "clear": "200",
    "arm": "200",
    "freeze": "644",
    "single_shot": "644",
    "split": "644",
    "frozen": "400",
    "range": "644",
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
    "feed_events": "400",
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
RANK = {"state": "600", "policy": "644", "residency": "400", "wakeups": "400"}
SETTINGS = (
    "engine",
    "enable",
    "epoch_length",
    "freeze",
    "single_shot",
    "split",
    "range",
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
    assert len(monitor.do(f"ls {S}contexts")) == 8
    assert len(monitor.do(f"ls {S}ranks")) == 1


def test_fresh_values(monitor):
    assert monitor.read(S + "abi") == "6"
    assert monitor.read(S + "parameters").split("\n") == [
        "version 5",
        "page_shift 12",
        f"frames {FRAMES}",
        "groups 64",
        "contexts 8",
        f"pages {FRAMES}",
        "recent_pages 1",
        "queue_depth 512",
        "ranks 1",
        "epoch_least 536",
        f"record_bytes {88 + 2 * 8 + 8 * (44 + 4 * (64 + 3 + 2 * 64))}",  # header, table; a row, with tail
        "page_bitmap 0",
        "hot_pages 0",
        "banks 0",
        "access_bytes 0",
        f"first_page {0x80000000 >> 12}",
    ]
    expected = {
        "engine": "bucket_stack",
        "enable": "0",
        "epoch_length": "0 accesses",
        "epoch": "0",
        "freeze": "0",
        "single_shot": "0",
        "split": "0",
        "frozen": "0",
        "range": f"0 {FRAMES - 1}",
        "sampling": "0",
        "scale": "0",
        "dropped": "0",
        "queue_peak": "42",
        "lost": "0",
        "ranks/0/state": "active",
        "ranks/0/policy": "none",
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
        ("epoch_length", "536 accesses", "536 accesses"),
        ("epoch_length", "4294967295 cycles", "4294967295 cycles"),
        ("epoch_length", "2000  accesses", "2000 accesses"),
        ("freeze", "1", "1"),
        ("single_shot", "1", "1"),
        ("range", "0 0", "0 0"),
        ("range", f"17 {FRAMES - 1}", f"17 {FRAMES - 1}"),
        ("sampling", "7", "7"),
        ("contexts/1/pid", "1", "1"),
        ("contexts/1/pid", "0", "0"),
        ("contexts/1/cgroup", "/", "/"),
        ("contexts/1/cgroup", "-", ""),
        ("ranks/0/state", "active", "active"),
        ("ranks/0/policy", "none", "none"),
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
        ("epoch_length", ["", "0 accesses", "5", "accesses", "5 pages", "4294967296 cycles"], EINVAL),
        ("epoch_length", ["5accesses", "5 accesses 6", "-5 cycles", "99999999999999999999 cycles"], EINVAL),
        ("end_epoch", ["", "0", "2", "1 1"], EINVAL),
        ("clear", ["", "0", "2"], EINVAL),
        ("arm", ["", "0", "2"], EINVAL),
        ("freeze", ["", "2", "yes"], EINVAL),
        ("single_shot", ["", "2"], EINVAL),
        ("range", ["", "1", "2 1", f"0 {FRAMES}", "0 1 2", "a b", "-1 5"], EINVAL),
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
        ("ranks/0/policy", ["static", "mrc", ""], ENODEV),
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
    for name, text in (("range", "5 900"), ("sampling", "3"), ("clear", "1")):
        monitor.do(f"w {FAKE}forget 1")
        assert monitor.write(S + name, text) == 0
        kinds = "".join(line[0] for line in monitor.do("log xe"))
        assert kinds == ("x" if name == "clear" else "exe")
        assert monitor.read(S + "enable") == "1"
    assert monitor.read(S + "scale") == "3"


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
    first, second = (monitor.read(S + "ranks/0/residency").split() for _ in range(2))
    assert first[0] == second[0] == "active"
    assert 0 < int(first[1]) < int(second[1])

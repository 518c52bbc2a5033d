# SPDX-License-Identifier: BSD-2-Clause
"""The driver's own bounds: short epochs do not starve the machine, and waits with interrupts off end soon."""

from errno import EINVAL, EIO
from itertools import pairwise

import pytest

from tests.linux.driver.guest import FAKE, S, parse_epoch

LEAST = 8 * (64 + 3)  # words of the fake's window
EPOCHS_PER_S, BURST = 100, 16  # ABI.md
# (frames + queue_depth * (groups + 16)) / 25 microseconds, with at least one of them between two reads
PATIENCE_READS = (2**14 + 512 * (64 + 16)) // 25 + 20
POLLERR = 8


def status_reads(guest):
    return int(guest.read(FAKE + "status_reads"))


def uptime(guest):
    """Return the guest's uptime in seconds."""
    (line,) = guest.do("r /proc/uptime")
    return float(line.split()[0])


def parameters(guest):
    return guest.values(S + "parameters")


@pytest.mark.parametrize("unit", ["accesses", "cycles"])
def test_an_epoch_shorter_than_its_window_is_refused(monitor, unit):
    assert parameters(monitor)["epoch_least"] == str(LEAST)
    assert monitor.write(S + "epoch_unit", unit) == 0
    assert monitor.write(S + "epoch_length", LEAST) == 0
    for length in (1, LEAST - 1):
        assert monitor.write(S + "epoch_length", length) == EINVAL
    assert monitor.read(S + "epoch_length") == str(LEAST)


@pytest.fixture
def endless(monitor):
    """Yield the guest while every epoch is due as soon as the window is free."""
    assert monitor.write(S + "enable", 1) == 0
    assert monitor.write(S + "epoch_length", LEAST) == 0
    monitor.do(f"w {FAKE}endless 1")
    yield monitor
    monitor.do(f"w {FAKE}endless 0")


def test_the_rate_of_epochs_is_limited(endless):
    endless.do("open /dev/litemrc0 nonblock")
    endless.do("sleep 500")  # the burst is over
    began, before = uptime(endless), int(endless.read(S + "epoch"))
    endless.do("sleep 2000")
    epochs, ended = int(endless.read(S + "epoch")) - before, uptime(endless)
    endless.do("close")
    assert 2 * EPOCHS_PER_S / 4 < epochs <= (ended - began) * EPOCHS_PER_S * 1.1


def test_writes_that_wait_for_an_epoch_return_while_epochs_never_cease(endless):
    pid = endless.spawn("a")
    assert endless.write(S + "contexts/1/pid", pid) == 0
    assert endless.do(f"@ a r {FAKE}owner") == ["1"]
    assert endless.write(S + "end_epoch", 1) == 0
    assert endless.write(S + "range_lower", 5) == endless.write(S + "range_upper", 900) == 0
    assert endless.write(S + "sampling", 1) == 0
    assert endless.write(S + "contexts/1/pid", 0) == 0
    assert endless.read(S + "epoch_length") == str(LEAST)
    assert "litemrc.0: " not in "".join(endless.do("dmesg"))
    endless.end("a")


def test_no_epoch_of_a_rapid_sequence_mixes_two_processes(endless, spawn):
    """The record with a new follower is that of the last epoch before it."""
    pids = [spawn(name) for name in "abc"]
    endless.do("open /dev/litemrc0 nonblock")
    epochs = []
    for pid in pids:
        assert endless.write(S + "contexts/1/pid", pid) == 0
        assert endless.write(S + "contexts/1/pid", 0) == 0
        # A reader is 64 epochs behind at most, which a slow host can reach.
        epochs += [parse_epoch(line) for line in endless.ask("read 10000 64").lines]
    endless.do("close")
    followed = [epoch.followed[1][:2] for epoch in epochs]
    changes = [new for old, new in pairwise([(1, 0), *followed]) if old != new]
    assert changes == [change for pid in pids for change in ((2, pid), (1, 0))]


def test_a_gateware_that_takes_no_command_is_an_error_soon(monitor):
    """Soon: it is polled with interrupts off."""
    monitor.do("open /dev/litemrc0 nonblock")
    assert monitor.write(S + "enable", 1) == 0
    assert monitor.read(S + "stuck") == "0"
    monitor.do(f"w {FAKE}stall pending")
    before = status_reads(monitor)
    assert monitor.write(S + "invalidate", 5) == EIO
    assert status_reads(monitor) - before <= PATIENCE_READS
    assert monitor.read(S + "stuck") == "1"
    assert monitor.ask("poll 100").result & POLLERR
    assert monitor.ask("read 10000").result == -EIO
    monitor.do("sleep 50")
    assert [line for line in monitor.do("dmesg") if "did not complete a command within" in line]
    # A clear tries again, and fails as long as there is no answer.
    assert monitor.write(S + "clear", 1) == EIO
    monitor.do("sleep 50")  # reported by an irq_work
    monitor.do("dmesg")
    monitor.do(f"w {FAKE}stall none")
    assert monitor.write(S + "clear", 1) == 0
    assert monitor.read(S + "stuck") == "0"
    assert monitor.ask("poll 0").result & POLLERR == 0
    monitor.do("close")


def test_an_end_of_epoch_that_does_not_come_is_an_error_soon(monitor):
    """At the end of a process nobody waits for it but the driver, with interrupts off."""
    pid = monitor.spawn("a")
    assert monitor.write(S + "enable", 1) == 0
    assert monitor.write(S + "contexts/1/pid", pid) == 0
    monitor.do(f"w {FAKE}stall due")
    before = status_reads(monitor)
    monitor.do("kill a 9")
    monitor.do("wait a")
    assert status_reads(monitor) - before <= PATIENCE_READS
    assert monitor.read(S + "stuck") == "1"
    monitor.do(f"w {FAKE}stall none")
    assert monitor.write(S + "clear", 1) == 0
    monitor.do(
        "sleep 50"
    )  # 7.2 frees the process's memory now; the epoch's record reports the invalidations that were lost
    monitor.do("dmesg")

# SPDX-License-Identifier: BSD-2-Clause
"""Commands: written without a look at the status while there is room; lost and late ones are reported."""

from tests.linux.driver.guest import FAKE, S, parse_epoch

COMMAND_LOST = 2  # LITEMRC_EPOCH_COMMAND_LOST of litemrc_uapi.h


def status_reads_and_invalidations(guest):
    """Free 400 pages; returns how often the driver read the status, and the frames that it invalidated."""
    guest.spawn("worker")
    guest.do("@ worker map 400")
    # Other pages may be freed at any time: of each invalidation that is counted, the reads are counted, too.
    before = int(guest.read(FAKE + "status_reads"))
    guest.do(f"w {FAKE}forget 1")
    guest.end("worker")
    invalidations = len(guest.do("log i"))
    return int(guest.read(FAKE + "status_reads")) - before, invalidations


def flags_of_the_next_epoch(guest):
    assert guest.write(S + "end_epoch", 1) == 0
    (line,) = guest.ask("read 10000").lines
    return parse_epoch(line).flags


def test_the_status_is_read_only_when_the_command_queue_may_be_full(monitor):
    monitor.write(S + "enable", 1)
    reads, invalidations = status_reads_and_invalidations(monitor)
    # For 16 commands the fake needs three reads; it counts a command without room as a violation.
    assert invalidations >= 400
    assert 0 < reads < invalidations / 4
    assert monitor.read(S + "commands_lost") == monitor.read(S + "commands_late") == "0"


def test_a_lost_command_is_in_the_record_of_its_epoch_in_sysfs_and_in_the_log(monitor):
    monitor.do("open /dev/litemrc0")
    assert flags_of_the_next_epoch(monitor) == 0
    monitor.write(FAKE + "report", "lost")
    assert flags_of_the_next_epoch(monitor) == COMMAND_LOST
    assert monitor.read(S + "commands_lost") == "1"
    assert sum("lost an invalidation or clear" in line for line in monitor.do("dmesg")) == 1
    assert flags_of_the_next_epoch(monitor) == 0
    assert monitor.read(S + "commands_lost") == "1"


def test_after_a_late_command_the_driver_waits_for_each(monitor):
    monitor.write(S + "enable", 1)
    monitor.write(FAKE + "report", "late")
    assert monitor.write(S + "invalidate", 5) == 0
    assert monitor.read(S + "commands_late") == "1"
    reads, invalidations = status_reads_and_invalidations(monitor)
    assert reads >= invalidations >= 400

# SPDX-License-Identifier: BSD-2-Clause
"""Several monitors: each has a device, settings and followers of its own."""

import pytest

from tests.linux.driver.guest import FAKE, S, parse_epoch

SECOND = S.replace("litemrc0", "litemrc1")
SECOND_FAKE = FAKE.replace("litemrc.0", "litemrc.1")


@pytest.fixture
def monitors(monitor):
    """Yield the guest with two monitors in software."""
    monitor.do("rmmod litemrc_fake")
    monitor.do("insmod /litemrc_fake.ko devices=2")
    yield monitor
    assert monitor.read(SECOND_FAKE + "violations").split()[0] == "0"


def test_each_monitor_counts_and_follows_by_itself(monitors):
    pids = [monitors.spawn(name) for name in "ab"]
    for folder, pid in ((S, pids[0]), (SECOND, pids[1])):
        assert monitors.write(folder + "enable", 1) == 0
        assert monitors.write(folder + "contexts/3/pid", pid) == 0
    # Of the same two processes each monitor has one in context 3.
    assert [monitors.do(f"@ {name} r {FAKE}owner") for name in "ab"] == [["3"], ["0"]]
    assert [monitors.do(f"@ {name} r {SECOND_FAKE}owner") for name in "ab"] == [["0"], ["3"]]
    for name in "ab":
        monitors.do(f"@ {name} w {SECOND_FAKE}access 7")
    monitors.do("open /dev/litemrc1 nonblock")
    assert monitors.write(S + "end_epoch", 1) == 0
    assert monitors.ask("read 10000").lines == []
    assert monitors.write(SECOND + "end_epoch", 1) == 0
    (line,) = monitors.do("read 10000")
    monitors.do("close")
    assert parse_epoch(line).accesses == [7, 0, 0, 7, 0, 0, 0, 0]
    assert monitors.read(S + "contexts/3/accesses") == "0"
    for name in "ab":
        monitors.end(name)

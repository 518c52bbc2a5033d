# SPDX-License-Identifier: BSD-2-Clause
"""Pages that the tracker did not protect stay as they are, whoever took their permissions."""

from errno import EFAULT

import pytest

from tests.linux.driver.following import enable, follow
from tests.linux.driver.guest import S
from tests.linux.driver.test_tracker_module import followed, tracker  # noqa: F401

USER = 1000
PROCESSES, PAGES = 40, 200


def disable(guest):
    assert guest.write(S + "enable", 0) == 0


@pytest.fixture
def guarded(tracker):  # noqa: F811
    """Yield a guest with a tracked process, and the means to make others."""
    guest = tracker(scan_list=64, period_ms=0)
    names = []

    def spawn(name):
        names.append(name)
        return guest.spawn(name)

    yield guest, spawn
    for name in names:
        guest.ask(f"kill {name} 9")
        guest.ask(f"wait {name}")


def leaks(guest, name):
    return guest.ask(f"@ {name} leak").result


def test_guard_pages_of_other_processes_stay_unreadable(guarded):
    guest, spawn = guarded
    spawn("other")
    guest.do("@ other guard")
    assert leaks(guest, "other") == -EFAULT
    followed(guest)
    guest.do("@ worker fill 300 0 -")
    assert leaks(guest, "other") == -EFAULT
    disable(guest)
    assert leaks(guest, "other") == -EFAULT
    assert guest.ask("@ other unguard").result == ord("s")


@pytest.mark.parametrize("sweeps", [False, True])
def test_guard_pages_of_a_tracked_process_are_its_own(guarded, sweeps):
    """The page was the tracker's before mprotect(): it is not any more."""
    guest, _ = guarded
    followed(guest)
    guest.do("@ worker fill 300 0 -")
    guest.do("@ worker guard")
    guest.do("@ worker walk 200 1 20 200")  # it leaves the scan list, which protects what it knows
    if sweeps:
        guest.do("w /sys/devices/platform/litemrc.0.auto/tracker/sweep 1")
    assert leaks(guest, "worker") == -EFAULT
    guest.do("@ worker spawn kid")  # it has inherited the page
    disable(guest)
    assert guest.ask("@ worker @ kid leak").result == leaks(guest, "worker") == -EFAULT
    enable(guest)
    assert guest.ask("@ worker unguard").result == ord("s")
    assert leaks(guest, "worker") == 6
    disable(guest)
    guest.do("@ worker kill kid 9")
    guest.do("@ worker wait kid")


def test_an_ordinary_user_cannot_keep_the_tracker_from_ending(guarded):
    """Processes that take permissions of their pages away and give them back, all the time."""
    guest, spawn = guarded
    followed(guest)
    spawn("user")
    guest.do(f"@ user user {USER}")
    guest.do(f"@ user toggle {PROCESSES} {PAGES}")
    guest.do("sleep 1000")
    disable(guest)
    enable(guest)
    disable(guest)
    guest.do("@ user untoggle")


def test_children_that_are_forked_while_the_tracker_ends_keep_running(guarded):
    guest, spawn = guarded
    for round_number in range(5):
        follow(guest, 1, spawn(f"relay{round_number}"))
        enable(guest)
        guest.do(f"@ relay{round_number} fill 300 0 -")
        guest.do(f"@ relay{round_number} relay 300")
        disable(guest)
        guest.do(f"@ relay{round_number} walk 200 1 20 200")
        guest.do(f"w {S}contexts/1/pid 0")
        guest.do(f"@ relay{round_number} relayed")
    assert not [line for line in guest.do("dmesg") if "forked too fast" in line]

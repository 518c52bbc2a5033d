# SPDX-License-Identifier: BSD-2-Clause
"""After thousands of writes to every file the kernel has not complained and the monitor still works."""

import pytest

from tests.linux.driver.guest import FAKE, S

WRITES = 10000
FILES = [
    "engine",
    "enable",
    "epoch_length",
    "epoch_unit",
    "end_epoch",
    "clear",
    "arm",
    "freeze",
    "single_shot",
    "range_lower",
    "range_upper",
    "sampling",
    "invalidate",
    "contexts/0/pid",
    "contexts/1/pid",
    "contexts/2/cgroup",
    "ranks/0/state",
]


def check_works(guest):
    for name, text in (("enable", 1), ("freeze", 0), ("single_shot", 0), ("arm", 1), ("contexts/1/pid", 0)):
        assert guest.write(S + name, text) == 0
    assert guest.write(S + "contexts/2/cgroup", "-") == 0
    assert guest.write(S + "epoch_length", 4294967295) == 0
    assert guest.write(S + "contexts/1/pid", 1) == 0
    assert guest.read(FAKE + "owner") == "1"
    assert guest.write(S + "end_epoch", 1) == 0
    assert guest.write(FAKE + "access", 9) == 0
    assert guest.write(S + "end_epoch", 1) == 0
    assert guest.read(S + "contexts/1/accesses") == "9"


@pytest.mark.parametrize("name", FILES)
def test_writes_find_nothing(monitor, name):
    guest = monitor
    taken = guest.ask(f"fuzz {S}{name} {sum(map(ord, name))} {WRITES}").result
    # Some of it is valid text at an invalid place.
    assert 0 < taken < WRITES if name != "contexts/0/pid" else taken == 0
    check_works(guest)


def test_writes_to_all_files_at_once_find_nothing(monitor):
    for number, name in enumerate(FILES):
        monitor.spawn(f"f{number}")
        monitor.do(f"& f{number} fuzz {S}{name} {number} {WRITES // 8}")
    monitor.spawn("load")
    monitor.do("& load churn 100")
    for number in range(len(FILES)):
        assert monitor.ask(f"? f{number}").result >= 0
        monitor.end(f"f{number}")
    monitor.do("? load")
    monitor.end("load")
    check_works(monitor)

# SPDX-License-Identifier: BSD-2-Clause
"""What users began is undone when the device cannot be set up, or something else writes its registers."""

from tests.linux.driver.conftest import complaints
from tests.linux.driver.following import CGROUPS, enable, enable_swap, follow, log
from tests.linux.driver.guest import FAKE, S

PARAMETERS = "/sys/module/litemrc/parameters/"
TAIL_PARAMETERS = "/sys/module/litemrc_tail/parameters/"
RETRIES = 40


def test_a_probe_that_fails_after_users_came_is_undone(monitor, spawn):
    pid = spawn("worker")
    for name in ("loader", "reader"):
        spawn(name)
    for folder in (1, 5):  # `contexts`; one in it
        monitor.do("rmmod litemrc_fake")
        monitor.do(f"w {PARAMETERS}fail_folder {folder}")
        monitor.do("& loader insmod /litemrc_fake.ko")
        while monitor.ask(f"ls {S}").result < 0:
            monitor.do("sleep 10")
        enable(monitor)
        monitor.do("@ reader open /dev/litemrc0")
        monitor.do("& reader read 10000 1")
        if folder > 1:
            follow(monitor, 1, pid)
        monitor.do("? loader")  # a device without a driver
        assert monitor.ask(f"r {S}enable").result == -2  # ENOENT
        monitor.ask("? reader")  # it is woken
        monitor.do("@ reader close")
        monitor.do(f"w {FAKE}forget 1")
        monitor.do("@ worker churn 20")  # no tracepoint of the driver is left
        assert log(monitor, "ick") == []
        failed = "probe with driver litemrc failed with error -12"  # so says 7.2
        assert not [line for line in complaints(monitor.do("dmesg")) if failed not in line]
    monitor.do("rmmod litemrc_fake")
    monitor.do("insmod /litemrc_fake.ko")
    enable(monitor)


def test_disabling_undoes_what_enabling_did_whatever_the_register_holds(monitor, spawn):
    follow(monitor, 1, spawn("worker"))
    enable(monitor)
    monitor.do(f"w {FAKE}disabled 1")
    assert monitor.read(S + "enable") == "0"
    assert monitor.write(S + "enable", 0) == 0
    monitor.do(f"w {FAKE}forget 1")
    monitor.do("@ worker churn 20")
    assert log(monitor, "ick") == []
    enable(monitor)
    monitor.do(f"w {FAKE}disabled 1")
    enable(monitor)  # again
    assert monitor.read(S + "enable") == "1"
    monitor.do(f"w {FAKE}disabled 1")  # and the fixture unbinds it so


def test_a_tail_that_finds_no_memory_leaks_none(monitor, spawn, cgroup):
    enable_swap(monitor)
    monitor.do("rmmod litemrc_fake")
    monitor.unload_driver()  # the places are allocated with the first tail
    monitor.load_driver(litemrc_tail="fail_places=1")
    monitor.do("insmod /litemrc_fake.ko")
    path = cgroup("/tail")
    monitor.do(f"w {CGROUPS}{path}/cgroup.procs {spawn('worker')}")
    assert monitor.write(f"{S}contexts/1/cgroup", path) == 0
    enable(monitor)

    def used():
        (line,) = (line for line in monitor.do("r /proc/meminfo") if line.startswith("VmallocUsed"))
        return int(line.split()[1])

    before = used()
    for _ in range(RETRIES):
        assert monitor.write(S + "end_epoch", 1) == 0
        monitor.do("sleep 20")
    assert used() - before < RETRIES * 4, "a page at each retry, or more"
    monitor.do(f"w {TAIL_PARAMETERS}fail_places 0")

# SPDX-License-Identifier: BSD-2-Clause
"""Four harts of 64 bits: every page counts in the context of its process, as the kernel's page maps say.

The kernel of `make linux-smp` checks its locks. LITEMRC_STRESS_S is how long the harts are under stress.
"""

import os
import time
from pathlib import Path

import pytest
from litemrc.device.bridge.layout import layout

from tests.linux.driver.building import ROOT
from tests.linux.driver.conftest import boot
from tests.linux.driver.following import CGROUPS, enable, first_page, follow, log, owners
from tests.linux.driver.guest import FAKE, QUIET, Guests, S
from tests.timeouts import Deadline, scaled_timeout

KERNEL = Path(os.environ.get("LITEMRC_SMP_KERNEL", ROOT / "build/linux/kernel-smp"))
SBI = Path("/usr/share/qemu/opensbi-riscv64-generic-fw_dynamic.bin")  # of Debian's qemu-system-data
QEMU = ["qemu-system-riscv64", "-M", "virt", "-cpu", "rv64,sstc=off", "-smp", "4", *QUIET]
MEMORY_MB = 128
FAKES = f"frames_log2={(MEMORY_MB << 8).bit_length() - 1}"
STRESS_S = float(os.environ.get("LITEMRC_STRESS_S", "10"))

pytestmark = pytest.mark.skipif(
    not (KERNEL / "arch/riscv/boot/Image").exists() or not SBI.exists(),
    reason=f"needs {KERNEL} (make linux-smp) and {SBI}",
)


@pytest.fixture(scope="module")
def guests():
    out = ROOT / "build/linux/driver-tests-smp"
    guests = Guests(lambda: boot(SBI, KERNEL, out, memory_mb=MEMORY_MB, timeout_s=120, qemu=QEMU))
    yield guests
    guests.close()


@pytest.fixture
def harts(monitor):
    """Yield the guest with a monitor of all its memory."""
    monitor.do("rmmod litemrc_fake")
    monitor.do(f"insmod /litemrc_fake.ko {FAKES}")
    return monitor


def misowned(guest, name, context):
    """Return how many pages only this process maps, and how many of them count elsewhere."""
    answer = guest.ask(f"@ {name} misowned {first_page(guest)} {context}")
    assert answer.result >= 0, answer
    return int(answer.lines[0]), answer.result


def misowned_by_kernel(guest):
    """Return how many free frames, or frames of slabs and page tables, belong to a context."""
    return guest.ask(f"misowned_by_kernel {first_page(guest)}").result


def test_all_harts_run(harts):
    lines = harts.do("r /proc/cpuinfo")
    assert sum(line.startswith("processor") for line in lines) == 4
    assert sum(line.startswith("isa\t\t: rv64") for line in lines) == 4


def test_each_page_belongs_to_its_process_on_any_hart(harts, spawn):
    """The processes run at the same time, and a hart's are not always the same."""
    pids = {name: spawn(name) for name in ("a", "b", "c", "d")}
    followed = {"a": 1, "b": 5, "c": 7, "d": 0}
    harts.do("@ b map 300")  # before it is followed
    enable(harts)
    for name, context in followed.items():
        if context:
            follow(harts, context, pids[name])
    assert misowned(harts, "b", 5)[1] == 0
    for pages in (100, 1000):
        for name in followed:
            harts.do(f"& {name} map {pages}")
        for name in followed:
            harts.do(f"? {name}")
        for name, context in followed.items():
            alone, wrong = misowned(harts, name, context)
            assert wrong == 0
            assert alone == pages
    assert misowned_by_kernel(harts) == 0


def test_each_page_of_a_huge_page_belongs_to_its_process(harts, spawn):
    """A claim is of 128 pages at most; 2,048 hold three aligned huge ones of 512."""
    harts.do("w /sys/kernel/mm/transparent_hugepage/enabled always")
    follow(harts, 2, spawn("a"))
    enable(harts)
    harts.do("@ a map 2048")
    harts.do("w /sys/kernel/mm/transparent_hugepage/enabled madvise")
    assert misowned(harts, "a", 2) == (2048, 0)
    blocks = [value >> layout().fields["mrc"]["claim"]["order"][0] for _, value in log(harts, "k")]
    assert blocks.count(7) >= 3 * 4


def test_pages_that_move_to_other_frames_keep_their_owner(harts, spawn):
    follow(harts, 3, spawn("a"))
    enable(harts)
    for number in range(8):  # holes between the pages of `a`, so that there is something to compact
        spawn(f"hole{number}")
    for round_ in range(8):
        for number in range(8):
            harts.do(f"& hole{number} map {200 + round_}")
        harts.do(f"@ a map {1000 + round_}")
        for number in range(8):
            harts.do(f"? hole{number}")
            harts.do(f"@ hole{number} unmap")
    before = moved(harts)
    harts.do("w /proc/sys/vm/compact_memory 1")
    assert moved(harts) > before
    deadline = Deadline(10)
    while misowned(harts, "a", 3)[1] and not deadline.passed:
        harts.do("sleep 20")
    assert misowned(harts, "a", 3) == (1007, 0)
    assert misowned_by_kernel(harts) == 0


def moved(guest):
    (line,) = (line for line in guest.do("r /proc/vmstat") if line.startswith("pgmigrate_success"))
    return int(line.split()[1])


@pytest.mark.timeout(scaled_timeout(STRESS_S + 300))
def test_under_stress_no_page_is_charged_to_another_context(harts, spawn, cgroup):
    """Forks, moves between cgroups, compaction, contexts that come and go, and the driver's end and begin."""
    end, rounds = time.monotonic() + STRESS_S, 0
    while time.monotonic() < end:
        rounds += 1
        one, two = cgroup(f"/one{rounds}"), cgroup(f"/two{rounds}")
        names = [f"{name}{rounds}" for name in ("forks", "more", "moves", "steady", "plain")]
        pids = {name: spawn(name) for name in names}
        forks, more, moves, steady, plain = names
        for name, path in ((forks, one), (more, two), (moves, one)):
            harts.do(f"w {CGROUPS}{path}/cgroup.procs {pids[name]}")
        assert harts.write(S + "contexts/1/cgroup", one) == 0
        assert harts.write(S + "contexts/2/cgroup", two) == 0
        enable(harts)
        follow(harts, 3, pids[steady])
        for name in (forks, more):
            harts.do(f"& {name} churn 60")
        for name in (moves, steady, plain):
            harts.do(f"@ {name} map 200")
        for path in (two, one, two):
            harts.do(f"w {CGROUPS}{path}/cgroup.procs {pids[moves]}")
            harts.do("w /proc/sys/vm/compact_memory 1")
            harts.do(f"& {plain} map 300")
            follow(harts, 4, pids[plain])
            harts.write(S + "clear", 1)
            harts.do(f"? {plain}")
            follow(harts, 4, 0)
            harts.write(S + "end_epoch", 1)
        for name in (forks, more):
            harts.do(f"? {name}")
        harts.do("sleep 300")  # the work that hands pages over
        for name in (forks, more):
            harts.do(f"@ {name} map 100")
        expected = {forks: 1, more: 2, moves: 2, steady: 3, plain: 0}
        for name, context in expected.items():
            assert misowned(harts, name, context)[1] == 0, name
        assert misowned_by_kernel(harts) == 0
        assert harts.read(FAKE + "violations").split()[0] == "0"
        harts.do("rmmod litemrc_fake")
        if rounds % 2:
            harts.unload_driver()
            harts.load_driver()
        harts.do(f"insmod /litemrc_fake.ko {FAKES}")
        for name in names:
            harts.end(name)
        assert set(owners(harts)) == {0}
    print(rounds, "rounds")

# SPDX-License-Identifier: BSD-2-Clause
"""Linux of the images provides everything that driver, daemon and users rely on."""

import itertools
import re

import pytest

from tests.linux.driver.guest import LOAD, UNLOAD
from tests.linux.qemu import Qemu

PAGE_KB = 4
DELEGATED = "/sys/fs/cgroup/litemrcd"


def test_init_mounts_all_that_programs_expect(linux):
    mounted = {tuple(line.split()[1:3]) for line in linux.check("cat /proc/mounts").splitlines()}
    assert mounted >= {
        ("/dev", "devtmpfs"),
        ("/proc", "proc"),
        ("/sys", "sysfs"),
        ("/sys/fs/cgroup", "cgroup2"),
        ("/tmp", "tmpfs"),
        ("/dev/pts", "devpts"),
    }


def test_init_has_nothing_to_complain_of(linux):
    assert not re.search(r"^init: .*", linux.log.read_text(errors="replace"), re.M)


def test_the_driver_can_be_unloaded_and_loaded_again(linux):
    """Five times, because each maps and unmaps memory of the kernel."""
    assert re.search(r"^litemrc ", linux.check("lsmod"), re.M)
    for _ in range(5):
        linux.check(UNLOAD)
        assert not re.search(r"^litemrc ", linux.check("lsmod"), re.M)
        linux.check(LOAD)
    assert re.search(r"^litemrc ", linux.check("lsmod"), re.M)


def test_init_reaps_orphans(linux):
    linux.check("sh -c 'true & sleep 0.1 & exit 0'; sleep 0.3")
    assert linux.run("grep -l '^State:.Z' /proc/[0-9]*/status") == (1, "")


def test_the_daemons_user_may_divide_its_cgroup_and_no_other(linux):
    assert linux.check("setuidgid litemrc id -u") == "1000\n"
    linux.check(f"setuidgid litemrc mkdir {DELEGATED}/part")
    linux.check(f"setuidgid litemrc sh -c 'echo +memory >{DELEGATED}/cgroup.subtree_control'")
    assert linux.check(f"cat {DELEGATED}/part/memory.high") == "max\n"
    linux.check(f"setuidgid litemrc sh -c 'echo 1048576 >{DELEGATED}/part/memory.high'")
    status, _ = linux.run("setuidgid litemrc mkdir /sys/fs/cgroup/mine 2>&1")
    assert status == 1
    status, _ = linux.run(f"setuidgid litemrc sh -c 'echo max >{DELEGATED}/memory.high' 2>&1")
    assert status != 0
    linux.check(f"rmdir {DELEGATED}/part")


@pytest.fixture
def cgroup(linux):
    """Yield a new cgroup; processes left in it are killed at the end."""
    linux.check("mkdir /sys/fs/cgroup/test")
    yield "/sys/fs/cgroup/test"
    linux.check("echo 1 >/sys/fs/cgroup/test/cgroup.kill")
    linux.check("while grep -q 'populated 1' /sys/fs/cgroup/test/cgroup.events; do sleep 0.1; done")
    linux.check("rmdir /sys/fs/cgroup/test")


def test_memory_high_pushes_pages_out_to_zram_and_they_come_back(linux, cgroup):
    """A loop over 512 pages with a budget of 256: 256 are swapped out at any time, and in when touched."""
    assert linux.check("tail -n 1 /proc/swaps").startswith("/dev/zram0")
    linux.check(f"echo {256 * PAGE_KB}K >{cgroup}/memory.high")

    def counts():
        text = linux.check("cat /proc/vmstat")
        return [int(re.search(rf"^{name} (\d+)$", text, re.M)[1]) for name in ("pswpout", "pswpin")]

    before = counts()
    linux.check(f"sh -c 'echo $$ >{cgroup}/cgroup.procs; exec linear 512 4'")
    out, back = (after - begin for after, begin in zip(counts(), before, strict=True))
    assert out >= 512 - 256
    assert back >= 512 - 256


def test_memory_reclaim_takes_what_is_asked(linux, cgroup):
    """The program has touched its pages and sleeps, so that none is swapped in at once."""
    program = "exec intr 256 4096 1 100000"
    linux.check(f"sh -c 'echo $$ >{cgroup}/cgroup.procs; {program}' >/dev/null & sleep 1")
    before = int(linux.check(f"cat {cgroup}/memory.current"))
    linux.check(f"echo {64 * PAGE_KB}K >{cgroup}/memory.reclaim")
    # Some of the 64 may belong to the kernel or to the program's file.
    assert int(linux.check(f"cat {cgroup}/memory.current")) <= before - 32 * PAGE_KB * 1024
    assert int(linux.check(f"cat {cgroup}/memory.swap.current")) >= 32 * PAGE_KB * 1024


def minor_faults(linux, command):
    report = linux.check(f"time -v {command} 2>&1")
    return int(re.search(r"Minor \(reclaiming a frame\) page faults: (\d+)", report)[1])


def test_linear_touches_each_of_its_pages(linux):
    assert minor_faults(linux, "linear 300 2") - minor_faults(linux, "linear 1 2") == 299


def zipf_pages(page_count, touches):
    """Return the pages that intr touches: xorshift32 from its seed, weight 2^24 / (k + 1) for page k."""
    cumulative = list(itertools.accumulate(2**24 // (page + 1) for page in range(page_count)))
    state, pages = 2463534242, []
    for _ in range(touches):
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        weight = state * cumulative[-1] >> 32
        pages.append(next(page for page, least in enumerate(cumulative) if least > weight))
    return pages


def test_intr_touches_pages_by_zipfs_law(linux):
    touched = set(zipf_pages(256, 2 * 150))
    assert 60 < len(touched) < 200  # neither few, as without the tail, nor most, as in a uniform draw (177)
    assert minor_faults(linux, "intr 256 150 2 0") - minor_faults(linux, "intr 1 150 2 0") == len(touched) - 1


def turns(linux, command):
    """Return begin and length, in microseconds, of each turn of a program."""
    linux.check(f"{command} /tmp/turns")
    return [tuple(map(int, line.split())) for line in linux.check("cat /tmp/turns").splitlines()]


def test_programs_write_begin_and_length_of_each_turn(linux):
    rounds = turns(linux, "linear 8 3")
    assert len(rounds) == 3
    assert all(start + length <= after for (start, length), (after, _) in itertools.pairwise(rounds))
    iterations = turns(linux, "intr 8 10 4 2")  # sleeps for 2 ms
    assert len(iterations) == 4
    assert all(
        start + length + 2000 <= after for (start, length), (after, _) in itertools.pairwise(iterations)
    )


def test_elapsed_writes_begin_and_length_of_a_program(linux):
    (turn,) = turns(linux, "elapsed -o /tmp/turns sleep 0.2; true")
    assert 200_000 <= turn[1] < 10_000_000
    assert linux.run("elapsed -o /tmp/turns sh -c 'exit 3'") == (3, "")
    assert linux.run("elapsed -o /nowhere/turns true 2>&1")[0] == 1


def test_awk_works(linux):
    """A compiler that takes busybox's pointer to its variables for a constant makes it crash."""
    assert linux.check("printf '1 2\n3 4\n' | awk '{s+=$2} END {print s, length(\"abc\")}'") == "6 3\n"


def test_sigterm_ends_intr_after_the_present_iteration(linux):
    printed = linux.check("intr 8 10 100000 1 /tmp/turns & sleep 0.3; kill $!; wait $!")
    count = int(re.search(r"(\d+) iterations", printed)[1])
    assert 0 < count < 100000
    assert int(linux.check("wc -l </tmp/turns")) == count


@pytest.mark.parametrize("arguments", ["0", "x", "-1", "4294967296", "1 0"])
@pytest.mark.parametrize("program", ["linear", "intr"])
def test_programs_refuse_what_is_no_number_in_range(linux, program, arguments):
    status, printed = linux.run(f"{program} {arguments} 2>&1")
    assert status == 2
    assert f"{program}: argument" in printed


def test_switches_and_elapsed_measure_time(linux):
    assert re.search(r"\b[1-9]\d* ns", linux.check("elapsed sh -c true 2>&1"))
    status, _ = linux.run("elapsed sh -c false 2>&1")
    assert status == 1
    stages = "/tmp/first parent /tmp/second child /tmp/third text"
    assert re.fullmatch(r"([1-9]\d* ns a switch\n){4}", linux.check(f"switches 20 {stages}"))
    first, second, third = (linux.check(f"cat /tmp/{name}") for name in ("first", "second", "third"))
    assert int(first) != int(second)
    assert third == "text\n"


def test_poweroff_ends_the_machine(images, tmp_path):
    machine = Qemu(tmp_path)
    with machine as console:
        console.write(b"poweroff\n")
        assert machine.wait() == 0

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Instructions that the tracker without hardware takes, on Linux in qemu.

qemu's clock counts instructions, one a nanosecond. Prints what it writes to docs/os-tracker.md.
"""

import re
from pathlib import Path

from scripts.docs.page_tables import fill_tables, markdown
from tests.linux.console import Console
from tests.linux.driver.building import ROOT
from tests.linux.driver.cpio import write_initramfs
from tests.linux.qemu import Qemu

OUT = ROOT / "build/bench/linux_tracker_instructions"
PAGE = ROOT / "docs/os-tracker.md"
MODULE = ROOT / "build/linux/kernel-modules/tracker/litemrc_os.ko"
TRACKER = "/sys/devices/platform/litemrc.0.auto/tracker"
DEVICE = "/sys/class/misc/litemrc0"
PROGRAM = 400  # pages
SHORT_LIST, LONG_LIST = 64, 384  # pages: the loop faults in the first
SCANS = 10


def prepare(console: Console, module: Path) -> None:
    """Load the tracker, without periodic scans and ends of epochs, and disable it."""
    console.check(f"insmod /{module.name} period_ms=0; mkdir /sys/fs/cgroup/work")
    console.check(f"cd {DEVICE}; echo 0 >enable; echo cycles >epoch_unit; echo 4294967295 >epoch_length")


def follow(console: Console, scan_list: int) -> None:
    console.check(f"echo 0 >{DEVICE}/enable; echo {scan_list} >{TRACKER}/scan_list")
    console.check(f"echo 1 >{DEVICE}/enable; echo /work >{DEVICE}/contexts/1/cgroup")


def instructions(console: Console, command: str, count: int = 1) -> int:
    """Return the instructions of `count` runs of a command line, the shell's included."""
    numbers = " ".join(map(str, range(count)))
    printed = console.check(f"elapsed sh -c 'for i in {numbers}; do {command}; done' 2>&1 >/dev/null")
    return int(re.findall(r"^(\d+) ns", printed, re.M)[-1])


def loop(console: Console, pages: int, rounds: int) -> int:
    """Return the instructions of a loop over pages in the cgroup."""
    enter = "echo $$ >/sys/fs/cgroup/work/cgroup.procs"
    return instructions(console, f"{enter}; linear {pages} {rounds}")


def fault(console: Console) -> float:
    """Return the instructions of an access in a loop, longer than the short scan list."""
    few, many = 10, 60
    return (loop(console, PROGRAM, many) - loop(console, PROGRAM, few)) / (PROGRAM * (many - few))


def first_access(console: Console) -> float:
    """Return the instructions of the first access to a page, until the page is free again."""
    return (loop(console, PROGRAM, 1) - loop(console, 1, 1)) / (PROGRAM - 1)


def scan(console: Console, scan_list: int) -> float:
    """Return the instructions of a scan whose pages were not accessed."""
    follow(console, scan_list)
    sleeping = f"linear {PROGRAM} 1 /dev/null 1000000"
    console.check(f"(echo 0 >/sys/fs/cgroup/work/cgroup.procs; exec {sleeping}) >/dev/null & sleep 1")
    console.check(f"echo 1 >{TRACKER}/scan; echo 1 >{TRACKER}/scan")  # clear the accessed bits
    counted = instructions(console, f"echo 1 >{TRACKER}/scan", SCANS) / SCANS
    console.check(f"kill $(pidof linear); sleep 1; echo - >{DEVICE}/contexts/1/cgroup")
    return counted


def main() -> None:
    """Print the table, and fill it into docs/os-tracker.md."""
    OUT.mkdir(parents=True, exist_ok=True)
    overlay = OUT / "module.cpio"
    write_initramfs(overlay, {MODULE.name: MODULE})
    with Qemu(OUT, overlay=[overlay], arguments=("-icount", "shift=0")) as console:
        prepare(console, MODULE)
        loop(console, 1, 1)  # its file is in the page cache then
        access, first = fault(console), first_access(console)
        follow(console, SHORT_LIST)
        followed_fault = fault(console)
        follow(console, PROGRAM * 2)
        followed_first = first_access(console)
        console.check(f"echo - >{DEVICE}/contexts/1/cgroup")
        scanned = (scan(console, LONG_LIST) - scan(console, SHORT_LIST)) / (LONG_LIST - SHORT_LIST)
    rows = [
        ["an access to a page beyond the scan list", f"{access:,.0f}", f"{followed_fault:,.0f}"],
        ["the first access to a page, and its end", f"{first:,.0f}", f"{followed_first:,.0f}"],
        ["a page of a scan that was not accessed", "", f"{scanned:,.0f}"],
    ]
    table = markdown(("instructions of", "not followed", "followed"), rows)
    print(table)
    fill_tables(PAGE, {"linux-tracker-instructions": table})


if __name__ == "__main__":
    main()

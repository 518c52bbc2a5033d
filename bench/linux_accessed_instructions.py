#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Instructions of a walk through page tables that sets accessed bits, for each entry, on Linux in qemu.

qemu's clock counts instructions, one a nanosecond. A software monitor says which frames were accessed. Prints
what it writes to docs/accessed.md.
"""

from collections import Counter

from bench.linux_accessed import OUT, PAGE, feed_events
from bench.linux_tracker_cost import CGROUP, HARDWARE
from scripts.docs.page_tables import fill_tables, markdown
from tests.linux.console import Console
from tests.linux.driver.building import build_modules
from tests.linux.driver.cpio import write_initramfs
from tests.linux.qemu import IMAGES, Qemu

PROGRAM, WALKS = 3000, 20  # pages of the program, walks through them
FAKE = "/sys/devices/platform/litemrc.0/fake"
FRAMES_LOG2 = 13


class Guest:
    """Runs command lines that must succeed."""

    def __init__(self, console: Console) -> None:
        self.run = console.check


def walk(guest: Guest, times: int, touch: bool = False) -> Counter[str]:
    """Return the mean events of walks, with all frames accessed or none."""
    before = feed_events(guest)
    for _ in range(times):
        if touch:
            guest.run(f"echo '0 {2**FRAMES_LOG2 - 1}' >{FAKE}/touch")
        # The program must have run in the epoch.
        guest.run("kill -STOP $(pidof linear); sleep 0.1; kill -CONT $(pidof linear); sleep 0.1; true")
        guest.run(f"echo 1 >{HARDWARE}/end_epoch; sleep 0.1")
    after = feed_events(guest)
    return Counter({name: (after[name] - before[name]) / times for name in after})


def measure(guest: Guest) -> dict[str, float]:
    """Return the instructions of an entry, by its kind."""
    guest.run(f"insmod /litemrc_fake.ko page_bitmap=1 frames_log2={FRAMES_LOG2}")
    guest.run(f"echo 1 >{HARDWARE}/feed_accessed; mkdir {CGROUP}")
    walk(guest, 1, touch=True)
    alone = walk(guest, WALKS)
    enter = f"sh -c 'echo $$ >{CGROUP}/cgroup.procs; exec linear {PROGRAM} 1 /dev/null 1000000'"
    guest.run(f"{enter} >/dev/null & sleep 1")
    young = walk(guest, WALKS)
    # The kernel looks for pages to evict, and so makes all of them old.
    guest.run(f"echo 4K >{CGROUP}/memory.reclaim")
    old, marked = walk(guest, WALKS), walk(guest, 1, touch=True)

    def between(later: Counter[str], earlier: Counter[str], entries: float) -> float:
        return 1000 * (later["microseconds"] - earlier["microseconds"]) / entries

    passed = between(young, alone, young["visited"] - alone["visited"])
    return {
        "of a page already marked, or of none": passed,
        "of a page that was not accessed": passed + between(old, young, marked["marked"]),
        "marked": passed + between(marked, young, marked["marked"]),
    }


def main() -> None:
    """Print the table, and fill it into docs/accessed.md."""
    OUT.mkdir(parents=True, exist_ok=True)
    modules = build_modules(IMAGES / "kernel", OUT / "modules")
    write_initramfs(OUT / "fake.cpio", {module.name: module for module in modules})
    with Qemu(OUT / "qemu", overlay=[OUT / "fake.cpio"], arguments=("-icount", "shift=0")) as console:
        found = measure(Guest(console))
    table = markdown(("an entry", "instructions"), [[kind, f"{count:.0f}"] for kind, count in found.items()])
    print(table)
    fill_tables(PAGE, {"linux-accessed-instructions": table})


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Evacuations of ranks under load, on Linux in qemu: every page of every kind checked after 10,000 of them.

Without load, the instructions to move a page and to open a rank are counted.

`python -m bench.linux_ranks [ROUNDS [PAGES]]`, after `make linux-numa`. Prints what it writes to
build/bench/linux_ranks.json.
"""

import json
import re
import sys
import time

from tests.linux.console import Console
from tests.linux.driver.building import ROOT
from tests.linux.ranks.conftest import build_overlay, monitor_of
from tests.linux.ranks.machine import PAGE, RanksMachine
from tests.linux.ranks.placed import HOLD, LET_GO

OUT = ROOT / "build/bench/linux_ranks"
RANK = "/sys/class/misc/litemrc0/ranks/2"


def main() -> None:
    """Run the load of tests/linux/ranks/guest/evacuees.c; exit with 1 if a page was wrong."""
    rounds, pages = (int(word) for word in sys.argv[1:] + ["10000", "320"][len(sys.argv) - 1 :])
    begin = time.monotonic()
    overlay = [build_overlay(ROOT / "build/linux/ranks-tests")]
    machine = RanksMachine(OUT, overlay=overlay)
    with machine as console:
        console.check(f"insmod /litemrc_fake.ko {monitor_of(machine.rank_mb)}")
        output = console.check(f"/nodes evacuees {rounds} {pages}", timeout_s=2 * rounds)
        migrated = console.check("sed -n 's/^pgmigrate_success //p' /proc/vmstat")
        complaints = console.check("dmesg | grep -cE 'WARNING|BUG|Oops|Out of memory' || true")
    counts = {name: int(number) for name, number in re.findall(r"([a-z_]+) (\d+)", output.splitlines()[-1])}
    mib = int(migrated) * PAGE / (1 << 20)
    result = {
        "rounds": rounds,
        **counts,
        "kernel_complaints": int(complaints),
        "migrated_mib": round(mib),
        "ms_per_mib": round(counts["us"] / 1000 / mib, 2) if mib else None,
        **instructions(RanksMachine(OUT, overlay=overlay, arguments=("-icount", "shift=0"))),
        "seconds": round(time.monotonic() - begin),
    }
    OUT.with_suffix(".json").write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))
    sys.exit(1 if counts["wrong"] or result["kernel_complaints"] else 0)


def instructions(machine: RanksMachine, few: int = 100, many: int = 2000, times: int = 10) -> dict[str, int]:
    """Return the instructions to move a page and to open a rank. The machine's clock runs at 1 ns each."""
    moves_us, opens_us = [], []
    stamp, close, open_ = "echo . >/dev/kmsg", f"echo 1 >{RANK}/evacuate", f"echo 0 >{RANK}/evacuate"
    each = " ".join(map(str, range(times)))
    with machine as console:
        console.check(f"insmod /litemrc_fake.ko {monitor_of(machine.rank_mb)}")
        for pages in (few, many):
            console.check(HOLD.format(f"hold 2 {pages}"))
            console.check(close)
            moves_us.append(microseconds(console))
            console.check(open_)
            console.check(LET_GO)
        for _ in range(2):  # the first time, pages of caches move
            console.check(f"dmesg -c >/dev/null; {close}; {open_}")
            log = console.check(f"{stamp}; for i in {each}; do {close}; {open_}; done; {stamp}; dmesg")
            begin, end = (1e6 * float(seconds) for seconds in re.findall(r"\[ *([\d.]+)\] \.", log))
            opens_us.append((end - begin) / times - microseconds(console))
    return {
        "instructions_per_page": round(1000 * (moves_us[1] - moves_us[0]) / (many - few)),
        "instructions_to_open": round(1000 * opens_us[-1]),
    }


def microseconds(console: Console) -> int:
    """Return how long the last evacuation took."""
    return int(console.check(f"cat {RANK}/evacuation/microseconds"))


if __name__ == "__main__":
    main()

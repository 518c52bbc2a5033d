#!/usr/bin/env python3
"""Evacuations of ranks under load, on Linux in qemu: every page of every kind checked after 10,000 of them.

`python bench/linux_ranks.py [ROUNDS [PAGES]]`, after `make linux-numa`. Prints what it writes to
build/bench/linux_ranks.json.
"""

import json
import re
import sys
import time

from linux.driver.building import ROOT
from linux.ranks.conftest import build_overlay, monitor_of
from linux.ranks.machine import PAGE, RanksMachine

OUT = ROOT / "build/bench/linux_ranks"


def main() -> None:
    """Run the load of tests/linux/ranks/guest/evacuees.c; exit with 1 if a page was wrong."""
    rounds, pages = (int(word) for word in [*sys.argv[1:], "10000", "320"][:2])
    begin = time.monotonic()
    machine = RanksMachine(OUT, overlay=[build_overlay(ROOT / "build/linux/ranks-tests")])
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
        "seconds": round(time.monotonic() - begin),
    }
    OUT.with_suffix(".json").write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))
    sys.exit(1 if counts["wrong"] or result["kernel_complaints"] else 0)


if __name__ == "__main__":
    main()

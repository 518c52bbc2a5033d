#!/usr/bin/env python3
"""What following costs: clocks of the same work on Linux in the RTL, with the monitor off, on, and following.

Clocks are simulated ones: a busy machine changes none. Epochs end by command only, unless a case says so.
"""

import json
import re
import statistics
import tempfile
from pathlib import Path

from linux.console import Console
from linux.qemu import IMAGES, READY, ROOT
from litemrc.device.simulation.linux_images import linux_images
from litemrc.device.simulation.simulator import Simulator

CLOCKS_PER_NS = 50_000_000 / 1e9
RUNS = 3
ROUNDS = 60
LINES = 1500
BOOT_TIMEOUT_S = 1800
COMMAND_TIMEOUT_S = 1800
OUT = ROOT / "build/bench/linux_overhead.json"

SET_UP = (
    "cd /sys/class/misc/litemrc0; mkdir -p /sys/fs/cgroup/work; "
    f"seq {LINES} >/tmp/lines; echo '4294967295 cycles' >epoch_length"
)
COMPRESS = (
    "sh -c 'echo $$ >/sys/fs/cgroup/work/cgroup.procs; exec elapsed gzip -c /tmp/lines' 2>&1 >/dev/null"
)
# Name: what is written before, and what prints its nanoseconds.
CASES = {
    "switch, monitor off": ("echo 0 >enable", f"switches {ROUNDS}"),
    "switch, monitor on": ("echo 1 >enable", f"switches {ROUNDS}"),
    "switch, both followed": ("echo 1 >enable", f"switches {ROUNDS} contexts/1/pid contexts/2/pid"),
    "gzip, monitor off": ("echo 0 >enable; echo - >contexts/3/cgroup", COMPRESS),
    "gzip, followed": ("echo 1 >enable; echo /work >contexts/3/cgroup", COMPRESS),
    "gzip, followed, 2^24 clocks an epoch": ("echo '16777216 cycles' >epoch_length", COMPRESS),
}
AFTER = "for n in 1 2; do echo 0 >contexts/$n/pid; done; echo '4294967295 cycles' >epoch_length"


def main() -> None:
    """Boot, measure every case in turn, several times, and print the medians."""
    clocks: dict[str, list[float]] = {name: [] for name in CASES}
    shim = ROOT / "build/boot/shim.bin"
    with tempfile.TemporaryDirectory() as folder:
        images = linux_images(IMAGES)
        with Simulator(ROOT / "build/sim-linux", shim, Path(folder) / "run", images=images) as simulator:
            console = Console(simulator.type, simulator.console, lambda: simulator.running, COMMAND_TIMEOUT_S)
            console.wait_for(READY, BOOT_TIMEOUT_S)
            simulator.type(b"cat | sh\n")  # a shell that does not edit lines takes them faster
            console.check(SET_UP)
            for _ in range(RUNS):
                for name, (before, work) in CASES.items():
                    console.check(before)
                    printed = console.check(work)
                    console.check(AFTER)
                    (ns,) = re.findall(r"^(\d+) ns", printed, re.MULTILINE)
                    clocks[name].append(int(ns) * CLOCKS_PER_NS)
                    print(f"{name}: {clocks[name][-1]:,.0f} clocks", flush=True)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(clocks, indent=1))
    median = {name: statistics.median(values) for name, values in clocks.items()}
    print()
    for name, value in median.items():
        base = median[name.partition(",")[0] + ", monitor off"]
        print(f"{name:40} {value:12,.0f} clocks {value - base:+12,.0f} {value / base - 1:+8.2%}")


if __name__ == "__main__":
    main()

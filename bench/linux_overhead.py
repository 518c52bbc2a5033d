#!/usr/bin/env python3
"""Overhead of following processes: cycles of equal work on Linux in the RTL; monitor off, on, and following.

Cycles are simulated, so the load of the machine has no effect. Epochs end only by command, unless stated.
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
# Name: the command before, and the command that prints its nanoseconds.
CASES = {
    "switch, monitor off": ("echo 0 >enable", f"switches {ROUNDS}"),
    "switch, monitor on": ("echo 1 >enable", f"switches {ROUNDS}"),
    "switch, both followed": ("echo 1 >enable", f"switches {ROUNDS} contexts/1/pid contexts/2/pid"),
    "gzip, monitor off": ("echo 0 >enable; echo - >contexts/3/cgroup", COMPRESS),
    "gzip, followed": ("echo 1 >enable; echo /work >contexts/3/cgroup", COMPRESS),
    "gzip, followed, epochs of 2^24 cycles": ("echo '16777216 cycles' >epoch_length", COMPRESS),
}
AFTER = "for n in 1 2; do echo 0 >contexts/$n/pid; done; echo '4294967295 cycles' >epoch_length"


def main() -> None:
    """Boot, measure all cases alternately several times, and print the medians."""
    cycles: dict[str, list[float]] = {name: [] for name in CASES}
    shim = ROOT / "build/boot/shim.bin"
    with tempfile.TemporaryDirectory() as folder:
        images = linux_images(IMAGES)
        with Simulator(ROOT / "build/sim-linux", shim, Path(folder) / "run", images=images) as simulator:
            console = Console(simulator.type, simulator.console, lambda: simulator.running, COMMAND_TIMEOUT_S)
            console.wait_for(READY, BOOT_TIMEOUT_S)
            simulator.type(b"cat | sh\n")  # a shell without line editing reads lines faster
            console.check(SET_UP)
            for _ in range(RUNS):
                for name, (before, work) in CASES.items():
                    console.check(before)
                    printed = console.check(work)
                    console.check(AFTER)
                    (ns,) = re.findall(r"^(\d+) ns", printed, re.MULTILINE)
                    cycles[name].append(int(ns) * CLOCKS_PER_NS)
                    print(f"{name}: {cycles[name][-1]:,.0f} cycles", flush=True)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(cycles, indent=1))
    median = {name: statistics.median(values) for name, values in cycles.items()}
    print()
    for name, value in median.items():
        base = median[name.partition(",")[0] + ", monitor off"]
        print(f"{name:40} {value:12,.0f} cycles {value - base:+12,.0f} {value / base - 1:+8.2%}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Overhead of following processes: cycles of equal work on Linux in the RTL; monitor off, on, and following.

Cycles are simulated, so the load of the machine has no effect. Epochs end only by command, unless stated.
`--only` measures one kind of work, `--baud` with a link as on a board.
"""

import argparse
import json
import re
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from litemrc.device.simulation.linux_start import LinuxBuild
from litemrc.device.simulation.simulator import Simulator

from tests.linux.console import Console
from tests.linux.qemu import IMAGES, ROOT
from tests.linux.rtl import shell_of

CLOCKS_PER_NS = 50_000_000 / 1e9
RUNS = 3
ROUNDS = 60
INPUT_BYTES = 29_000
COMMAND_TIMEOUT_S = 1800
OUT = ROOT / "build/bench/linux_overhead.json"

SET_UP = (
    "cd /sys/class/misc/litemrc0; mkdir -p /sys/fs/cgroup/work; "
    f"dd if=/bin/busybox of=/tmp/input bs={INPUT_BYTES} count=1; "
    "echo cycles >epoch_unit; echo 4294967295 >epoch_length"
)
IN_CGROUP = "sh -c 'echo $$ >/sys/fs/cgroup/work/cgroup.procs; exec {}'"
# Name: what `switches` writes before it measures again. The processes are the same, and so are their pages.
SWITCHES = {
    "switch, monitor off": "enable 0",
    "switch, monitor on": "enable 1",
    "switch, one followed": "contexts/1/pid parent",
    "switch, both followed": "contexts/2/pid child",
    "switch, cgroup followed": "contexts/1/pid 0 contexts/2/pid 0 contexts/3/cgroup /work",
    "switch, monitor off again": "contexts/3/cgroup - enable 0",
}
PAGES = 1024
ALLOCATE = IN_CGROUP.format(f"elapsed busybox dd if=/dev/zero of=/dev/null bs={4 * PAGES}K count=1") + " 2>&1"
COMPRESS = IN_CGROUP.format("elapsed gzip -c /tmp/input") + " 2>&1 >/dev/null"
# Name: the command before.
ALLOCATIONS = {
    "page, monitor off": "echo 0 >enable; echo - >contexts/3/cgroup",
    "page, monitor on": "echo 1 >enable",
    "page, followed": "echo /work >contexts/3/cgroup",
}
COMPRESSIONS = {
    "gzip, monitor off": "echo 0 >enable; echo - >contexts/3/cgroup",
    "gzip, followed": "echo 1 >enable; echo /work >contexts/3/cgroup",
    "gzip, followed, epochs of 2^24 cycles": "echo 16777216 >epoch_length",
    "gzip, followed, epochs of 2^21 cycles": "echo 2097152 >epoch_length",
}
AFTER = "echo - >contexts/3/cgroup; echo 0 >enable; echo 4294967295 >epoch_length"


def nanoseconds(printed: str) -> list[int]:
    """Return the nanoseconds that `switches` and `elapsed` print, one number a line."""
    return [int(text) for text in re.findall(r"^(\d+) ns", printed, re.MULTILINE)]


def switches(console: Console) -> dict[str, float]:
    """Return the nanoseconds per switch, by name."""
    stages = [(name, pair) for name, text in SWITCHES.items() for pair in pairs(text)]
    words = " ".join(pair for _, pair in stages)
    _, *measured = nanoseconds(console.check(IN_CGROUP.format(f"switches {ROUNDS} {words}")))
    # Of several pairs of one name, the last.
    return {name: ns for (name, _), ns in zip(stages, measured, strict=True)}


def pairs(text: str) -> list[str]:
    """Split the arguments of `switches` into pairs of file and text."""
    words = text.split()
    return [" ".join(words[i : i + 2]) for i in range(0, len(words), 2)]


def programs(console: Console, cases: dict[str, str], command: str, parts: int = 1) -> dict[str, float]:
    """Return the nanoseconds of a program for each of its parts, by name."""
    measured = {}
    for name, before in cases.items():
        console.check(before)
        (ns,) = nanoseconds(console.check(command))
        measured[name] = ns / parts
    console.check(AFTER)
    return measured


WORK: dict[str, Callable[[Console], dict[str, float]]] = {
    "switch": switches,
    "page": lambda console: programs(console, ALLOCATIONS, ALLOCATE, PAGES),
    "gzip": lambda console: programs(console, COMPRESSIONS, COMPRESS),
}


@contextmanager
def prepared(link_baud: int = 0) -> Iterator[tuple[Simulator, Console]]:
    """Run Linux in the RTL, ready for the works; yield the simulator and its shell."""
    build = LinuxBuild(ROOT / "build/sim-linux", ROOT / "build/boot/shim.bin", IMAGES)
    with (
        tempfile.TemporaryDirectory() as folder,
        build.simulator(Path(folder) / "run", link_baud=link_baud, on_boot=print) as simulator,
    ):
        console = shell_of(simulator, COMMAND_TIMEOUT_S)
        console.check(SET_UP)
        yield simulator, console


def main() -> None:
    """Measure all cases alternately several times, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=WORK, help="one kind of work")
    parser.add_argument("--rounds", type=int, default=RUNS, help=f"runs of each case (default: {RUNS})")
    parser.add_argument("--baud", type=int, default=0, help="of the link; kept in a file of its own")
    options = parser.parse_args()
    out = OUT.with_stem(f"{OUT.stem}_{options.baud}") if options.baud else OUT
    kinds = [options.only] if options.only else list(WORK)
    cycles: dict[str, list[float]] = defaultdict(list)
    with prepared(options.baud) as (_, console):
        for _ in range(options.rounds):
            for kind in kinds:
                for name, ns in WORK[kind](console).items():
                    cycles[name].append(ns * CLOCKS_PER_NS)
                    print(f"{name}: {cycles[name][-1]:,.0f} cycles", flush=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    kept = json.loads(out.read_text()) if out.exists() else {}
    out.write_text(json.dumps(kept | cycles, indent=1))
    print()
    for name, values in cycles.items():
        base = cycles[name.partition(",")[0] + ", monitor off"]
        more = statistics.median(value - before for value, before in zip(values, base, strict=True))
        value = statistics.median(values)
        print(f"{name:40} {value:12,.0f} cycles {more:+12,.0f} {more / statistics.median(base):+8.2%}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The tracker without hardware on the SoC: its cycles, and its curves beside the monitor's.

Linux in the RTL. VexRiscv sets no accessed bits, so the scan list is first in, first out. Cycles are
simulated: the load of the machine has no effect. Prints what it writes to
build/bench/linux_tracker_cost.json and docs/os-tracker.md.
"""

import json
import re
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from linux.driver.building import ROOT
from linux.driver.cpio import write_initramfs
from linux.test_system import zipf_pages
from litemrc.checks.replay import Replay, replay
from litemrc.device.simulation.guest_shell import GuestShell
from litemrc.device.simulation.linux_start import LinuxBuild
from litemrc.device.simulation.recording import read_recording
from litemrc.golden.monitor.monitor import MonitorModel
from litemrc.native.exact_stack import ExactStack
from numpy.typing import NDArray
from page_tables import fill_tables, markdown

OUT = ROOT / "build/bench/linux_tracker_cost"
PAGE = ROOT / "docs/os-tracker.md"
SIM = ROOT / "build/sim-linux"
TRACKER = "/sys/devices/platform/litemrc.0.auto/tracker"
HARDWARE, OS = (f"/sys/class/misc/litemrc{number}" for number in range(2))
MEMORY, FRAMES, GROUPS, CONTEXTS, CONTEXT = 0x40000000, 8192, 64, 8, 3
GROUP_PAGES = FRAMES // GROUPS
CLOCKS_PER_NS = 50_000_000 / 1e9
PERIOD_MS = 20
SCAN_LISTS = (64, 256, 1024)
COMMAND_TIMEOUT_S = 3600
HEADINGS = ("program", "M cycles without", "the same again", "monitor and tail", "tracker, nothing followed")
SHOWN_GROUPS = (1, 2, 3, 4)  # sizes of the table, in groups


@dataclass(frozen=True)
class Program:
    """A command, and where it is known the pages that it touches.

    Attributes:
        high_pages: memory.high of its cgroup; 0: none.
    """

    name: str
    command: str
    touched: NDArray[np.uint64] | None = None
    high_pages: int = 0


PROGRAMS = (
    Program("intr", "intr 320 60 200 0", np.array(zipf_pages(320, 12_000), np.uint64)),
    Program("loop of 400 pages", "linear 400 15", np.tile(np.arange(400, dtype=np.uint64), 15)),
    Program("gzip of 11 KB", "gzip -c /tmp/lines"),
    Program("loop of 160 pages in 128", "linear 160 2", high_pages=128),
)


@dataclass(frozen=True)
class Cost:
    """Cycles of a program.

    Attributes:
        off: without tracker and monitor, before and after the others.
        hardware: followed by the monitor, with a tail.
        idle: the tracker is enabled, but follows nothing.
        followed, faults, scans: by scan list.
    """

    program: str
    off: list[float]
    hardware: float
    idle: float
    followed: list[float]
    faults: list[int]
    scans: list[int]


@dataclass(frozen=True)
class Counted:
    """Misses of a program by the number of groups of memory, and accesses."""

    accesses: int
    misses: list[int]


def images() -> Path:
    """Build the images of `make linux-ready`, with the tracker's module; return their folder."""
    module = ROOT / "build/linux/kernel-modules/tracker/litemrc_os.ko"
    OUT.mkdir(parents=True, exist_ok=True)
    write_initramfs(OUT / "module.cpio", {"litemrc_os.ko": module})
    # The kernel unpacks archives one after the other.
    archives = (ROOT / "build/linux/initramfs.cpio", OUT / "module.cpio")
    (OUT / "initramfs.cpio").write_bytes(b"".join(archive.read_bytes() for archive in archives))
    generate = [
        sys.executable,
        str(ROOT / "firmware/linux/devicetree/generate.py"),
        "--csr",
        str(SIM / "csr.json"),
    ]
    files = [
        "--image",
        str(ROOT / "build/linux/Image"),
        "--initramfs",
        str(OUT / "initramfs.cpio"),
        "--out",
        str(OUT),
    ]
    subprocess.run([*generate, *files], check=True)
    return OUT


def events(shell: GuestShell) -> dict[str, int]:
    lines = shell.run(f"cat {TRACKER}/events").splitlines()
    return {name: int(number) for name, number in (line.split() for line in lines)}


def cycles_of(shell: GuestShell, program: Program) -> float:
    """Run a program in the cgroup /work, and return its cycles."""
    high = program.high_pages * 4096 or "max"
    shell.run(f"echo {high} >/sys/fs/cgroup/work/memory.high")
    printed = shell.run(
        f"sh -c 'echo $$ >/sys/fs/cgroup/work/cgroup.procs; exec elapsed {program.command}' 2>&1 >/dev/null"
    )
    return int(re.findall(r"^(\d+) ns", printed, re.M)[-1]) * CLOCKS_PER_NS


def follow(shell: GuestShell, device: str) -> None:
    shell.run(f"echo 1 >{device}/enable; echo /work >{device}/contexts/{CONTEXT}/cgroup")


def unfollow(shell: GuestShell, device: str) -> None:
    shell.run(f"echo - >{device}/contexts/{CONTEXT}/cgroup; echo 0 >{device}/enable")


def cost_of(shell: GuestShell, program: Program) -> Cost:
    """Measure a program with the tracker off, idle, and following it."""
    cycles_of(shell, program)  # its file is in the page cache now
    off = [cycles_of(shell, program)]
    follow(shell, HARDWARE)
    hardware = cycles_of(shell, program)
    unfollow(shell, HARDWARE)
    shell.run(f"echo 1 >{OS}/enable")
    idle = cycles_of(shell, program)
    shell.run(f"echo 0 >{OS}/enable")
    followed, faults, scans = [], [], []
    for scan_list in SCAN_LISTS:
        shell.run(f"echo {scan_list} >{TRACKER}/scan_list")
        follow(shell, OS)
        before = events(shell)
        followed.append(cycles_of(shell, program))
        after = events(shell)
        unfollow(shell, OS)
        faults.append(after["faults"] - before["faults"])
        scans.append(after["scans"] - before["scans"])
    off.append(cycles_of(shell, program))
    cost = Cost(program.name, off, hardware, idle, followed, faults, scans)
    print(cost, flush=True)
    return cost


def counted(shell: GuestShell, device: str) -> tuple[int, Counted]:
    """End the epoch; return its number, and what the device counted of the program in it."""
    shell.run(f"echo 1 >{device}/end_epoch")
    epoch = int(shell.run(f"cat {device}/epoch"))
    folder = f"{device}/contexts/{CONTEXT}"
    accesses, misses = (int(shell.run(f"cat {folder}/{name}")) for name in ("accesses", "misses"))
    hits = np.array(shell.run(f"cat {folder}/hits").split(), np.int64)
    return epoch - 1, Counted(accesses, misses_at(hits, misses))


def misses_at(hits: NDArray[np.int64], misses: int) -> list[int]:
    """Return the misses with the sizes of `SHOWN_GROUPS`."""
    return [misses + int(hits[groups:].sum()) for groups in SHOWN_GROUPS]


def beside(shell: GuestShell, program: Program) -> dict[str, Counted | int]:
    """Run a program with both trackers following it: what each counted, and the epoch of the hardware's."""
    shell.run(f"echo {SCAN_LISTS[0]} >{TRACKER}/scan_list")
    for device in (HARDWARE, OS):
        follow(shell, device)
    cycles_of(shell, program)
    _, of_os = counted(shell, OS)
    epoch, of_hardware = counted(shell, HARDWARE)
    for device in (HARDWARE, OS):
        unfollow(shell, device)
    return {"os": of_os, "hardware": of_hardware, "epoch": epoch}


def exact(pages: NDArray[np.uint64]) -> Counted:
    """Return the exact counts of the pages that a program touches."""
    stack = ExactStack()
    distances = stack.distances(pages).astype(np.int64)
    reused = distances[distances > 0]  # 0: the first access to a page
    hits = np.bincount((reused - 1) // GROUP_PAGES, minlength=GROUPS)
    return Counted(pages.size, misses_at(hits, pages.size - reused.size))


def of_record(golden: Replay, epoch: int) -> Counted:
    counters = golden.epochs[epoch]
    hits = np.array(counters.hits[CONTEXT], np.int64)
    return Counted(int(counters.accesses[CONTEXT]), misses_at(hits, int(counters.misses[CONTEXT])))


def tables(costs: list[Cost], rows: list[tuple[str, str, Counted]]) -> dict[str, str]:
    """Return both tables in Markdown."""
    cost = [
        [
            each.program,
            f"{each.off[0] / 1e6:.2f}",
            *(f"{cycles / each.off[0] - 1:+.1%}" for cycles in (each.off[1], each.hardware, each.idle)),
            *(
                f"{cycles / each.off[0] - 1:+.1%} ({faults:,}, {scans})"
                for cycles, faults, scans in zip(each.followed, each.faults, each.scans, strict=True)
            ),
        ]
        for each in costs
    ]
    lists = (f"scan list {pages:,} (faults, scans)" for pages in SCAN_LISTS)
    sizes = (f"misses at {groups * GROUP_PAGES}" for groups in SHOWN_GROUPS)
    curves = [
        [name, of, f"{row.accesses:,}", *(f"{misses:,}" for misses in row.misses)] for name, of, row in rows
    ]
    return {
        "linux-tracker-cost": markdown((*HEADINGS, *lists), cost),
        "linux-tracker-curves": markdown(("program", "counted by", "accesses", *sizes), curves),
    }


def main() -> None:
    """Measure costs and curves, and fill the page."""
    build = LinuxBuild(SIM, ROOT / "build/boot/shim.bin", images())
    with build.simulator(OUT / "run", on_boot=print) as simulator:
        shell = GuestShell(simulator.wait_ready(), COMMAND_TIMEOUT_S)
        shell.run(
            f"insmod /litemrc_os.ko memory={MEMORY} frames_log2={FRAMES.bit_length() - 1}"
            f" period_ms={PERIOD_MS}"
        )
        shell.run(
            f"for d in {HARDWARE} {OS}; do echo 0 >$d/enable; echo '4294967295 cycles' >$d/epoch_length; done"
        )
        shell.run("mkdir -p /sys/fs/cgroup/work; seq 2500 >/tmp/lines")
        found = {program.name: beside(shell, program) for program in PROGRAMS[:3]}
        print(found, flush=True)
        costs = [cost_of(shell, program) for program in PROGRAMS]
    golden = replay(
        read_recording(simulator.record, 12), MonitorModel(FRAMES, GROUPS, CONTEXTS, "group_stack")
    )
    rows: list[tuple[str, str, Counted]] = []
    for program in PROGRAMS[:3]:
        if program.touched is not None:
            rows.append((program.name, "loads and stores, exact", exact(program.touched)))
        rows.append((program.name, "tracker", found[program.name]["os"]))
        rows.append((program.name, "DRAM accesses, exact", of_record(golden, found[program.name]["epoch"])))
        rows.append((program.name, "monitor", found[program.name]["hardware"]))
    curves = [(name, of, asdict(row)) for name, of, row in rows]
    written = {"costs": [asdict(each) for each in costs], "curves": curves}
    OUT.with_suffix(".json").write_text(json.dumps(written, indent=1) + "\n")
    filled = tables(costs, rows)
    print("\n\n".join(filled.values()))
    fill_tables(PAGE, filled)


if __name__ == "__main__":
    main()

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
CONTEXT = 3
PERIOD_MS = 20
SCAN_LISTS = (64, 256, 1024)
COMMAND_TIMEOUT_S = 3600
HEADINGS = ("program", "M cycles without", "the same again", "monitor and tail", "tracker, nothing followed")
SHOWN_GROUPS = (1, 2, 3, 4)  # sizes of the table, in groups


@dataclass(frozen=True, eq=False)
class Program:
    """A command, and where it is known the pages that it touches.

    Attributes:
        high: memory.high of its cgroup. With a limit, no curves are measured.
    """

    name: str
    command: str
    touched: NDArray[np.uint64] | None = None
    high: str = "max"


def intr(pages: int, rounds: int, touches: int) -> Program:
    touched = np.array(zipf_pages(pages, rounds * touches), np.uint64)
    return Program("intr", f"intr {pages} {rounds} {touches} 0", touched)


def loop(pages: int, rounds: int) -> Program:
    touched = np.tile(np.arange(pages, dtype=np.uint64), rounds)
    return Program(f"loop of {pages} pages", f"linear {pages} {rounds}", touched)


PROGRAMS = (
    intr(320, 60, 200),
    loop(400, 15),
    Program("gzip of 11 KB", "gzip -c /tmp/lines"),
    Program("loop of 160 pages in 128", "linear 160 2", high="512K"),
)


@dataclass(frozen=True)
class Cost:
    """Nanoseconds of a program.

    Attributes:
        off: without tracker and monitor, before and after the others.
        hardware: followed by the monitor, with a tail.
        idle: the tracker is enabled, but follows nothing.
        followed, faults, scans: by scan list.
    """

    program: str
    off: list[int]
    hardware: int
    idle: int
    followed: list[int]
    faults: list[int]
    scans: list[int]


@dataclass(frozen=True)
class Counted:
    """Misses of a program by the number of groups of memory, and accesses."""

    accesses: int
    misses: list[int]


@dataclass(frozen=True)
class Beside:
    """What both trackers counted in one run, and the epoch of the hardware's."""

    tracker: Counted
    hardware: Counted
    epoch: int


@dataclass(frozen=True)
class Sizes:
    """Of the simulated SoC: DRAM's address, the processor's clock, and the monitor's parameters."""

    memory: int
    clock_hz: int
    frames: int
    groups: int
    contexts: int
    page_shift: int
    engine: str

    @property
    def group_pages(self) -> int:
        return self.frames // self.groups


def sizes_of(shell: GuestShell) -> Sizes:
    csr = json.loads((SIM / "csr.json").read_text())
    lines = shell.run(f"cat {HARDWARE}/parameters").splitlines()
    parameters = {name: int(number) for name, number in (line.split() for line in lines)}
    return Sizes(
        memory=csr["memories"]["main_ram"]["base"],
        clock_hz=csr["constants"]["config_clock_frequency"],
        **{name: parameters[name] for name in ("frames", "groups", "contexts", "page_shift")},
        engine=shell.run(f"cat {HARDWARE}/engine").strip(),
    )


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


def time_of(shell: GuestShell, program: Program) -> int:
    """Run a program in the cgroup /work, and return its nanoseconds."""
    shell.run(f"echo {program.high} >/sys/fs/cgroup/work/memory.high")
    printed = shell.run(
        f"sh -c 'echo $$ >/sys/fs/cgroup/work/cgroup.procs; exec elapsed {program.command}' 2>&1 >/dev/null"
    )
    return int(re.findall(r"^(\d+) ns", printed, re.M)[-1])


def follow(shell: GuestShell, device: str) -> None:
    shell.run(f"echo 1 >{device}/enable; echo /work >{device}/contexts/{CONTEXT}/cgroup")


def unfollow(shell: GuestShell, device: str) -> None:
    shell.run(f"echo - >{device}/contexts/{CONTEXT}/cgroup; echo 0 >{device}/enable")


def cost_of(shell: GuestShell, program: Program) -> Cost:
    """Measure a program with the tracker off, idle, and following it."""
    time_of(shell, program)  # its file is in the page cache now
    off = [time_of(shell, program)]
    follow(shell, HARDWARE)
    hardware = time_of(shell, program)
    unfollow(shell, HARDWARE)
    shell.run(f"echo 1 >{OS}/enable")
    idle = time_of(shell, program)
    shell.run(f"echo 0 >{OS}/enable")
    followed, faults, scans = [], [], []
    for scan_list in SCAN_LISTS:
        shell.run(f"echo {scan_list} >{TRACKER}/scan_list")
        follow(shell, OS)
        before = events(shell)
        followed.append(time_of(shell, program))
        after = events(shell)
        unfollow(shell, OS)
        faults.append(after["faults"] - before["faults"])
        scans.append(after["scans"] - before["scans"])
    off.append(time_of(shell, program))
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


def beside(shell: GuestShell, program: Program) -> Beside:
    """Run a program with both trackers following it."""
    shell.run(f"echo {SCAN_LISTS[0]} >{TRACKER}/scan_list")
    for device in (HARDWARE, OS):
        follow(shell, device)
    time_of(shell, program)
    _, of_os = counted(shell, OS)
    epoch, of_hardware = counted(shell, HARDWARE)
    for device in (HARDWARE, OS):
        unfollow(shell, device)
    return Beside(of_os, of_hardware, epoch)


def exact(pages: NDArray[np.uint64], sizes: Sizes) -> Counted:
    """Return the exact counts of the pages that a program touches."""
    stack = ExactStack()
    distances = stack.distances(pages).astype(np.int64)
    reused = distances[distances > 0]  # 0: the first access to a page
    hits = np.bincount((reused - 1) // sizes.group_pages, minlength=sizes.groups)
    return Counted(pages.size, misses_at(hits, pages.size - reused.size))


def of_record(golden: Replay, epoch: int) -> Counted:
    counters = golden.epochs[epoch]
    hits = np.array(counters.hits[CONTEXT], np.int64)
    return Counted(int(counters.accesses[CONTEXT]), misses_at(hits, int(counters.misses[CONTEXT])))


def tables(costs: list[Cost], rows: list[tuple[str, str, Counted]], sizes: Sizes) -> dict[str, str]:
    """Return both tables in Markdown."""
    cost = [
        [
            each.program,
            f"{each.off[0] / 1e9 * sizes.clock_hz / 1e6:.2f}",
            *(f"{time / each.off[0] - 1:+.1%}" for time in (each.off[1], each.hardware, each.idle)),
            *(
                f"{time / each.off[0] - 1:+.1%} ({faults:,}, {scans})"
                for time, faults, scans in zip(each.followed, each.faults, each.scans, strict=True)
            ),
        ]
        for each in costs
    ]
    lists = (f"scan list {pages:,} (faults, scans)" for pages in SCAN_LISTS)
    shown = (f"misses at {groups * sizes.group_pages}" for groups in SHOWN_GROUPS)
    curves = [
        [name, of, f"{row.accesses:,}", *(f"{misses:,}" for misses in row.misses)] for name, of, row in rows
    ]
    return {
        "linux-tracker-cost": markdown((*HEADINGS, *lists), cost),
        "linux-tracker-curves": markdown(("program", "counted by", "accesses", *shown), curves),
    }


def prepare(shell: GuestShell) -> Sizes:
    """Load the tracker, and leave both devices disabled."""
    sizes = sizes_of(shell)
    frames_log2 = sizes.frames.bit_length() - 1
    shell.run(f"insmod /litemrc_os.ko memory={sizes.memory} frames_log2={frames_log2} period_ms={PERIOD_MS}")
    shell.run(
        f"for d in {HARDWARE} {OS}; do echo 0 >$d/enable; echo '4294967295 cycles' >$d/epoch_length; done"
    )
    shell.run("mkdir -p /sys/fs/cgroup/work; seq 2500 >/tmp/lines")
    return sizes


def main() -> None:
    """Measure costs and curves, and fill the page."""
    build = LinuxBuild(SIM, ROOT / "build/boot/shim.bin", images())
    with build.simulator(OUT / "cost", on_boot=print) as simulator:
        shell = GuestShell(simulator.wait_ready(), COMMAND_TIMEOUT_S)
        prepare(shell)
        costs = [cost_of(shell, program) for program in PROGRAMS]
    # In a run of its own: the golden model replays the whole record.
    with build.simulator(OUT / "curves", on_boot=print) as simulator:
        shell = GuestShell(simulator.wait_ready(), COMMAND_TIMEOUT_S)
        sizes = prepare(shell)
        found = {program: beside(shell, program) for program in PROGRAMS if program.high == "max"}
        print(*found.values(), sep="\n", flush=True)
    model = MonitorModel(sizes.frames, sizes.groups, sizes.contexts, sizes.engine)
    golden = replay(read_recording(simulator.record, sizes.page_shift), model)
    rows: list[tuple[str, str, Counted]] = []
    for program, both in found.items():
        if program.touched is not None:
            rows.append((program.name, "loads and stores, exact", exact(program.touched, sizes)))
        rows.append((program.name, "tracker", both.tracker))
        rows.append((program.name, "DRAM accesses, exact", of_record(golden, both.epoch)))
        rows.append((program.name, "monitor", both.hardware))
    curves = [(name, of, asdict(row)) for name, of, row in rows]
    written = {"costs": [asdict(each) for each in costs], "curves": curves}
    OUT.with_suffix(".json").write_text(json.dumps(written, indent=1) + "\n")
    filled = tables(costs, rows, sizes)
    print("\n\n".join(filled.values()))
    fill_tables(PAGE, filled)


if __name__ == "__main__":
    main()

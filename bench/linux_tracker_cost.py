#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The tracker without hardware on the SoC: its cycles, and its curves beside the monitor's.

Linux in the RTL. VexRiscv sets no accessed bits, so scans are by the monitor's bitmaps alone. The cycles are
simulated: the load of the machine has no effect. What is measured is in build/bench/linux_tracker_cost/*.json
at once; `--page` writes tables and picture of docs/os-tracker.md from there without a simulation, `--only
costs` and `--only curves` measure a part of them.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import matplotlib
import numpy as np
from litemrc.checks.counters import replay
from litemrc.device.simulation.guest_shell import GuestShell, values_of
from litemrc.device.simulation.linux_start import LinuxBuild
from litemrc.device.simulation.recording import read_recording
from litemrc.golden.monitor.monitor import MonitorModel
from litemrc.native.exact_stack import ExactStack
from litemrc.plots.curves import COLOURS, STYLE
from litemrc.plots.files import save_figure
from litemrc.traces import open_trace
from matplotlib.figure import Figure
from numpy.typing import NDArray

from scripts.docs.page_tables import fill_tables, markdown
from tests.linux.driver.building import ROOT
from tests.linux.driver.cpio import write_initramfs
from tests.linux.test_system import zipf_pages

OUT = ROOT / "build/bench/linux_tracker_cost"
COSTS, CURVES = OUT / "costs.json", OUT / "curves.json"
PAGE = ROOT / "docs/os-tracker.md"
PICTURE = PAGE.with_suffix(".png")
SIM = ROOT / "build/sim-linux"
TRACKER = "/sys/devices/platform/litemrc.0.auto/tracker"
HARDWARE, OS = (f"/sys/class/misc/litemrc{number}" for number in range(2))
CGROUP = "/sys/fs/cgroup/work"
CONTEXT = 3
PERIOD_MS = 20
LONGEST_EPOCH = 0xFFFF_FFFF  # cycles
LINES = 2500  # of the file that gzip compresses
CURVES_SCAN_LIST, BITMAPS_SCAN_LIST = 64, 256
COMMAND_TIMEOUT_S = 3600
SHOWN_GROUPS = (1, 2, 3, 4)  # sizes of the table, in groups
DRAWN_GROUPS = 6
LOADS_STORES, BY_TRACKER, BY_BITMAPS, DRAM, BY_MONITOR = (
    "loads and stores, exact",
    f"tracker, scan list {CURVES_SCAN_LIST}",
    f"tracker, scan list {BITMAPS_SCAN_LIST}, bitmaps",
    "DRAM accesses, exact",
    "monitor",
)


class Shell(Protocol):
    """Runs a command line that must succeed, and returns its output."""

    def run(self, command: str) -> str: ...


@dataclass(frozen=True, eq=False)
class Program:
    """A command.

    Attributes
    ----------
    warm
        a short run of the same file, which is in the page cache then.
    touched
        returns the page of each load and store.
    high
        memory.high of its cgroup. With a limit, no curves are measured.
    scan_lists
        those that it is measured with.
    """

    name: str
    command: str
    warm: str
    touched: Callable[[], NDArray[np.uint64]] | None = None
    high: str = "max"
    scan_lists: Sequence[int] = (64, 256, 1024)


def intr(pages: int, rounds: int, touches: int) -> Program:
    def touched() -> NDArray[np.uint64]:
        return np.array(zipf_pages(pages, rounds * touches), np.uint64)

    return Program("intr", f"intr {pages} {rounds} {touches} 0", "intr 1 1 1 0", touched)


def loop(pages: int, rounds: int, scan_lists: Sequence[int]) -> Program:
    def touched() -> NDArray[np.uint64]:
        return np.tile(np.arange(pages, dtype=np.uint64), rounds)

    command = f"linear {pages} {rounds}"
    return Program(f"loop of {pages} pages", command, "linear 1 1", touched, scan_lists=scan_lists)


def captured_gzip() -> NDArray[np.uint64]:
    """Return the pages that gzip accesses, code too, in qemu's user mode."""
    lines, trace = OUT / "lines", OUT / "gzip.parquet"
    lines.write_text("".join(f"{number}\n" for number in range(1, LINES + 1)))
    program = [str(ROOT / "build/linux/busybox"), "gzip", "-c", str(lines)]
    caches = ["--cache", "none", "--icache", "32:1:32"]  # of one line: it repeats no fetch
    capture = ["litemrc", "trace", "capture", "-q", *caches, "--out", str(trace), "--", *program]
    subprocess.run(capture, check=True, stdout=subprocess.DEVNULL)
    with closing(open_trace(trace)) as chunks:
        return np.concatenate([np.asarray(chunk.pages, np.uint64) for chunk in chunks])


PROGRAMS = (
    intr(320, 60, 200),
    loop(400, 15, scan_lists=(256, 1024)),
    Program("gzip of 11 KB", "gzip -c /tmp/lines", "gzip -c /dev/null", captured_gzip, scan_lists=(64, 1024)),
    Program("loop of 160 pages in 128", "linear 160 2", "linear 1 1", high="512K", scan_lists=(1024,)),
)


@dataclass(frozen=True)
class Column:
    """How programs run.

    Attributes
    ----------
    device
        what is enabled meanwhile.
    scan_list
        of the tracker, which follows the program; 0: the tracker follows nothing.
    bitmaps
        the monitor is enabled too, and passes the tracker the frames accessed in each period.
    """

    heading: str
    device: str | None = None
    scan_list: int = 0
    bitmaps: bool = False

    @property
    def follows(self) -> bool:
        return self.device == HARDWARE or self.scan_list > 0


WITHOUT = Column("M cycles without")
# In this order: once a process was followed, the tracker is called at page faults while it is enabled.
COLUMNS = (
    WITHOUT,
    Column("tracker, nothing followed", OS),
    Column("monitor and tail", HARDWARE),
    *(Column(f"scan list {pages:,} (faults, scans)", OS, pages) for pages in (64, 256, 1024)),
    Column("scan list 1,024, monitor's bitmaps (faults, scans)", OS, 1024, bitmaps=True),
    Column("without again"),
)


@dataclass(frozen=True)
class Run:
    """Nanoseconds of a program; protection faults and scans meanwhile."""

    ns: int
    faults: int
    scans: int


@dataclass(frozen=True)
class Counted:
    """Accesses, and misses in one group of memory, two groups ..."""

    accesses: int
    misses: list[int]


@dataclass(frozen=True)
class Beside:
    """What both trackers counted in one run, and the epoch of the hardware's.

    Attributes
    ----------
    bitmaps
        what the tracker counted in another run, with scans from the monitor's bitmaps.
    """

    tracker: Counted
    hardware: Counted
    epoch: int
    bitmaps: Counted


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


def sizes_of(shell: Shell) -> Sizes:
    csr = json.loads((SIM / "csr.json").read_text())
    parameters = values_of(shell.run, f"{HARDWARE}/parameters/*")
    return Sizes(
        memory=csr["memories"]["main_ram"]["base"],
        clock_hz=csr["constants"]["config_clock_frequency"],
        **{name: int(parameters[name]) for name in ("frames", "groups", "contexts", "page_shift")},
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


def events(shell: Shell) -> dict[str, int]:
    found = values_of(shell.run, f"{TRACKER}/faults", f"{TRACKER}/scans")
    return {name: int(text) for name, text in found.items()}


def time_of(shell: Shell, command: str) -> int:
    """Run a command in the cgroup, and return its nanoseconds."""
    printed = shell.run(f"sh -c 'echo $$ >{CGROUP}/cgroup.procs; exec elapsed {command}' 2>&1 >/dev/null")
    return int(re.findall(r"^(\d+) ns", printed, re.M)[-1])


def make_cgroup(shell: Shell, high: str) -> None:
    """Make the cgroup anew: without pages of the program before, runs differ less."""
    shell.run(f"rmdir {CGROUP} 2>/dev/null; mkdir {CGROUP} && echo {high} >{CGROUP}/memory.high")


def follow(shell: Shell, device: str) -> None:
    shell.run(f"echo 1 >{device}/enable; echo /{Path(CGROUP).name} >{device}/contexts/{CONTEXT}/cgroup")


def unfollow(shell: Shell, device: str) -> None:
    shell.run(f"echo - >{device}/contexts/{CONTEXT}/cgroup; echo 0 >{device}/enable")


def accessed_bits(shell: Shell) -> str:
    """Let the tracker find out whether the processor sets accessed bits; return what it found."""
    make_cgroup(shell, "max")
    follow(shell, OS)
    time_of(shell, "linear 100 1")
    shell.run(f"echo 1 >{TRACKER}/scan")
    unfollow(shell, OS)
    return shell.run(f"cat {TRACKER}/accessed_bits").strip()


def set_epoch(shell: Shell, device: str, cycles: int) -> None:
    shell.run(f"echo cycles >{device}/epoch_unit; echo {cycles} >{device}/epoch_length")


@contextmanager
def prepared(shell: Shell, program: Program, column: Column, clock_hz: int) -> Iterator[None]:
    """Make a program's cgroup, and enable what a column says meanwhile."""
    make_cgroup(shell, program.high)
    if column.bitmaps:
        set_epoch(shell, HARDWARE, PERIOD_MS * clock_hz // 1000)
        shell.run(f"echo 1 >{HARDWARE}/enable")
    if column.scan_list:
        shell.run(f"echo {column.scan_list} >{TRACKER}/scan_list")
    if column.device and column.follows:
        follow(shell, column.device)
    elif column.device:
        shell.run(f"echo 1 >{column.device}/enable")
    yield
    if column.device and column.follows:
        unfollow(shell, column.device)
    elif column.device:
        shell.run(f"echo 0 >{column.device}/enable")
    if column.bitmaps:
        shell.run(f"echo 0 >{HARDWARE}/enable")
        set_epoch(shell, HARDWARE, LONGEST_EPOCH)


def measure(shell: Shell, program: Program, column: Column, clock_hz: int) -> Run:
    """Run a program in one of the ways."""
    with prepared(shell, program, column, clock_hz):
        before = events(shell)
        ns = time_of(shell, program.command)
        after = events(shell)
    return Run(ns, after["faults"] - before["faults"], after["scans"] - before["scans"])


def measure_costs(shell: Shell, results: dict[str, Any]) -> None:
    """Fill in `costs`: of each program the run of each column, as far as there is one."""
    costs: dict[str, dict[str, Any]] = {program.name: {} for program in PROGRAMS}
    results["costs"] = costs
    for program in PROGRAMS:
        make_cgroup(shell, "max")
        time_of(shell, program.warm)
    for column in COLUMNS:
        if column.follows and column.device == OS and "accessed_bits" not in results:
            results["accessed_bits"] = accessed_bits(shell)
        for program in PROGRAMS:
            if column.scan_list and column.scan_list not in program.scan_lists:
                continue
            run = measure(shell, program, column, results["sizes"]["clock_hz"])
            costs[program.name][column.heading] = asdict(run)
            save(results, COSTS)
            print(f"{program.name}, {column.heading}: {run}", flush=True)


def counted(shell: Shell, device: str) -> tuple[int, Counted]:
    """End the epoch; return its number, and what the device counted of the program in it."""
    shell.run(f"echo 1 >{device}/end_epoch")
    epoch = int(shell.run(f"cat {device}/epoch"))
    folder = f"{device}/contexts/{CONTEXT}"
    accesses, misses = (int(shell.run(f"cat {folder}/{name}")) for name in ("accesses", "misses"))
    hits = np.array(shell.run(f"cat {folder}/hits").split(), np.int64)
    return epoch - 1, Counted(accesses, misses_of(hits, misses))


def misses_of(hits: NDArray[np.int64], misses: int) -> list[int]:
    """Return the misses in one group of memory, two groups ..."""
    return [int(each) for each in misses + hits.sum() - np.cumsum(hits)]


def beside(shell: Shell, program: Program, clock_hz: int) -> Beside:
    """Run a program with both trackers following it, and again with bitmaps."""
    make_cgroup(shell, program.high)
    shell.run(f"echo {CURVES_SCAN_LIST} >{TRACKER}/scan_list")
    for device in (HARDWARE, OS):
        follow(shell, device)
    time_of(shell, program.command)
    _, of_os = counted(shell, OS)
    epoch, of_hardware = counted(shell, HARDWARE)
    for device in (HARDWARE, OS):
        unfollow(shell, device)
    with prepared(shell, program, Column(BY_BITMAPS, OS, BITMAPS_SCAN_LIST, bitmaps=True), clock_hz):
        time_of(shell, program.command)
        _, bitmaps = counted(shell, OS)
    print(f"{program.name}: {of_os}, {bitmaps}, {of_hardware}", flush=True)
    return Beside(of_os, of_hardware, epoch, bitmaps)


def exact(pages: NDArray[np.uint64], sizes: Sizes) -> Counted:
    """Return the exact counts of the pages that a program touches."""
    stack = ExactStack()
    distances = stack.distances(pages).astype(np.int64)
    reused = distances[distances > 0]  # 0: the first access to a page
    hits = np.bincount((reused - 1) // sizes.group_pages, minlength=sizes.groups)
    return Counted(pages.size, misses_of(hits, pages.size - reused.size))


def replayed(record: Path, sizes: Sizes, engine: str, epochs: Sequence[int]) -> list[Counted]:
    """Return what the golden model counts in these epochs."""
    model = MonitorModel(sizes.frames, sizes.groups, sizes.contexts, engine)
    golden = replay(read_recording(record, sizes.page_shift), model)
    found = []
    for counters in (golden.epochs[epoch] for epoch in epochs):
        misses = misses_of(np.array(counters.hits[CONTEXT], np.int64), int(counters.misses[CONTEXT]))
        found.append(Counted(int(counters.accesses[CONTEXT]), misses))
    return found


def curves_of(program: Program, both: Beside, dram: Counted, sizes: Sizes) -> dict[str, Counted]:
    """Return the counts of a program, by what counted them."""
    known = {LOADS_STORES: exact(program.touched(), sizes)} if program.touched else {}
    return {
        **known,
        BY_TRACKER: both.tracker,
        BY_BITMAPS: both.bitmaps,
        DRAM: dram,
        BY_MONITOR: both.hardware,
    }


def save(results: dict[str, Any], path: Path) -> None:
    path.write_text(json.dumps(results, indent=1) + "\n")


def cost_cell(runs: dict[str, Any], column: Column, clock_hz: int) -> str:
    """Return M cycles of the first column, and what they are more in the others."""
    if column.heading not in runs:
        return ""
    run, without = Run(**runs[column.heading]), Run(**runs[WITHOUT.heading])
    if column == WITHOUT:
        return f"{run.ns / 1e9 * clock_hz / 1e6:.2f}"
    more = f"{run.ns / without.ns - 1:+.1%}"
    return f"{more} ({run.faults:,}, {run.scans})" if column.scan_list else more


def tables(results: dict[str, Any]) -> dict[str, str]:
    """Return both tables in Markdown."""
    sizes = Sizes(**results["sizes"])
    costs = [
        [name, *(cost_cell(runs, column, sizes.clock_hz) for column in COLUMNS)]
        for name, runs in results["costs"].items()
    ]
    shown = (f"misses at {groups * sizes.group_pages}" for groups in SHOWN_GROUPS)
    curves = [
        [name, of, f"{row['accesses']:,}", *(f"{row['misses'][groups - 1]:,}" for groups in SHOWN_GROUPS)]
        for name, rows in results["curves"].items()
        for of, row in rows.items()
    ]
    headings = (column.heading for column in COLUMNS)
    return {
        "linux-tracker-cost": markdown(("program", *headings), costs),
        "linux-tracker-curves": markdown(("program", "counted by", "accesses", *shown), curves),
    }


def draw(results: dict[str, Any], path: Path) -> None:
    """Draw the misses of each program over the size of memory, by what counted them."""
    group_pages = Sizes(**results["sizes"]).group_pages
    lines = {
        LOADS_STORES: ("o", 6.0),
        BY_TRACKER: ("s", 4.5),
        BY_BITMAPS: ("D", 3.5),
        DRAM: ("o", 6.0),
        BY_MONITOR: ("^", 4.5),
    }
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(9, 3.5), layout="constrained")
        panels = figure.subplots(1, len(results["curves"]))
        for axes, (name, rows) in zip(panels, results["curves"].items(), strict=True):
            curves = {of: rows[of]["misses"][:DRAWN_GROUPS] for of in lines if of in rows}
            pages = [group_pages * (groups + 1) for groups, _ in enumerate(curves[BY_MONITOR])]
            for (of, (marker, size)), colour in zip(lines.items(), COLOURS, strict=False):
                if of in curves:
                    axes.plot(pages, curves[of], marker=marker, markersize=size, color=colour, label=of)
            axes.set_title(name)
            axes.set_xticks(pages)
            axes.set_ylim(0, 1.08 * max(max(misses) for misses in curves.values()))
            axes.yaxis.set_major_formatter("{x:,.0f}")
            axes.grid(axis="y")
        panels[0].set_ylabel("misses")
        figure.supxlabel("memory in pages")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=3)
        save_figure(figure, path)


def prepare(shell: Shell) -> Sizes:
    """Load the tracker, and leave both devices disabled."""
    sizes = sizes_of(shell)
    frames_log2 = sizes.frames.bit_length() - 1
    shell.run(f"insmod /litemrc_os.ko memory={sizes.memory} frames_log2={frames_log2} period_ms={PERIOD_MS}")
    for device in (HARDWARE, OS):
        shell.run(f"echo 0 >{device}/enable")
        set_epoch(shell, device, LONGEST_EPOCH)
    shell.run(f"seq {LINES} >/tmp/lines")
    return sizes


def simulate_costs(build: LinuxBuild) -> None:
    results: dict[str, Any] = {}
    with build.simulator(OUT / "cost", on_boot=print) as simulator:
        shell = GuestShell(simulator.wait_ready(), COMMAND_TIMEOUT_S)
        results["sizes"] = asdict(prepare(shell))
        measure_costs(shell, results)


def simulate_curves(build: LinuxBuild) -> None:
    """Count each program's accesses; in a run of its own, as golden models replay the whole record."""
    with build.simulator(OUT / "curves", on_boot=print) as simulator:
        shell = GuestShell(simulator.wait_ready(), COMMAND_TIMEOUT_S)
        sizes = prepare(shell)
        accessed_bits(shell)
        found = {
            program: beside(shell, program, sizes.clock_hz) for program in PROGRAMS if program.high == "max"
        }
    epochs = [both.epoch for both in found.values()]
    with ProcessPoolExecutor() as pool:  # the monitor's engine, and one that is exact by groups
        golden, exact_lru = (
            pool.submit(replayed, simulator.record, sizes, engine, epochs)
            for engine in (sizes.engine, "group_stack")
        )
    for program, counters in zip(found, golden.result(), strict=True):
        if counters != found[program].hardware:
            raise SystemExit(f"{program.name}: the monitor's counters are not the golden model's")
    exact_counters = dict(zip(found, exact_lru.result(), strict=True))
    curves = {
        program.name: {
            of: asdict(row) for of, row in curves_of(program, both, exact_counters[program], sizes).items()
        }
        for program, both in found.items()
    }
    save({"sizes": asdict(sizes), "curves": curves}, CURVES)


PARTS = {"costs": simulate_costs, "curves": simulate_curves}


def simulate(parts: Sequence[str]) -> None:
    """Measure in the RTL, costs and curves at once."""
    build = LinuxBuild(SIM, ROOT / "build/boot/shim.bin", images())
    with ThreadPoolExecutor() as pool:
        for done in [pool.submit(PARTS[part], build) for part in parts]:
            done.result()


def main() -> None:
    """Measure, unless only the page is wanted, and fill the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", action="store_true", help="only write the page, from the last results")
    parser.add_argument("--only", choices=PARTS, help="measure this alone, and do not write the page")
    args = parser.parse_args()
    if not args.page:
        simulate([args.only] if args.only else [*PARTS])
    if args.only:
        return
    results = {**json.loads(COSTS.read_text()), **json.loads(CURVES.read_text())}
    filled = tables(results)
    print("\n\n".join(filled.values()))
    fill_tables(PAGE, filled)
    draw(results, PICTURE)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-2-Clause
"""Runs of the same work on the simulated SoC whose ranks are NUMA nodes, side by side from one snapshot."""

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from litemrc.cli.shared.arguments import add_out_argument, add_output_formats, positive
from litemrc.cli.shared.device_options import (
    add_linux_build_arguments,
    add_linux_start_arguments,
    end_on_sigterm,
)
from litemrc.cli.shared.messages import note
from litemrc.device import rank_commands
from litemrc.device.device import Device, system_text
from litemrc.extras import require

if TYPE_CHECKING:
    from litemrc.cli.soc.ranks_results import RankResults
    from litemrc.device.collecting.collector import Collector
    from litemrc.device.link.protocol import Message
    from litemrc.device.simulation.guest_shell import GuestShell
    from litemrc.device.simulation.simulator import Simulator
    from litemrc.ranks.table import RankTable

LINK_TIMEOUT_S = (
    1800.0  # for an answer; with programs running, the simulator is 500 times slower than a board
)
COMMAND_TIMEOUT_S = 7200.0
EPOCHS_BEFORE = 2  # no working set is known: those of the boot and of the beginning of the work
EPSILON = 0.01
MONITOR = "/sys/class/misc/litemrc0"
# For the report: what numastat -m shows, and how the driver sees the ranks. A character takes 20,000 cycles.
VIEWS = (
    "grep -h Mem /sys/devices/system/node/node*/meminfo;"
    f" (cd {MONITOR}/ranks && grep . */evacuate */evacuation/moved */evacuation/microseconds)"
)


@dataclass(frozen=True)
class Summary:
    """What summary.json holds.

    Attributes
    ----------
    saved_percent
        energy, of that of the same work in the first run.
    rules_broken, lost_reads
        of the DRAM model, in both runs.
    counters_equal
        those of ranks and curves equal the record's and the golden model's.
    slowdown
        mean time of a turn, second run / first run, minus 1: the largest of the programs.
    evacuations
        completed ones.
    evacuation_ms_per_mib
        time of all evacuations by the memory that they moved; None if nothing moved.
    """

    saved_percent: float
    rules_broken: int
    lost_reads: int
    counters_equal: bool
    slowdown: float
    evacuations: int
    evacuation_ms_per_mib: float | None


@dataclass(frozen=True)
class Work:
    """A run to be done.

    Attributes
    ----------
    name
        of its folder.
    policy
        fields of the rank policy to change.
    prepare
        commands before the epochs that are collected.
    begin
        commands when they begin.
    end
        commands after them, until the programs have written their turns.
    turns
        files of these, one for each program.
    """

    name: str
    policy: Mapping[str, Any]
    prepare: str
    begin: str
    end: str
    turns: Sequence[str]


@dataclass(frozen=True)
class Run:
    """A run: what was collected, the simulator's folder, and what the programs and the driver say.

    Attributes
    ----------
    table
        from the third epoch on.
    turns_us
        lengths of the turns of each program that began with the epochs or later.
    governor
        the driver's lines, by name.
    """

    hello: "Message"
    collector: "Collector"
    table: "RankTable"
    folder: Path
    record: Path
    turns_us: Sequence[Sequence[int]]
    governor: dict[str, int]
    console: str


def add_arguments(
    parser: argparse.ArgumentParser,
    *,
    out: str,
    epochs: int,
    epoch_cycles: int = 20_000_000,
    soc: str = "ranks",
) -> None:
    """Declare the arguments of a demo.

    Parameters
    ----------
    out
        the default folder for results.
    epochs, epoch_cycles
        the default number of epochs, and their length.
    soc
        which one, of those that the Makefile builds.
    """
    add_linux_build_arguments(parser)
    add_linux_start_arguments(parser)
    parser.set_defaults(
        sim=Path(f"build/sim-linux-{soc}"),
        shim=Path(f"build/boot-{soc}/shim.bin"),
        images=Path(f"build/linux-{soc}"),
        boot_timeout=3600,
        epoch_cycles=epoch_cycles,
    )
    add_out_argument(parser, "folder for the results", metavar="DIR", default=Path(out))
    add_output_formats(parser)
    parser.add_argument(
        "--epochs",
        metavar="N",
        type=_epochs,
        default=epochs,
        help=f"epochs to collect, of {epoch_cycles:,} cycles (%(default)s)",
    )


def _epochs(text: str) -> int:
    epochs = positive(text)
    if epochs <= EPOCHS_BEFORE:
        raise argparse.ArgumentTypeError(
            f"must be at least {EPOCHS_BEFORE + 1}: no working set is known before (got {text})"
        )
    return epochs


def compare(
    args: argparse.Namespace,
    works: tuple[Work, Work],
    saving: Callable[["RankResults", "RankResults"], float],
    *,
    title: str,
) -> int:
    """Run two works, check all counters, write tables, report, pictures and summary; return the exit code.

    Parameters
    ----------
    works
        what the second saves is told in relation to the first.
    saving
        share of the energy that the second saves.
    title
        of the report.
    """
    # Imported here: numpy, pyarrow and matplotlib take long to load.
    from litemrc.cli.soc.demo_output import show
    from litemrc.cli.soc.demo_results import check
    from litemrc.cli.soc.ranks_results import check_ranks
    from litemrc.plots.files import save_figure
    from litemrc.plots.rank_timeline import ranks_figure
    from litemrc.ranks.files import write_ranks

    require("plot")
    end_on_sigterm()
    args.out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    runs = _run_both(args, works)
    ended = time.monotonic()
    found = [check_ranks(run.folder, run.table) for run in runs]
    for work, run, result in zip(works, runs, found, strict=True):
        write_ranks(args.out / f"{work.name}.parquet", run.table)
        save_figure(ranks_figure(run.table, result.report, working_set=True), args.out / f"{work.name}.png")
    before, last = runs
    results = check(args.out, last.record, last.hello, last.collector, late=True)
    saved, equal = saving(*found), results.comparison.equal
    summary = summarize(before, last, *found, saving=saved, curves_equal=equal)
    (args.out / "summary.json").write_text(json.dumps(asdict(summary), indent=2) + "\n")
    remarks = found[1].remarks | {
        "both": _text(summary, last.governor),
        "load": " and ".join(f"{accesses_per_s(run.table):,.0f}" for run in runs) + " DRAM accesses a second",
        "turns": _turns_text(works[0].turns, before, last),
    }
    hello = last.hello
    code = show(
        args,
        replace(results, remarks=remarks, wrong=[*found[0].wrong, *found[1].wrong]),
        title=title,
        device=f"Verilated LiteX SoC: VexRiscv, 8 KiB L2, LiteDRAM, {last.table.domains} ranks of"
        f" {last.table.part}; {system_text(hello.system, hello.driver, hello.abi)}",
        texts={"Console": last.console},
        began=began,
        ended=ended,
        ranks=(last.table, found[1].report),
    )
    if not (args.json or args.csv):
        pictures = ", ".join(str(args.out / f"{work.name}.png") for work in works)
        print(f"timelines: {pictures}\nsummary: {args.out / 'summary.json'}", flush=True)
    return code


def _run_both(args: argparse.Namespace, works: Sequence[Work]) -> list[Run]:
    from litemrc.device.simulation.linux_start import LinuxBuild

    build = LinuxBuild(args.sim, args.shim, args.images)
    with ExitStack() as stack:
        simulators = [
            stack.enter_context(
                build.simulator(
                    args.out / work.name, cold=args.cold, on_boot=note, boot_timeout_s=args.boot_timeout
                )
            )
            for work in works
        ]
        pool = ThreadPoolExecutor(len(works))
        # After Ctrl-C the simulators are stopped, and the threads find their devices gone.
        stack.callback(pool.shutdown, wait=False, cancel_futures=True)
        runs = [
            pool.submit(_run, simulator, args, work)
            for simulator, work in zip(simulators, works, strict=True)
        ]
        return [run.result() for run in runs]


def _run(simulator: "Simulator", args: argparse.Namespace, work: Work) -> Run:
    from litemrc.device.simulation.guest_shell import GuestShell, values_of

    simulator.wait_ready()
    booted = Device.open_booting(simulator.url, boot_timeout_s=args.boot_timeout, timeout_s=LINK_TIMEOUT_S)
    with booted as device:
        shell = GuestShell(simulator, COMMAND_TIMEOUT_S)
        if work.prepare:
            shell.run(work.prepare)
        since_us = uptime_us(shell.run("cat /proc/uptime"))
        dram = rank_commands.get_dram(device)
        collector = _collect(device, dram, shell, args, work)
        table = dram.table(collector.ranks or [], device.hello.clock_hz)
        table = table.between(int(table.epochs[EPOCHS_BEFORE]), None)
        hello = device.hello
    shell.run(VIEWS)
    shell.run(work.end)
    governor = values_of(shell.run, f"{MONITOR}/rank_governor/*")
    return Run(
        hello=hello,
        collector=collector,
        table=table,
        folder=simulator.run_dir,
        record=simulator.record,
        turns_us=[turns_us(shell.run(f"cat {file}"), since_us) for file in work.turns],
        governor={name: int(text) for name, text in governor.items()},
        console=simulator.console.read_text(errors="replace"),
    )


def _collect(
    device: Device, dram: rank_commands.Dram, shell: "GuestShell", args: argparse.Namespace, work: Work
) -> "Collector":
    """Collect curves and ranks of some epochs from the beginning of the work on."""
    from litemrc.device.collecting.collector import Collector

    # Created first: the driver has enabled the monitor, and the epoch in progress must not be missed.
    collector = Collector(device, dram)
    device.request("monitor", on=False)
    device.request("set_epoch", unit="cycles", length=args.epoch_cycles)
    rank_commands.set_working_set(
        device, rank_commands.WorkingSetSize(automatic=True, groups=device.hello.groups, epsilon=EPSILON)
    )
    if work.policy:
        rank_commands.set_policy(device, replace(rank_commands.get_policy(device), **work.policy))
    device.request("monitor", on=True)
    if work.begin:
        shell.run(work.begin)
    for _ in collector.collect(args.epochs):
        pass
    for _ in collector.finish():
        pass
    return collector


def uptime_us(line: str) -> int:
    """Return the time since the boot, of /proc/uptime."""
    return round(float(line.split()[0]) * 1e6)


def turns_us(lines: str, since_us: int) -> list[int]:
    """Return the lengths of the turns since a time; a program wrote them as lines "BEGIN LENGTH"."""
    turns = (map(int, line.split()) for line in lines.splitlines())
    return [length for begin, length in turns if begin >= since_us]


def slowdowns(before: Run, after: Run, center: Callable[[Sequence[int]], float] = fmean) -> list[float]:
    """Return by how much the mean turn of each program, or another center of its turns, is longer."""
    return [
        center(second) / center(first) - 1
        for first, second in zip(before.turns_us, after.turns_us, strict=True)
    ]


def accesses_per_s(table: "RankTable") -> float:
    """Return the mean rate of DRAM accesses."""
    return float(table.reads.sum() + table.writes.sum()) / table.seconds


def summarize(
    before: Run,
    after: Run,
    of_before: "RankResults",
    of_after: "RankResults",
    *,
    saving: float,
    curves_equal: bool,
) -> Summary:
    """Compare the two runs."""
    moved_mib = after.governor["moved"] * (1 << after.hello.page_shift) / (1 << 20)
    ms = after.governor["microseconds"] / 1e3
    return Summary(
        saved_percent=100 * saving,
        rules_broken=of_before.rules_broken + of_after.rules_broken,
        lost_reads=of_before.lost_reads + of_after.lost_reads,
        counters_equal=of_before.comparison.equal and of_after.comparison.equal and curves_equal,
        slowdown=max(slowdowns(before, after)),
        evacuations=after.governor["evacuations"],
        evacuation_ms_per_mib=ms / moved_mib if moved_mib else None,
    )


def _text(summary: Summary, governor: dict[str, int]) -> str:
    return (
        f"saved {summary.saved_percent:.1f} %, slowdown {summary.slowdown:+.1%};"
        f" {summary.evacuations} evacuations moved {governor['moved']:,} pages in"
        f" {governor['microseconds'] / 1e3:,.1f} ms; {governor['openings']} openings;"
        f" {governor['busy'] + governor['no_room']} attempts failed"
    )


def _turns_text(files: Sequence[str], before: Run, after: Run) -> str:
    changes = zip(files, slowdowns(before, after), slowdowns(before, after, median), strict=True)
    return "; ".join(f"{Path(file).name} {mean:+.1%}, median {middle:+.1%}" for file, mean, middle in changes)

"""`litemrc linux-ranks-demo`: Linux empties DDR3 ranks that its working set does not need; verify energy.

The same work runs twice from the same state of the machine: with all ranks awake, and governed.
"""

import argparse
import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from litemrc.cli.shared.arguments import positive
from litemrc.cli.shared.device_options import (
    add_linux_build_arguments,
    add_linux_start_arguments,
    end_on_sigterm,
)
from litemrc.cli.shared.messages import note
from litemrc.cli.shared.options import add_out_argument, add_output_formats
from litemrc.device import ranks
from litemrc.device.device import Device, system_text
from litemrc.extras import require

if TYPE_CHECKING:
    from litemrc.cli.soc.ranks_results import RankResults
    from litemrc.device.collecting.collector import Collector
    from litemrc.device.link.protocol import Message
    from litemrc.device.simulation.guest_shell import GuestShell
    from litemrc.device.simulation.linux_start import LinuxBuild
    from litemrc.device.simulation.simulator import Simulator
    from litemrc.ranks.table import RankTable

LINK_TIMEOUT_S = (
    1800.0  # for an answer; with programs running, the simulator is 500 times slower than a board
)
COMMAND_TIMEOUT_S = 7200.0
EPOCH_CYCLES = 10_000_000  # the messages of an epoch take 6 ticks of a million cycles
EPOCHS = 20
EPSILON = 0.01
MARGIN_PAGES = 1280
MONITOR = "/sys/class/misc/litemrc0"
# A small interactive program throughout; then two loops, which leave less than the margin of a rank's 4,096
# pages, and end.
TURNS = ("/tmp/small", "/tmp/first", "/tmp/second")
WORK = (
    f"intr 200 100 65536 30 {TURNS[0]} >/dev/null & small=$!",
    f"(sleep 0.4; exec linear 1400 100 {TURNS[1]}) >/dev/null & first=$!",
    f"(sleep 0.5; exec linear 1500 60 {TURNS[2]}) >/dev/null & second=$!",
)
END = "wait $first $second; kill $small; wait $small"


@dataclass(frozen=True)
class Summary:
    """What summary.json holds.

    Attributes:
        saved_percent: energy, of that of the same work with all ranks in standby.
        rules_broken, lost_reads: of the DRAM model, in both runs.
        counters_equal: those of ranks and curves equal the record's and the golden model's.
        slowdown: mean time of a turn, governed / all awake, minus 1: the largest of the programs.
        evacuations: completed ones.
        evacuation_ms_per_mib: time of all evacuations by the memory that they moved; None if nothing moved.
    """

    saved_percent: float
    rules_broken: int
    lost_reads: int
    counters_equal: bool
    slowdown: float
    evacuations: int
    evacuation_ms_per_mib: float | None


@dataclass(frozen=True)
class Run:
    """A run: what was collected, the simulator's folder, and what the programs and the driver say.

    Attributes:
        turn_us: mean length of a turn, for each program.
        governor: the driver's lines, by name.
    """

    hello: "Message"
    collector: "Collector"
    table: "RankTable"
    folder: Path
    record: Path
    turn_us: Sequence[float]
    governor: dict[str, int]
    console: str


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc linux-ranks-demo`."""
    add_linux_build_arguments(parser)
    add_linux_start_arguments(parser)
    parser.set_defaults(
        sim=Path("build/sim-linux-ranks"),
        shim=Path("build/boot-ranks/shim.bin"),
        images=Path("build/linux-ranks"),
        boot_timeout=3600,
    )
    add_out_argument(parser, "folder for the results", metavar="DIR", default=Path("build/linux-ranks-demo"))
    add_output_formats(parser)
    parser.add_argument(
        "--epochs",
        metavar="N",
        type=positive,
        default=EPOCHS,
        help=f"epochs to collect, of {EPOCH_CYCLES:,} cycles (%(default)s)",
    )


def main(args: argparse.Namespace) -> int:
    """Run `litemrc linux-ranks-demo`."""
    # Imported here: numpy, pyarrow and matplotlib take long to load.
    from litemrc.cli.soc.demo_output import show
    from litemrc.cli.soc.demo_results import check
    from litemrc.cli.soc.ranks_results import check_ranks
    from litemrc.device.simulation.linux_start import LinuxBuild
    from litemrc.plots.files import save_figure
    from litemrc.plots.ranks import ranks_figure
    from litemrc.ranks.files import write_ranks

    require("plot")
    end_on_sigterm()
    args.out.mkdir(parents=True, exist_ok=True)
    build = LinuxBuild(args.sim, args.shim, args.images)
    began = time.monotonic()
    awake, governed = _run_both(build, args)
    ended = time.monotonic()
    write_ranks(args.out / "ranks.parquet", governed.table)
    of_awake, found = check_ranks(awake.folder, awake.table), check_ranks(governed.folder, governed.table)
    results = check(args.out, governed.record, governed.hello, governed.collector, late=True)
    summary = summarize(awake, governed, of_awake, found, curves_equal=results.comparison.equal)
    (args.out / "summary.json").write_text(json.dumps(asdict(summary), indent=2) + "\n")
    remarks = found.remarks | {"governor": _governor_text(summary, governed.governor)}
    hello = governed.hello
    code = show(
        args,
        replace(results, remarks=remarks, wrong=[*of_awake.wrong, *found.wrong]),
        title="LiteMRC: ranks under Linux",
        device=f"Verilated LiteX SoC: VexRiscv, 8 KiB L2, LiteDRAM, {governed.table.domains} ranks of"
        f" {governed.table.part}; {system_text(hello.system, hello.driver, hello.abi)}",
        texts={"Console": governed.console},
        began=began,
        ended=ended,
        ranks=(governed.table, found.report),
    )
    save_figure(ranks_figure(governed.table, found.report, working_set=True), args.out / "ranks.png")
    if not (args.json or args.csv):
        print(f"timeline: {args.out / 'ranks.png'}\nsummary: {args.out / 'summary.json'}", flush=True)
    return code


def _run_both(build: "LinuxBuild", args: argparse.Namespace) -> list[Run]:
    """Run the work with all ranks awake and governed, side by side from the same snapshot."""
    with ExitStack() as stack:
        simulators = [
            stack.enter_context(
                build.simulator(
                    args.out / name, cold=args.cold, on_boot=note, boot_timeout_s=args.boot_timeout
                )
            )
            for name in ("awake", "governed")
        ]
        pool = ThreadPoolExecutor(len(simulators))
        # After Ctrl-C the simulators are stopped, and the threads find their devices gone.
        stack.callback(pool.shutdown, wait=False, cancel_futures=True)
        pairs = zip(simulators, (False, True), strict=True)
        runs = [pool.submit(_run, simulator, args, governed=governed) for simulator, governed in pairs]
        return [run.result() for run in runs]


def _run(simulator: "Simulator", args: argparse.Namespace, *, governed: bool) -> Run:
    from litemrc.device.collecting.rank_rows import rank_table
    from litemrc.device.simulation.guest_shell import GuestShell

    simulator.wait_ready()
    booted = Device.open_booting(simulator.url, boot_timeout_s=args.boot_timeout, timeout_s=LINK_TIMEOUT_S)
    with booted as device:
        shell = GuestShell(simulator, COMMAND_TIMEOUT_S)
        shell.run(f"echo {MARGIN_PAGES} >{MONITOR}/rank_governor")
        dram = ranks.get_dram(device)
        collector = _collect(device, dram, shell, args.epochs, governed=governed)
        table = rank_table(device, dram, collector.ranks.rows if collector.ranks else [])
        hello = device.hello
    shell.run(END)
    lines = shell.run(f"cat {MONITOR}/rank_governor").splitlines()
    return Run(
        hello=hello,
        collector=collector,
        table=table,
        folder=simulator.run_dir,
        record=simulator.record,
        turn_us=[_mean_turn_us(shell.run(f"cat {file}")) for file in TURNS],
        governor={name: int(value) for name, value in map(str.split, lines)},
        console=simulator.console.read_text(errors="replace"),
    )


def _collect(
    device: Device, dram: ranks.Dram, shell: "GuestShell", epochs: int, *, governed: bool
) -> "Collector":
    """Start the work, and collect curves and ranks of some epochs from there on."""
    from litemrc.device.collecting.collector import Collector

    # Created first: the driver has enabled the monitor, and the epoch in progress must not be missed.
    collector = Collector(device, dram)
    device.request("monitor", on=False)
    device.request("set_epoch", unit="cycles", length=EPOCH_CYCLES)
    ranks.set_working_set(
        device, ranks.WorkingSetSize(automatic=True, groups=device.hello.groups, epsilon=EPSILON)
    )
    if governed:
        policy = replace(
            ranks.get_policy(device),
            policy="mrc",
            mrc_state="self_refresh",
            mrc_base="dynamic",
            threshold_power_down=100,
            threshold_self_refresh=20_000,
        )
        ranks.set_policy(device, policy)
    device.request("monitor", on=True)
    shell.run("\n".join(WORK))
    for _ in collector.collect(epochs):
        pass
    for _ in collector.finish():
        pass
    return collector


def _mean_turn_us(lines: str) -> float:
    """Return the mean length of the turns that a program wrote as lines "BEGIN LENGTH"."""
    return fmean(int(line.split()[1]) for line in lines.splitlines())


def summarize(
    awake: Run, governed: Run, of_awake: "RankResults", found: "RankResults", *, curves_equal: bool
) -> Summary:
    """Compare the two runs."""
    moved_mib = governed.governor["moved"] * (1 << governed.hello.page_shift) / (1 << 20)
    ms = governed.governor["microseconds"] / 1e3
    slowdowns = [after / before - 1 for before, after in zip(awake.turn_us, governed.turn_us, strict=True)]
    return Summary(
        saved_percent=100 * found.report.total.saving,
        rules_broken=of_awake.rules_broken + found.rules_broken,
        lost_reads=of_awake.lost_reads + found.lost_reads,
        counters_equal=of_awake.comparison.equal and found.comparison.equal and curves_equal,
        slowdown=max(slowdowns),
        evacuations=governed.governor["evacuations"],
        evacuation_ms_per_mib=ms / moved_mib if moved_mib else None,
    )


def _governor_text(summary: Summary, governor: dict[str, int]) -> str:
    return (
        f"{summary.evacuations} evacuations moved {governor['moved']:,} pages in"
        f" {governor['microseconds'] / 1e3:,.1f} ms; {governor['openings']} openings;"
        f" {governor['busy'] + governor['no_room']} attempts failed; slowdown {summary.slowdown:+.1%}"
    )

"""`litemrc demo`: boots the simulated SoC, collects its programs' curves, and checks each counter."""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from litemrc.accuracy import accuracy
from litemrc.cli.accuracy_table import accuracy_table
from litemrc.cli.arguments import add_build_arguments, add_run_argument, end_on_sigterm
from litemrc.cli.counter_table import counter_table
from litemrc.comparison import Comparison, ContextAccuracy
from litemrc.device.collector import Collector
from litemrc.device.device import Device
from litemrc.device.recording import Recording, read_recording
from litemrc.device.running import Run
from litemrc.device.simulator import Simulator
from litemrc.epochs import EpochTable, write_epochs
from litemrc.golden_check import compare, model_of
from litemrc.golden_replay import Replay, replay
from litemrc.plot_files import save_figure
from litemrc.plots import curves_figure
from litemrc.report import write_report

EXIT_DIFFERENT = 1
TIMEOUT_S = 60.0  # a request's answer; the simulator runs some 50 times slower than a board
EPOCH_ACCESSES = 1 << 14
EXACT_ENGINE = "group_stack"


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc demo`."""
    add_build_arguments(parser)
    parser.add_argument(
        "--out", type=Path, default=Path("build/demo"), help="folder for the results (%(default)s)"
    )
    add_run_argument(parser, "only this program (else all of them, each under a context of its own)")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc demo`."""
    end_on_sigterm()
    runs = [Run.parse(text) for text in args.runs]
    began = time.monotonic()
    with Simulator(args.sim, args.firmware, args.out / "run") as simulator:
        simulator.wait_ready()
        with Device.open(simulator.url, timeout_s=TIMEOUT_S) as device:
            hello = device.hello
            collector = _collect(device, runs)
    collected_s = time.monotonic() - began
    table = collector.table()
    write_epochs(args.out / "curves.parquet", table)

    recording = read_recording(simulator.record, hello.page_shift)
    recording.save(args.out / "accesses.parquet")
    counts = recording.counts()
    golden = _replay(recording, table, table.engine)
    comparison = compare(table, golden, counts["access"])
    estimates = []
    if table.engine != EXACT_ENGINE:
        estimates = accuracy(golden, _replay(recording, table, EXACT_ENGINE), table.group_pages)

    report = args.out / "report.html"
    simulated_cycles = int(recording.cycle[-1])
    parameters = {
        "device": "Verilated LiteX SoC: VexRiscv, 8 KiB L2, LiteDRAM, SDR SDRAM model",
        "queue depth": hello.queue_depth,
        "simulated clocks": f"{simulated_cycles:,}",
        **{f"clocks of {name}": f"{cycles:,}" for name, _, cycles in collector.cycles},
        **{f"recorded {name} events": f"{count:,}" for name, count in counts.items() if name != "mark"},
        "tap": _tap_text(recording),
    }
    write_report(
        report,
        table,
        title="LiteMRC demo",
        parameters=parameters,
        comparison=comparison,
        accuracy=estimates,
    )
    save_figure(curves_figure(table), args.out / "curves.png")

    print(counter_table(table), end="\n\n")
    if estimates:
        print(f"the same {'sampled ' if table.scale else ''}accesses through exact LRU stacks:")
        print(accuracy_table(table, estimates), end="\n\n")
    print(
        f"{simulated_cycles:,} clocks simulated in {collected_s:.0f} s "
        f"({simulated_cycles / collected_s / 1e6:.2f} MHz), {time.monotonic() - began:.0f} s in all"
    )
    print(f"tap: {_tap_text(recording)}")
    print(f"golden model: {_golden_text(comparison)}")
    print(f"report: {report}")
    return verdict(recording, table, comparison, estimates)


def _replay(recording: Recording, table: EpochTable, engine: str) -> Replay:
    with _progress(f"golden model of {engine}", int(recording.epoch[-1]) + 1) as show:
        return replay(recording, model_of(table, engine), lambda epochs: show(epochs, ""))


def _collect(device: Device, runs: list[Run]) -> Collector:
    names = list(device.hello.workloads)
    runs = runs or [Run(name) for name in names]
    device.request("set_epoch", unit="accesses", length=EPOCH_ACCESSES)
    collector = Collector(device)
    with _progress("workloads", len(runs)) as show:
        for message in collector.collect(runs=runs):
            if message.name == "event":
                show(len(collector.cycles), f"{message.kind}: {names[message.workload]}".replace("_", " "))
    # So that what follows the last epoch is in no record either.
    device.request("monitor", on=False)
    return collector


def _tap_text(recording: Recording) -> str:
    tap = recording.tap
    if tap.exact:
        return (
            f"all {tap.accesses:,} accesses of the DRAM model's arrays seen, none missed, none invented "
            f"({tap.clocks} clock later)"
        )
    return f"of {tap.accesses:,} accesses in the DRAM model {tap.missed:,} missed, {tap.invented:,} invented"


def _golden_text(comparison: Comparison) -> str:
    if comparison.equal:
        return f"all {comparison.counters:,} counters equal over {comparison.accesses:,} recorded accesses"
    return f"{comparison.differences:,} of {comparison.counters:,} counters differ"


def verdict(
    recording: Recording,
    table: EpochTable,
    comparison: Comparison,
    estimates: Sequence[ContextAccuracy] = (),
) -> int:
    """The exit code: 0 only if nothing is wrong; says on stderr what is."""
    wrong = []
    if not recording.tap.exact:
        wrong.append(f"the tap is wrong: {_tap_text(recording)}")
    if not comparison.equal:
        wrong.append(
            f"the counters are wrong: {_golden_text(comparison)}; first: {comparison.first_difference}"
        )
    if lost := table.link_statistics["epoch_messages_lost"]:
        wrong.append(f"{lost} epoch messages were lost on the link")
    if further := sum(each.further_off for each in estimates):
        wrong.append(f"{further:,} accesses were estimated more than one group off")
    for line in wrong:
        print(f"litemrc: FAILED: {line}", file=sys.stderr)
    return EXIT_DIFFERENT if wrong else 0


@contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[int, str], None]]:
    """Shows how much of `total` is done: a bar on a terminal, else a line for each text; both on stderr."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, text: text and print(text, file=sys.stderr, flush=True)
        return
    with Progress(
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    ) as bar:
        task = bar.add_task("", total=total)
        yield lambda done, text: bar.update(task, completed=done, **({"description": text} if text else {}))

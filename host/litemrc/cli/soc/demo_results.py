"""What the demos make of a collection and the simulator's record of it: checks, files, report, verdict."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from litemrc.checks.account import Account, balance
from litemrc.checks.accuracy import accuracy
from litemrc.checks.counters import compare, model_of
from litemrc.checks.replay import Replay, replay
from litemrc.cli.curves.accuracy_table import accuracy_table
from litemrc.cli.curves.counter_table import counter_table
from litemrc.curves.comparison import Comparison, ContextAccuracy
from litemrc.device.collecting.collector import Collector
from litemrc.device.link.protocol import Message
from litemrc.device.simulation.recording import Recording, read_recording
from litemrc.epochs.files import EpochTable, write_epochs
from litemrc.plots.curves import curves_figure
from litemrc.plots.files import save_figure
from litemrc.ranks.energy import RankEnergy
from litemrc.ranks.table import RankTable
from litemrc.reports.run import write_report

EXIT_DIFFERENT = 1
EXACT_ENGINE = "group_stack"


@dataclass(frozen=True)
class Results:
    """A collection, the simulator's record of the same accesses, and what comparing them found.

    `hello` is the device's; `remarks` and `wrong` are a demo's own findings, for reader and verdict.
    """

    hello: Message
    cycles: Sequence[tuple[str, int, int]]
    table: EpochTable
    recording: Recording
    comparison: Comparison
    account: Account
    estimates: Sequence[ContextAccuracy] = ()
    remarks: Mapping[str, str] = field(default_factory=dict)
    wrong: Sequence[str] = ()


def check(
    out: Path,
    record: Path,
    hello: Message,
    collector: Collector,
    *,
    exact: bool = True,
    late: bool = False,
) -> Results:
    """Keep what was collected and recorded in the folder `out`, and compare every counter.

    Parameters:
        record: the recorder's file.
        exact: run exact stacks too, where the device estimates.
        late: epochs had ended before the collection began; they are not compared.

    Raises:
        UserError: a file cannot be read or written.
    """
    table = collector.table()
    write_epochs(out / "curves.parquet", table)
    recording = read_recording(record, hello.page_shift)
    recording.save(out / "accesses.parquet")
    golden = _replay(recording, table, table.engine)
    first_epoch = int(table.epoch[0]) if late and table.epoch.size else 0
    estimates = []
    if exact and table.engine != EXACT_ENGINE:
        estimates = accuracy(golden, _replay(recording, table, EXACT_ENGINE), table.group_pages)
    return Results(
        hello=hello,
        cycles=collector.cycles,
        table=table,
        recording=recording,
        comparison=compare(table, golden, recording.counts()["access"], first_epoch),
        account=balance(recording, table),
        estimates=estimates,
    )


def show(
    out: Path,
    results: Results,
    *,
    title: str,
    device: str,
    texts: Mapping[str, str],
    began: float,
    ended: float,
    ranks: tuple[RankTable, RankEnergy] | None = None,
) -> int:
    """Write report and picture into the folder `out`, print what matters, and return the exit code.

    Parameters:
        title, device: for the report.
        texts: more for the report, by heading.
        began, ended: of the simulation, by time.monotonic().
        ranks: for the report, where they were metered.
    """
    report = out / "report.html"
    table, recording = results.table, results.recording
    simulated_cycles = int(recording.cycle[-1])
    parameters = {
        "device": device,
        "queue depth": results.hello.queue_depth,
        "simulated clocks": f"{simulated_cycles:,}",
        **{f"clocks of {name}": f"{cycles:,}" for name, _, cycles in results.cycles},
        **{
            f"recorded {name} events": f"{count:,}"
            for name, count in recording.counts().items()
            if name != "mark"
        },
        "tap": _tap_text(recording),
        "account": _account_text(results.account),
        **results.remarks,
    }
    write_report(
        report,
        table,
        title=title,
        parameters=parameters,
        comparison=results.comparison,
        accuracy=results.estimates,
        ranks=ranks,
        texts=texts,
    )
    save_figure(curves_figure(table), out / "curves.png")

    print(counter_table(table), end="\n\n")
    if results.estimates:
        print(f"the same {'sampled ' if table.scale else ''}accesses through exact LRU stacks:")
        print(accuracy_table(table, results.estimates), end="\n\n")
    print(
        f"{simulated_cycles:,} clocks simulated in {ended - began:.0f} s "
        f"({simulated_cycles / (ended - began) / 1e6:.2f} MHz), {time.monotonic() - began:.0f} s in all"
    )
    print(f"tap: {_tap_text(recording)}")
    print(f"account: {_account_text(results.account)}")
    for name, text in results.remarks.items():
        print(f"{name}: {text}")
    print(f"golden model: {_golden_text(results.comparison)}")
    print(f"report: {report}")
    return verdict(results)


def verdict(results: Results) -> int:
    """The exit code: 0 only if nothing is wrong; says on stderr what is."""
    recording, table, comparison = results.recording, results.table, results.comparison
    wrong = list(results.wrong)
    if not recording.tap.exact:
        wrong.append(f"the tap is wrong: {_tap_text(recording)}")
    if not comparison.equal:
        wrong.append(
            f"the counters are wrong: {_golden_text(comparison)}; first: {comparison.first_difference}"
        )
    if not results.account.balanced:
        wrong.append(f"accesses are missing or too many: {_account_text(results.account)}")
    if lost := table.link_statistics["epoch_messages_lost"]:
        wrong.append(f"{lost} epoch messages were lost on the link")
    if further := sum(each.further_off for each in results.estimates):
        wrong.append(f"{further:,} accesses were estimated more than one group off")
    for line in wrong:
        print(f"litemrc: FAILED: {line}", file=sys.stderr)
    return EXIT_DIFFERENT if wrong else 0


def _replay(recording: Recording, table: EpochTable, engine: str) -> Replay:
    with progress(f"golden model of {engine}", int(recording.epoch[-1]) + 1) as show_progress:
        return replay(recording, model_of(table, engine), lambda epochs: show_progress(epochs, ""))


def _tap_text(recording: Recording) -> str:
    tap = recording.tap
    if tap.exact:
        return (
            f"all {tap.accesses:,} accesses of the DRAM model's arrays seen, none missed, none invented "
            f"({tap.clocks} clock later)"
        )
    return f"of {tap.accesses:,} accesses in the DRAM model {tap.missed:,} missed, {tap.invented:,} invented"


def _account_text(account: Account) -> str:
    counted = f"{account.counted:,} accesses counted or lost"
    if account.balanced:
        return f"{counted}, as many as the DRAM model had in these epochs"
    first = f"; first: {account.difference}" if account.difference else ""
    return f"{counted}, {account.recorded:,} in the DRAM model in these epochs{first}"


def _golden_text(comparison: Comparison) -> str:
    if comparison.equal:
        return f"all {comparison.counters:,} counters equal over {comparison.accesses:,} recorded accesses"
    return f"{comparison.differences:,} of {comparison.counters:,} counters differ"


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Callable[[int, str], None]]:
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

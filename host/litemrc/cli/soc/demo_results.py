"""Checks a demo's collection against the simulator's record: comparison, files, report and verdict."""

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from litemrc.checks.account import Account, balance
from litemrc.checks.accuracy import accuracy
from litemrc.checks.counters import compare, model_of
from litemrc.checks.replay import Replay, replay
from litemrc.cli.curves.accuracy_table import accuracy_table
from litemrc.cli.curves.counter_table import counter_table
from litemrc.cli.shared.progress import counting
from litemrc.curves.comparison import Comparison, ContextAccuracy
from litemrc.device.collecting.collector import Collector
from litemrc.device.link.protocol import Message
from litemrc.device.simulation.recording import Recording, read_recording
from litemrc.energy.rank_energy import RankEnergy
from litemrc.epochs.files import EpochTable, write_epochs
from litemrc.ranks.table import RankTable

EXIT_DIFFERENT = 1
EXACT_ENGINE = "group_stack"


@dataclass(frozen=True)
class Results:
    """A collection, the simulator's record of the same accesses, and the result of their comparison.

    Attributes:
        hello: the device's description of itself.
        cycles: name, context and run time in cycles of each program.
        remarks: a demo's own results, by name.
        wrong: a demo's own failures, for the verdict.
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
    """Save the collection and the record in the folder `out`, and compare every counter.

    Parameters:
        record: the recorder's file.
        exact: compute exact stacks as well if the device's engine estimates.
        late: the collection began after the first epochs; these are not compared.

    Raises:
        UserError: a file cannot be read or written.
    """
    table = collector.table()
    write_epochs(out / "curves.parquet", table)
    recording = read_recording(record, hello.page_shift)
    recording.save(out / "accesses.parquet", 1 << hello.page_shift)
    golden = _replay(recording, table, table.engine)
    first_epoch = int(table.epoch[0]) if late and table.epoch.size else 0
    estimates = []
    if exact and table.engine != EXACT_ENGINE:
        estimates = accuracy(
            golden, _replay(recording, table, EXACT_ENGINE), table.group_pages, table.page_bytes
        )
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
    """Write report and picture into the folder `out`, print the results, and return the exit code.

    Parameters:
        title, device: for the report.
        texts: further sections of the report, by heading.
        began, ended: start and end of the simulation, as time.monotonic() returns them.
        ranks: for the report, if they were metered.
    """
    # Imported here: matplotlib and jinja2 take long to load.
    from litemrc.plots.curves import curves_figure
    from litemrc.plots.files import save_figure
    from litemrc.reports.run import write_report

    report = out / "report.html"
    table, recording = results.table, results.recording
    simulated_cycles = int(recording.cycle[-1])
    parameters = {
        "device": device,
        "queue depth": results.hello.queue_depth,
        "simulated cycles": f"{simulated_cycles:,}",
        **{f"cycles of {name}": f"{cycles:,}" for name, _, cycles in results.cycles},
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
        print(f"compared with exact LRU stacks over the same {'sampled ' if table.scale else ''}accesses:")
        print(accuracy_table(table, results.estimates), end="\n\n")
    print(
        f"{simulated_cycles:,} cycles simulated in {ended - began:.0f} s "
        f"({simulated_cycles / (ended - began) / 1e6:.2f} MHz), {time.monotonic() - began:.0f} s in total"
    )
    print(f"tap: {_tap_text(recording)}")
    print(f"account: {_account_text(results.account)}")
    for name, text in results.remarks.items():
        print(f"{name}: {text}")
    print(f"golden model: {_golden_text(results.comparison)}")
    print(f"report: {report}")
    return verdict(results)


def verdict(results: Results) -> int:
    """Print each failure on stderr; return the exit code, 0 without a failure."""
    recording, table, comparison = results.recording, results.table, results.comparison
    wrong = list(results.wrong)
    if not recording.tap.exact:
        wrong.append(f"the tap {_tap_text(recording)}")
    if not comparison.equal:
        wrong.append(
            f"the counters are wrong: {_golden_text(comparison)}; first: {comparison.first_difference}"
        )
    if not results.account.balanced:
        wrong.append(f"the accesses do not add up: {_account_text(results.account)}")
    if lost := table.link_statistics["epoch_messages_lost"]:
        wrong.append(f"{lost} epoch messages were lost on the link")
    if further := sum(each.further_off for each in results.estimates):
        wrong.append(f"the estimates of {further:,} accesses are more than one group off")
    for line in wrong:
        print(f"litemrc: FAILED: {line}", file=sys.stderr)
    return EXIT_DIFFERENT if wrong else 0


def _replay(recording: Recording, table: EpochTable, engine: str) -> Replay:
    with counting(f"epochs replayed by the golden {engine}", int(recording.epoch[-1]) + 1) as show_progress:
        return replay(recording, model_of(table, engine), lambda epochs: show_progress(epochs, ""))


def _tap_text(recording: Recording) -> str:
    tap = recording.tap
    if tap.exact:
        cycles = "1 cycle" if tap.clocks == 1 else f"{tap.clocks} cycles"
        return f"reported exactly the {tap.accesses:,} accesses to the DRAM model's arrays, {cycles} later"
    return (
        f"missed {tap.missed:,} of the {tap.accesses:,} accesses to the DRAM model's arrays"
        f" and reported {tap.invented:,} that did not happen"
    )


def _account_text(account: Account) -> str:
    counted = f"{account.counted:,} accesses counted or dropped"
    if account.balanced:
        return f"{counted}, equal to the accesses of the DRAM model in these epochs"
    first = f"; first difference: {account.difference}" if account.difference else ""
    return f"{counted}, but the DRAM model had {account.recorded:,} in these epochs{first}"


def _golden_text(comparison: Comparison) -> str:
    if comparison.equal:
        return (
            f"all {comparison.counters:,} counters are equal over {comparison.accesses:,} recorded accesses"
        )
    return f"{comparison.differences:,} of {comparison.counters:,} counters differ"


def event_text(message: Message, workloads: Sequence[str]) -> str:
    """Return a device's event as text, such as "workload started: zipf"; empty for other messages."""
    if message.name != "event":
        return ""
    return f"{message.kind}: {workloads[message.workload]}".replace("_", " ")
